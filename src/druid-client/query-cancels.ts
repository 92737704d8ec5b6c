// Cancelling what nobody waits for any more. Druid says the same of a query that it has not met yet as of one that it cancelled, and takes note
// of neither: a cancel that comes before the query is lost.
import type { Timer } from '../lib/timer.ts'

export interface AbandonedQuery {
  /** What a DELETE cancels it by. */
  readonly paths: readonly string[]
  /** Since it was sent. */
  readonly ageMs: number
  /** Whether Druid began to answer: then all its parts have met it. */
  readonly isAnswered: boolean
  /** Druid ends it by itself when it is so old. */
  readonly timeoutMs: number
}

export interface QueryCancelsParts {
  readonly send: (path: string) => Promise<void>
  readonly timer: Timer
}

/**
 * A broker passes a cancel on to the servers that it has asked, and forgets the query: one that has not met it yet, a few milliseconds later,
 * would run on, and could not be told again.
 */
const earliestMs = 250
/** A query may wait at the broker for a thread, for as long as its time limit: then it is cancelled again, twice as late each time. */
const firstPauseMs = 500
/** With more than these, the oldest are left to their time limits. */
const waitingMax = 1000

/** Sends the cancels of queries: once where Druid is known to have met the query, else again and again until its time is over. */
export class QueryCancels {
  readonly #parts: QueryCancelsParts
  /** What stops each that waits for its next time, the oldest first. */
  readonly #waiting = new Set<() => void>()

  constructor(parts: QueryCancelsParts) {
    this.#parts = parts
  }

  /** Nobody waits for it, and it never throws: what cannot be cancelled ends at its time limit. */
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
    // It failed, or Druid knows no such statement: there may be a next time.
    for (const path of paths) this.#parts.send(path).catch(() => undefined)
  }
}
