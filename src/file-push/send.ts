import type { Accepted } from '../client/answers.ts'
import { isTooMuch, type PushBatch } from '../client/push-batch.ts'

/** A batch that was not acknowledged. */
export interface FailedBatch {
  readonly firstRow: number
  readonly lastRow: number
  readonly error: unknown
}

export interface SendResult {
  /** Rows that the service confirmed to be on disk. */
  readonly acknowledgedRows: number
  readonly failed: readonly FailedBatch[]
  /** Set if reading the input failed: nothing after the batches so far was sent. */
  readonly readError: unknown
  /** The last row that was sent, acknowledged or not. */
  readonly lastRow: number
}

export interface SendOptions<Sent extends PushBatch, Answer> {
  readonly concurrency: number
  readonly push: (batch: Sent) => Promise<Answer>
  /** Splits a batch of several rows that has more rows or bytes than the service accepts at once. */
  readonly halves: (batch: Sent) => readonly Sent[]
  readonly onAccepted: (batch: Sent, answer: Answer) => void
  /** A batch was not acknowledged, and is not retried in halves. */
  readonly onFailed?: () => void
}

/** Keeps up to `concurrency` pushes in flight. After a failure no further push begins, and those in flight are completed. */
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
  const partition = async (): Promise<void> => {
    while (failed.length === 0 && readError === undefined) {
      const next = await batches.next().catch((error: unknown) => {
        readError = error
        return null
      })
      if (next === null || next.done) return
      // Another worker may have failed while this one was reading.
      if (failed.length > 0) return
      await sendOne(next.value)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, partition))
  await batches.return(undefined)
  failed.sort((a, b) => a.firstRow - b.firstRow)
  return { acknowledgedRows, failed, readError, lastRow }
}
