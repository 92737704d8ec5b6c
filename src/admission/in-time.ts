import { Cancellation, type CancelSignal } from '../lib/cancellation.ts'
import type { Timer } from '../lib/timer.ts'
import { Problem } from '../model/problem.ts'

export interface Deadline {
  readonly signal: CancelSignal
  /** From the arrival of a query until its answer is complete. */
  readonly queryTimeMs: number
  /** Whether the caller set that time himself. */
  readonly isOwnTime?: boolean
  readonly timer: Timer
  /** What would make the query shorter. */
  readonly advice: string
}

/**
 * Runs `work` with what is cancelled when the time is over or the caller has gone. That is told at once; an answer that comes
 * all the same is nobody's any more, and released.
 */
export function inTime<Result extends { release(): void }>(
  { signal, queryTimeMs, isOwnTime = false, timer, advice }: Deadline,
  work: (deadline: Cancellation) => Promise<Result>,
): Promise<Result> {
  const cancellation = new Cancellation()
  return new Promise<Result>((resolve, reject) => {
    signal.throwIfAborted()
    const settled = (): void => {
      stopTimer()
      signal.removeEventListener('abort', onAbort)
    }
    const stop = (reason: unknown): void => {
      settled()
      reject(reason)
      cancellation.cancel(reason)
    }
    const onAbort = (): void => stop(signal.reason)
    const stopTimer = timer(() => stop(timeIsOver(queryTimeMs, isOwnTime, advice)), queryTimeMs)
    signal.addEventListener('abort', onAbort, { once: true })
    const done = (result: Result): void => {
      settled()
      if (cancellation.aborted) result.release()
      else resolve(result)
    }
    work(cancellation).then(done, (error: unknown) => {
      settled()
      reject(error)
    })
  })
}

/** The time of a query that has one of its own, 0 for none: the limit of the service holds too. */
export function timeAllowed(
  ownMs: number,
  limits: Pick<Deadline, 'queryTimeMs'>,
): Pick<Deadline, 'queryTimeMs' | 'isOwnTime'> {
  const isOwnTime = ownMs > 0 && ownMs < limits.queryTimeMs
  return { queryTimeMs: isOwnTime ? ownMs : limits.queryTimeMs, isOwnTime }
}

function timeIsOver(queryTimeMs: number, isOwnTime: boolean, advice: string): Problem {
  const limit = isOwnTime ? "the `timeout` of the query's own context" : 'limits.queryTimeMs'
  return new Problem('query_timeout', `The query took longer than ${queryTimeMs} ms, which is ${limit}. ${advice}`)
}
