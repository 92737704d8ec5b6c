// Sends a file's rows as `tidemark push` does: in bounded batches, each retried under one idempotency key until it is acknowledged.
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { halvesOf, type PushBatch } from '../../../../src/client/push-batch.ts'
import { withRetries } from '../../../../src/client/retries.ts'
import { ConnectionError } from '../../../../src/client/service-error.ts'
import { batchesOf } from '../../../../src/file-push/batches.ts'
import { acknowledgedUpTo, type Counted, failureSentences } from '../../../../src/file-push/failure.ts'
import { type PushOutcome, ReceiptFollower } from '../../../../src/file-push/receipt-follower.ts'
import type { RowTarget } from '../../../../src/file-push/row-target.ts'
import type { PushedRows } from '../../../../src/file-push/rows.ts'
import { sendBatches } from '../../../../src/file-push/send.ts'
import { markUnreachable, reconnects } from '../../shell/reach.ts'

const rowsMax = 10_000
const bytesMax = 4 * 1024 * 1024
const retryMs = 120_000
const stalledMsMax = 60_000
/** The most faults and batches of a push that are shown. */
export const errorsMax = 10

export interface Sending {
  readonly alias: string
  readonly rows: PushedRows
  /** The way in which the rows are pushed. */
  readonly target: RowTarget
  /** The same for all attempts of one file, so that batches sent without a response are stored once. */
  readonly id: string
  /** The number of rows at the beginning that are on disk already. */
  readonly skipRows: number
  readonly client: TidemarkClient
  /** Aborted when the page is left: everything ends, including the client's requests. */
  readonly leave: AbortSignal
  /** Aborted to stop: no further batch is sent, and retries end. */
  readonly stop: AbortSignal
  onAccepted(rows: number): void
  /** Called with the reason for waiting, or null when it continues. */
  onWait(reason: string | null): void
}

export interface SentFile extends PushOutcome {
  readonly acknowledged: number
  /** Empty if everything succeeded. */
  readonly failures: readonly string[]
  /** Whether rows or lines are counted. */
  readonly noun: Counted
  /** The number of rows, or lines, at the beginning that are on disk. */
  readonly upTo: number
}

/** Resolves after the time or when the service is back; rejects with the signal's reason. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', stopped)
      settle()
    }
    const stopped = (): void => end(() => reject(signal.reason))
    const timer = setTimeout(() => end(resolve), ms)
    const unwatch = reconnects.watch(() => end(resolve))
    signal.addEventListener('abort', stopped)
    if (signal.aborted) stopped()
  })
}

async function* untilStopped(batches: AsyncGenerator<PushBatch>, signal: AbortSignal): AsyncGenerator<PushBatch> {
  for await (const batch of batches) {
    if (signal.aborted) return
    yield batch
  }
}

function pusher({ target, id, stop, onWait }: Sending) {
  const onRetry = (error: Error, waitMs: number): void => {
    if (error instanceof ConnectionError) markUnreachable()
    onWait(`${error.message} Retrying within ${Math.ceil(waitMs / 1000)} s.`)
  }
  const sleep = (ms: number): Promise<void> => pause(ms, stop)
  return async (batch: PushBatch) => {
    return withRetries(() => target.push(batch, `${id}-${batch.firstRow}`), {
      nowMs: () => performance.now(),
      sleep,
      retryMs,
      onRetry,
    })
  }
}

function followerOf({ alias, client, leave }: Sending): ReceiptFollower {
  const nowMs = (): number => performance.now()
  const sleep = (ms: number): Promise<void> => pause(ms, leave)
  const retries = { nowMs, sleep, retryMs, onRetry: () => undefined }
  const receipt = (batch: string) => withRetries(() => client.receipt(alias, batch), retries)
  return new ReceiptFollower({ receipt, nowMs, sleep, stalledMsMax: stalledMsMax, errorsMax })
}

/** Resolves when all acknowledged rows are validated. Batches are sent one at a time, in file order. */
export async function sendFile(sending: Sending): Promise<SentFile> {
  const { rows, target, skipRows, stop, onAccepted, onWait } = sending
  const { format, rowsOf, noun } = target
  const follower = followerOf(sending)
  const outcome = follower.run()
  outcome.catch(() => undefined)
  const batches = batchesOf(rows, { rowsMax, rowsOf, bytesMax, format, skipRows })
  const result = await sendBatches(untilStopped(batches, stop), {
    concurrency: 1,
    push: pusher(sending),
    halves: (batch) => halvesOf(batch, format),
    onAccepted: (sent, { batch }) => {
      const lines = target.linesOf(sent)
      const count = lines?.rows ?? sent.rows
      follower.add({ batch, firstRow: sent.firstRow, rows: count, lines })
      onWait(null)
      onAccepted(count)
    },
  })
  follower.close()
  return {
    ...(await outcome),
    acknowledged: result.acknowledgedRows,
    failures: stop.aborted ? [] : failureSentences(result, noun),
    noun,
    upTo: acknowledgedUpTo(result, skipRows) ?? skipRows,
  }
}
