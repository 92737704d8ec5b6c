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
}

export interface QueryCancelsParts {
  readonly send: (path: string) => Promise<void>
  readonly timer: Timer
}

/**
 * A broker forwards a cancel to the servers that it has queried, and forgets the query. A server that receives the query a few milliseconds later
 * would run it, and could not be reached by another cancel.
 */
const earliestMs = 250
/** A query may wait in the broker for a thread, up to its time limit. So it is cancelled repeatedly, with pauses that double. */
const firstPauseMs = 500
/** With more waiting cancels than this, the oldest queries are left to their time limits. */
const waitingMax = 1000

/** Sends the cancels of queries: once if Druid is known to have received the query, otherwise repeatedly until its time limit. */
export class QueryCancels {
  readonly #parts: QueryCancelsParts
  /** A function to stop each waiting cancel, the oldest first. */
  readonly #waiting = new Set<() => void>()

  constructor(parts: QueryCancelsParts) {
    this.#parts = parts
  }

  /** Returns at once and never throws: a query that cannot be cancelled ends at its time limit. */
  cancel(query: AbandonedQuery): void {
    const pauseMs = Math.max(0, earliestMs - query.ageMs)
    if (query.isAnswered) this.#send(query)
    else this.#after(pauseMs, query, firstPauseMs)
  }

  close(): void {
    for (const stop of this.#waiting) stop()
    this.#waiting.clear()
  }

  #after(pauseMs: number, query: AbandonedQuery, nextPauseMs: number): void {
    const ageMs = query.ageMs + pauseMs
    if (ageMs >= query.timeoutMs) return
    const stop = this.#parts.timer(() => {
      this.#waiting.delete(stop)
      this.#send(query)
      this.#after(nextPauseMs, { ...query, ageMs }, 2 * nextPauseMs)
    }, pauseMs)
    this.#waiting.add(stop)
    const [oldest] = this.#waiting
    if (oldest === undefined || this.#waiting.size <= waitingMax) return
    this.#waiting.delete(oldest)
    oldest()
  }

  #send({ paths }: AbandonedQuery): void {
    // The cancel failed, or Druid does not know the query: it may be sent again.
    for (const path of paths) this.#parts.send(path).catch(() => undefined)
  }
}
