import { Problem } from '../model/problem.ts'

export interface AdmissionLimits {
  /** Queries that run at once. */
  readonly runningQueries: number
  /** Queries that wait for one of them to end. */
  readonly waitingQueries: number
}

/** Lets so many queries run at once; the others wait their turn, in the order in which they came. */
export class Admission {
  readonly #limits: AdmissionLimits
  /** A set keeps the order of arrival, and one in its middle can leave. */
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /**
   * Resolves when the query may run; whoever enters calls `leave` once. Throws Problem `overloaded` when too many wait already,
   * and the signal's reason when it is aborted before the query's turn.
   */
  enter(signal: AbortSignal): Promise<void> | void {
    signal.throwIfAborted()
    const { runningQueries, waitingQueries } = this.#limits
    if (this.#running < runningQueries) {
      this.#running += 1
      return
    }
    if (this.#waiting.size >= waitingQueries) throw overloaded(runningQueries, waitingQueries)
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = (): void => {
        this.#waiting.delete(onTurn)
        reject(signal.reason)
      }
      this.#waiting.add(onTurn)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Gives the place to the one that waits longest. */
  leave(): void {
    for (const onTurn of this.#waiting) {
      this.#waiting.delete(onTurn)
      onTurn()
      return
    }
    this.#running -= 1
  }
}

function overloaded(running: number, waiting: number): Problem {
  return new Problem(
    'overloaded',
    `${running} queries are running (limits.runningQueries) and ${waiting} are waiting (limits.waitingQueries). Ask again in a moment.`,
    { retryAfterS: 1 },
  )
}
