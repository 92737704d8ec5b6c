import { Cancellation, type CancelSignal } from '../lib/cancellation.ts'
import type { Timer } from '../lib/timer.ts'
import { Problem } from '../model/problem.ts'

export interface Deadline {
  readonly signal: CancelSignal
  /** Maximum time from the arrival of a query to its complete result. */
  readonly queryTimeMs: number
  /** Whether the caller has set that time. */
  readonly isOwnTime?: boolean
  readonly timer: Timer
  /** How to make the query faster, for the error message. */
  readonly advice: string
}

/**
 * Runs `work` with a cancellation that fires when the time is over or the signal is aborted; the returned promise then rejects immediately. A result that
 * still arrives later is released.
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

/** The time limit of a query with its own timeout, 0 for none; never more than the service's limit. */
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
