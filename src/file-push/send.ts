import type { Accepted } from '../client/answers.ts'
import { ConnectionError, ServiceError } from '../client/service-error.ts'
import type { PushBatch } from './batches.ts'

export interface RetryOptions {
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How long one batch is tried again before its failure counts. */
  readonly retryMs: number
  readonly onRetry: (error: Error, waitMs: number) => void
}

const firstWaitMs = 250
const longestWaitMs = 10_000

/** What stands between here and the service answers so when the service does not. */
const gatewayStatuses = [502, 503, 504]

/** Whether the same request may go better later. */
function mayTryAgain(error: unknown): error is ServiceError | ConnectionError {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ServiceError)) return false
  return error.retryable || (error.code === 'unknown' && gatewayStatuses.includes(error.status))
}

/**
 * Tries again after an answer that says so, and when no answer came. What is tried must be safe to be done twice: a push has an idempotency
 * key that stays the same.
 */
export async function withRetries<Answer>(attempt: () => Promise<Answer>, options: RetryOptions): Promise<Answer> {
  const startMs = options.nowMs()
  // An attempt whose outcome nobody knows says more than a later one that never arrived.
  let doubtful: Error | null = null
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayTryAgain(error)) throw error
      if (error instanceof ConnectionError && error.sent) doubtful = error
      const askedMs = error instanceof ServiceError && error.retryAfterS !== null ? error.retryAfterS * 1000 : 0
      const nextMs = Math.max(waitMs, askedMs)
      if (options.nowMs() - startMs + nextMs > options.retryMs) throw doubtful ?? error
      options.onRetry(error, nextMs)
      await options.sleep(nextMs)
    }
  }
}

/** Nothing of the push was stored, and fewer rows may be taken. */
function isTooMuch(error: unknown): boolean {
  return error instanceof ServiceError && ['too_many_rows', 'body_too_large'].includes(error.code)
}

/** A batch that was not acknowledged. */
export interface FailedBatch {
  readonly firstRow: number
  readonly lastRow: number
  readonly error: unknown
}

export interface SendResult {
  /** Rows that are on disk, by the service's word. */
  readonly acknowledgedRows: number
  readonly failed: readonly FailedBatch[]
  /** Where reading the input ended early: nothing after the batches so far was sent. */
  readonly readError: unknown
  /** The last row that was sent, acknowledged or not. */
  readonly lastRow: number
}

export interface SendOptions<Sent extends PushBatch, Answer> {
  readonly concurrency: number
  readonly push: (batch: Sent) => Promise<Answer>
  /** Parts a batch of several rows that has more rows or bytes than the service takes at once. */
  readonly halves: (batch: Sent) => readonly Sent[]
  readonly onAccepted: (batch: Sent, answer: Answer) => void
  /** A batch was not acknowledged, and is not sent in halves. */
  readonly onFailed?: () => void
}

/** Keeps up to `concurrency` pushes in flight. After a failure no further one begins, and those in flight come to their end. */
export async function sendBatches<Sent extends PushBatch, Answer = Accepted>(
  batches: AsyncGenerator<Sent>,
  options: SendOptions<Sent, Answer>,
): Promise<SendResult> {
  const failed: FailedBatch[] = []
  let acknowledgedRows = 0
  let lastRow = 0
  let readError: unknown
  const sendOne = async (batch: Sent): Promise<void> => {
    const end = batch.firstRow + batch.rows - 1
    lastRow = Math.max(lastRow, end)
    try {
      const answer = await options.push(batch)
      acknowledgedRows += batch.rows
      options.onAccepted(batch, answer)
    } catch (error) {
      if (batch.rows > 1 && isTooMuch(error)) for (const half of options.halves(batch)) await sendOne(half)
      else {
        failed.push({ firstRow: batch.firstRow, lastRow: end, error })
        options.onFailed?.()
      }
    }
  }
  const lane = async (): Promise<void> => {
    while (failed.length === 0 && readError === undefined) {
      const next = await batches.next().catch((error: unknown) => {
        readError = error
        return null
      })
      if (next === null || next.done) return
      // Another lane may have failed while this one was reading.
      if (failed.length > 0) return
      await sendOne(next.value)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, lane))
  await batches.return(undefined)
  failed.sort((a, b) => a.firstRow - b.firstRow)
  return { acknowledgedRows, failed, readError, lastRow }
}
