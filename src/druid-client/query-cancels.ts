// Cancels queries that nobody waits for. Druid responds in the same way whether it cancels a query or does not know it yet, and does not remember the
// request: a cancel that arrives before its query is lost.
import type { Timer } from '../lib/timer.ts'

export interface AbandonedQuery {
  /** The paths of the DELETE requests that cancel it. */
  readonly paths: readonly string[]
  /** The time since it was sent. */
  readonly ageMs: number
  /** Whether Druid began to respond: all its servers then know the query. */
  readonly isAnswered: boolean
  /** The age at which Druid ends the query on its own. */
  readonly timeoutMs: number
  /** Called once, when a first cancel is answered or has failed, or none will be sent. */
  readonly onCancelled: () => void
}

export interface QueryCancelsParts {
  readonly send: (path: string) => Promise<void>
  readonly timer: Timer
}

/**
 * The age of a query at its first cancel, and the pause after that, which doubles: a query may wait in the broker for a thread, up to its time limit.
 * A broker forwards a cancel to the servers that it has queried, and forgets the query. A server that receives the query later, after a pause of its
 * garbage collector for instance, would run it until its time limit: another cancel would not reach it.
 */
const firstPauseMs = 1000
/** With more waiting cancels than this, the oldest queries are left to their time limits. */
const waitingMax = 1000

/** Sends the cancels of queries: once if Druid is known to have received the query, otherwise repeatedly until its time limit. */
export class QueryCancels {
  readonly #parts: QueryCancelsParts
  /** A function to drop each waiting cancel, the oldest first. */
  readonly #waiting = new Set<() => void>()

  constructor(parts: QueryCancelsParts) {
    this.#parts = parts
  }

  /** Returns at once and never throws: a query that cannot be cancelled ends at its time limit. */
  cancel(query: AbandonedQuery): void {
    const pauseMs = Math.max(0, firstPauseMs - query.ageMs)
    if (query.isAnswered) void this.#send(query)
    else this.#after(pauseMs, query, firstPauseMs)
  }

  close(): void {
    for (const drop of this.#waiting) drop()
  }

  #after(pauseMs: number, query: AbandonedQuery, nextPauseMs: number): void {
    const ageMs = query.ageMs + pauseMs
    if (ageMs >= query.timeoutMs) {
      query.onCancelled()
      return
    }
    const stop = this.#parts.timer(() => {
      this.#waiting.delete(drop)
      void this.#send(query)
      this.#after(nextPauseMs, { ...query, ageMs, onCancelled: () => undefined }, 2 * nextPauseMs)
    }, pauseMs)
    const drop = (): void => {
      this.#waiting.delete(drop)
      stop()
      query.onCancelled()
    }
    this.#waiting.add(drop)
    const [dropOldest] = this.#waiting
    if (this.#waiting.size > waitingMax) dropOldest?.()
  }

  async #send({ paths, onCancelled }: AbandonedQuery): Promise<void> {
    // If a cancel fails, or Druid does not know the query yet, another one may follow.
    await Promise.allSettled(paths.map((path) => this.#parts.send(path)))
    onCancelled()
  }
}
