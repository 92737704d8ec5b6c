import { halvesOf } from '../../client/push-batch.ts'
import { withRetries } from '../../client/retries.ts'
import { batchesOf } from '../../file-push/batches.ts'
import { failureSentences } from '../../file-push/failure.ts'
import { Rejections } from '../../file-push/rejections.ts'
import type { PushedRows } from '../../file-push/rows.ts'
import { sendBatches } from '../../file-push/send.ts'
import type { CsvError } from '../../lib/csv-parser.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import { printable } from '../../lib/text-table.ts'
import { inCommands } from '../in-commands.ts'
import { printJson, printNote } from '../output.ts'
import type { PushJob } from './push-job.ts'
import { choiceHint, csvHints, formatCount, misreadLines, nameLines, oldLines, rejectionLines } from './report.ts'

/** The most rows per check by default; a check is split if the service accepts fewer. */
const checkRows = 1000
const errorsMax = 10

/** Has the service validate all rows of the file, batch by batch, without storing them. Resolves with the exit code. */
export async function dryRun(job: PushJob, rows: PushedRows, unreadable: UnreadableRows): Promise<number> {
  const { context, options, source, target, retryMs } = job
  const { nowMs, sleep } = context
  const progress = new ProgressBar({ output: context.stderr, nowMs, total: source.totalBytes })
  const onRetry = (error: Error, waitMs: number): void => {
    progress.note(`${printable(inCommands(error.message))} Trying again in ${(waitMs / 1000).toFixed(1)} s.`)
  }
  const { format, rowsOf, oldRows, noun } = target
  const rejections = new Rejections(errorsMax)
  const total = { checked: 0, stored: 0, rejected: 0 }
  const { batchBytes: bytesMax, skipRows, concurrency } = options
  const rowsMax = Math.min(options.batchRows, checkRows)
  const result = await sendBatches(batchesOf(rows, { rowsMax, rowsOf, bytesMax, format, skipRows }), {
    concurrency,
    push: (batch) => withRetries(() => target.check(batch), { nowMs, sleep, retryMs, onRetry }),
    halves: (batch) => halvesOf(batch, format),
    onAccepted: (batch, answer) => {
      oldRows.add(batch.texts)
      const left = unreadable.take(batch.firstRow, batch.rows)
      rejections.add(
        batch.firstRow,
        answer.errors.filter(({ index }) => !left.has(batch.firstRow + index)),
        target.linesOf(batch),
      )
      total.checked += answer.rows
      total.stored += answer.stored
      total.rejected += answer.rejected - left.size
      progress.update(source.readBytes(), () => `${formatCount(total.checked)} rows`)
    },
  })
  progress.end()
  const { errors, kinds } = rejections
  const report = { ...total, unreadable: unreadable.count, older_than_kept: oldRows.count, errors, kinds }
  if (options.json) {
    printJson(context, { ...report, unreadable_lines: unreadable.errors.map(({ message }) => message) })
    for (const line of misreadLines(job)) printNote(context, line)
  } else context.stdout.write(dryRunText(report, unreadable, job))
  const failures = failureSentences(result, noun, job.lineOf, 'checked')
  for (const line of failures) printNote(context, line)
  if (failures.length > 0 || unreadable.count > 0) return 1
  return total.rejected > 0 ? 2 : 0
}

type DryRunReport = Parameters<typeof rejectionLines>[0] & {
  readonly checked: number
  readonly stored: number
  readonly unreadable: number
}

function dryRunText(report: DryRunReport, unreadable: UnreadableRows, job: PushJob): string {
  const { source, target, ingest, options } = job
  const counts: [string, number][] = [
    ['checked', report.checked],
    ['would be stored', report.stored],
    ['would be rejected', report.rejected],
  ]
  if (unreadable.count > 0) counts.push(['cannot be read', unreadable.count])
  const width = Math.max(...counts.map(([, count]) => formatCount(count).length))
  const table = counts.map(([name, count]) => `${name.padEnd(17)}  ${formatCount(count).padStart(width)}\n`).join('')
  const hints = [
    ...oldLines(target.oldRows, ingest),
    ...(source.format === 'csv' ? csvHints(report, options) : nameLines(report, job, undefined)),
    ...misreadLines(job),
  ]
  const lines = [
    ...rejectionLines(report, target.noun),
    ...hints,
    ...unreadableLines(unreadable),
    'Nothing was stored.',
  ]
  return `${table}${lines.map((line) => `${printable(line)}\n`).join('')}`
}

/** The lines that would end a push. */
function unreadableLines({ count, errors }: UnreadableRows): readonly string[] {
  if (count === 0) return []
  const more = count > errors.length ? [`... and ${formatCount(count - errors.length)} more that cannot be read`] : []
  const first = errors.map(({ message }) => message)
  const hint = errors.map(choiceHint).find((line) => line !== null)
  return [...first, ...more, 'A push ends at the first line that cannot be read.', ...(hint ? [hint] : [])]
}

/** Unreadable rows of a CSV file, the first of which ends a push. A dry run checks `null` in their place. */
export class UnreadableRows {
  readonly #errorsMax: number
  readonly #errors: CsvError[] = []
  readonly #places = new Set<number>()
  #count = 0

  constructor(errorsMax: number) {
    this.#errorsMax = errorsMax
  }

  get count(): number {
    return this.#count
  }

  /** The first errors, in file order. */
  get errors(): readonly CsvError[] {
    return this.#errors
  }

  /** `row` is its number in the file, from 1. */
  add(row: number, error: CsvError): void {
    this.#count++
    this.#places.add(row)
    if (this.#errors.length < this.#errorsMax) this.#errors.push(error)
  }

  /** Removes and returns the unreadable rows within a range of the file. */
  take(firstRow: number, rows: number): ReadonlySet<number> {
    const taken = new Set<number>()
    if (this.#places.size === 0) return taken
    for (let row = firstRow; row < firstRow + rows; row++) if (this.#places.delete(row)) taken.add(row)
    return taken
  }
}
