import type { TidemarkClient } from '../../client/client.ts'
import type { PushBatch } from '../../client/push-batch.ts'
import { withRetries } from '../../client/retries.ts'
import { ServiceError } from '../../client/service-error.ts'
import type { PushFormat } from '../../client/transport.ts'
import { type PushOutcome, ReceiptFollower } from '../../file-push/receipt-follower.ts'
import { sendBatches } from '../../file-push/send.ts'
import type { ProgressBar } from '../../lib/progress-bar.ts'
import { printable } from '../../lib/text-table.ts'
import { CommandError } from '../command-error.ts'
import type { CliContext } from '../context.ts'
import { formatCount } from '../push/report.ts'

/** Both ends of a copy, and its options. */
export interface CopyJob {
  readonly context: CliContext
  readonly source: TidemarkClient
  readonly target: TidemarkClient
  readonly concurrency: number
}

export interface Sent extends PushOutcome {
  readonly copied: number
}

interface SendingOptions<Piece extends PushBatch> {
  readonly ingest: string
  readonly format: PushFormat
  readonly keyOf: (piece: Piece) => string
  readonly halves: (piece: Piece) => readonly Piece[]
  readonly progress: ProgressBar
}

const retryMs = 120_000
const stalledMsMax = 60_000
const errorsMax = 10

/** Repeats an idempotent operation until it succeeds, and prints a note whenever it has to wait. */
export function withNotedRetries<Answer>({ context }: CopyJob, progress: ProgressBar, attempt: () => Promise<Answer>) {
  const { nowMs, sleep } = context
  const onRetry = (error: Error, waitMs: number): void => {
    progress.note(`${printable(error.message)} Trying again in ${(waitMs / 1000).toFixed(1)} s.`)
  }
  return withRetries(attempt, { nowMs, sleep, retryMs, onRetry })
}

/** Pushes pieces and follows their receipts. Throws the first failure after no push is in flight. */
export async function sendAll<Piece extends PushBatch>(
  job: CopyJob,
  pieces: AsyncGenerator<Piece>,
  { ingest, format, keyOf, halves, progress }: SendingOptions<Piece>,
): Promise<Sent> {
  const { nowMs, sleep } = job.context
  const startMs = nowMs()
  const receipt = (batch: string) => withNotedRetries(job, progress, () => job.target.receipt(ingest, batch))
  const follower = new ReceiptFollower({ receipt, nowMs, sleep, stalledMsMax: stalledMsMax, errorsMax })
  const outcome = follower.run()
  // Awaited below; until then a failure must not end the process.
  outcome.catch(() => {})
  let copied = 0
  const result = await sendBatches(pieces, {
    concurrency: job.concurrency,
    halves,
    push: (piece) => {
      const idempotencyKey = keyOf(piece)
      return withNotedRetries(job, progress, () => job.target.push(ingest, piece.body, { format, idempotencyKey }))
    },
    onAccepted: ({ firstRow, rows }, { batch }) => {
      follower.add({ batch, firstRow, rows })
      copied += rows
      const rate = (copied * 1000) / Math.max(1, nowMs() - startMs)
      progress.update(copied, () => `${ingest}: ${formatCount(copied)} rows, ${formatCount(rate)} rows/s`)
    },
  })
  progress.end()
  follower.close()
  const failure = result.failed[0]?.error ?? result.readError
  if (failure !== undefined) throw failureOf(failure, ingest)
  return { copied, ...(await outcome) }
}

function failureOf(error: unknown, ingest: string): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'idempotency_key_reused') return error
  return new CommandError(
    `An earlier copy of the last 24 hours pushed other rows to ${ingest} at the same place: the source has changed since. ` +
      'Nothing was stored twice. Copy the days that follow with --from; or delete the entity at the target ' +
      `("tidemark ingests delete ${ingest} --drop-data") and copy all of it again.`,
  )
}
