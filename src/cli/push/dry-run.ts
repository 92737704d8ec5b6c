import { batchesOf, halvesOf } from '../../file-push/batches.ts'
import { failureSentences } from '../../file-push/failure.ts'
import { Rejections } from '../../file-push/rejections.ts'
import type { PushedRows } from '../../file-push/rows.ts'
import { pushFormatOf } from '../../file-push/rows.ts'
import { sendBatches, withRetries } from '../../file-push/send.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import { printable } from '../../lib/text-table.ts'
import { printJson } from '../output.ts'
import type { PushJob } from './push-job.ts'
import { formatCount, rejectionLines } from './report.ts'

/** By default so many rows are taken in one check; where the service takes fewer, a check is parted. */
const checkRows = 1000
const retryMs = 120_000
const errorsMax = 10

/** Asks the service what would become of the rows, piece by piece up to the end of the file. Nothing is stored. Resolves with the exit code. */
export async function dryRun(job: PushJob, rows: PushedRows): Promise<number> {
  const { context, client, ingest, options, source } = job
  const { nowMs, sleep } = context
  const progress = new ProgressBar({ output: context.stderr, nowMs, total: source.totalBytes })
  const onRetry = (error: Error, waitMs: number): void => {
    progress.note(`${printable(error.message)} Trying again in ${(waitMs / 1000).toFixed(1)} s.`)
  }
  const format = pushFormatOf(source.format)
  const rejections = new Rejections(errorsMax)
  const total = { checked: 0, stored: 0, rejected: 0 }
  const { batchBytes: bytesMax, skipRows, concurrency } = options
  const rowsMax = Math.min(options.batchRows, checkRows)
  const result = await sendBatches(batchesOf(rows, { rowsMax, bytesMax, format, skipRows }), {
    concurrency,
    push: ({ body }) => withRetries(() => client.check(ingest, body, format), { nowMs, sleep, retryMs, onRetry }),
    halves: (batch) => halvesOf(batch, format),
    onAccepted: (batch, answer) => {
      rejections.add(batch.firstRow, answer.errors)
      total.checked += answer.rows
      total.stored += answer.stored
      total.rejected += answer.rejected
      progress.update(source.readBytes(), () => `${formatCount(total.checked)} rows`)
    },
  })
  progress.clear()
  const { errors, kinds } = rejections
  if (options.json) printJson(context, { ...total, errors, kinds })
  else context.stdout.write(dryRunText({ ...total, errors, kinds }))
  const failures = failureSentences(result)
  for (const line of failures) context.stderr.write(`tidemark: ${printable(line)}\n`)
  if (failures.length > 0) return 1
  return total.rejected > 0 ? 2 : 0
}

function dryRunText(
  report: Parameters<typeof rejectionLines>[0] & { readonly checked: number; readonly stored: number },
) {
  const counts = [
    ['checked', report.checked],
    ['would be stored', report.stored],
    ['would be rejected', report.rejected],
  ] as const
  const width = Math.max(...counts.map(([, count]) => formatCount(count).length))
  const table = counts.map(([name, count]) => `${name.padEnd(17)}  ${formatCount(count).padStart(width)}\n`).join('')
  const lines = [...rejectionLines(report), 'Nothing was stored.']
  return `${table}${lines.map((line) => `${printable(line)}\n`).join('')}`
}
