import { ConnectionError, ServiceError } from './service-error.ts'

export interface RetryOptions {
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How long one request is tried again before its failure counts, from the first failure on. */
  readonly retryMs: number
  /** The most times that it is tried again; without it `retryMs` alone bounds them. */
  readonly maxRetries?: number | undefined
  /** The first wait; each further one is twice as long, up to `maxRetryWaitMs`. Default 250. */
  readonly firstRetryWaitMs?: number | undefined
  /** The longest wait, unless the service asks for a longer one. Default 10,000. */
  readonly maxRetryWaitMs?: number | undefined
  readonly onRetry: (error: Error, waitMs: number) => void
  /** From 0 up to 1: a wait is up to half as long again, so that many who lost one service do not come back at once. Without it waits are exact. */
  readonly random?: (() => number) | undefined
  /** Whether the same request may go better later; `mayGoBetter` where nothing is given. */
  readonly isRetryable?: ((error: unknown) => boolean) | undefined
}

export const defaultWaits = { firstRetryWaitMs: 250, maxRetryWaitMs: 10_000 }

/** What stands between here and the service answers so when the service does not, or when it is asked too often. */
const gatewayStatuses = [429, 502, 503, 504]

/** No answer came, or one that says that the same request may go better later. */
export function mayGoBetter(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ServiceError)) return false
  return error.retryable || (error.code === 'unknown' && gatewayStatuses.includes(error.status))
}

/** Nobody knows what became of the request: its answer was lost on the way, or a gateway answered that may have passed it on. */
export function isDoubtful(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.sent
  if (!(error instanceof ServiceError) || error.code !== 'unknown') return false
  return error.status === 502 || error.status === 504 || (error.status >= 200 && error.status < 300)
}

/**
 * Tries again after an answer that says so, and when no answer came. What is tried must be safe to be done twice: a push has an idempotency
 * key that stays the same.
 */
export async function withRetries<Answer>(attempt: () => Promise<Answer>, options: RetryOptions): Promise<Answer> {
  const { nowMs, sleep, retryMs, onRetry, random = () => 0, isRetryable = mayGoBetter } = options
  const { maxRetries = Number.POSITIVE_INFINITY } = options
  const { firstRetryWaitMs = defaultWaits.firstRetryWaitMs, maxRetryWaitMs = defaultWaits.maxRetryWaitMs } = options
  let firstFailureMs: number | null = null
  // An attempt whose outcome nobody knows says more than a later one that never arrived.
  let doubtful: Error | null = null
  for (let retries = 0; ; retries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Error) || !isRetryable(error)) throw error
      if (isDoubtful(error)) doubtful = error
      // Not from the beginning: a connection that says nothing any more is known to be broken only minutes later, and another one may do.
      firstFailureMs ??= nowMs()
      const askedMs = error instanceof ServiceError && error.retryAfterS !== null ? error.retryAfterS * 1000 : 0
      const waitMs = Math.min(firstRetryWaitMs * 2 ** retries, maxRetryWaitMs)
      const nextMs = Math.max(waitMs, askedMs) * (1 + random() / 2)
      if (retries >= maxRetries || nowMs() - firstFailureMs + nextMs > retryMs) throw doubtful ?? error
      onRetry(error, nextMs)
      await sleep(nextMs)
    }
  }
}
