import { ConnectionError, ServiceError } from './service-error.ts'

export interface RetryOptions {
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How long a request is retried before its failure counts, from the first failure on. */
  readonly retryMs: number
  /** The most retries; by default only `retryMs` limits them. */
  readonly maxRetries?: number | undefined
  /** The first wait; each further wait is twice as long, up to `maxRetryWaitMs`. Default 250. */
  readonly firstRetryWaitMs?: number | undefined
  /** The longest wait, unless the service requests a longer one. Default 10,000. */
  readonly maxRetryWaitMs?: number | undefined
  readonly onRetry: (error: Error, waitMs: number) => void
  /** Returns 0 to 1: lengthens waits by up to half, so that many clients of one service do not return at once. By default waits are exact. */
  readonly random?: (() => number) | undefined
  /** Whether the same request may succeed later. Default: `isRetryableError`. */
  readonly isRetryable?: ((error: unknown) => boolean) | undefined
}

export const defaultWaits = { firstRetryWaitMs: 250, maxRetryWaitMs: 10_000 }

/** Statuses with which a gateway responds when the service does not, or when there are too many requests. */
const gatewayStatuses = [429, 502, 503, 504]

/** There was no response, or one that says that the same request may succeed later. */
export function isRetryableError(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ServiceError)) return false
  return error.retryable || (error.code === 'unknown' && gatewayStatuses.includes(error.status))
}

/** The outcome of the request is unknown: its response was lost, or came from a gateway that may have forwarded the request. */
export function isDoubtful(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.sent
  if (!(error instanceof ServiceError) || error.code !== 'unknown') return false
  return error.status === 502 || error.status === 504 || (error.status >= 200 && error.status < 300)
}

/**
 * Retries after a response that allows it, and without a response. The request must be idempotent: a push keeps its idempotency key.
 */
export async function withRetries<Answer>(attempt: () => Promise<Answer>, options: RetryOptions): Promise<Answer> {
  const { nowMs, sleep, retryMs, onRetry, random = () => 0, isRetryable = isRetryableError } = options
  const { maxRetries = Number.POSITIVE_INFINITY } = options
  const { firstRetryWaitMs = defaultWaits.firstRetryWaitMs, maxRetryWaitMs = defaultWaits.maxRetryWaitMs } = options
  let firstFailureMs: number | null = null
  // An attempt with an unknown outcome is more informative than a later one that never arrived.
  let doubtful: Error | null = null
  for (let retries = 0; ; retries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Error) || !isRetryable(error)) throw error
      if (isDoubtful(error)) doubtful = error
      // Counts from the first failure, not from the start: a dead connection is detected only minutes later, and a new one may work.
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
