import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import type { TidemarkClient } from '../client/client.ts'
import { halvesOf, type PushBatch } from '../client/push-batch.ts'
import { isRetryableError, withRetries } from '../client/retries.ts'
import { ConnectionError } from '../client/service-error.ts'
import { batchesOf } from '../file-push/batches.ts'
import { fileFormats } from '../file-push/file-name.ts'
import { FirstLineTime } from '../file-push/first-line-time.ts'
import { FirstRows } from '../file-push/first-rows.ts'
import { type KnownIngest, knownIngest, nothingKnown } from '../file-push/known-ingest.ts'
import { type PushOutcome, ReceiptFollower } from '../file-push/receipt-follower.ts'
import { rowTargetOf } from '../file-push/row-target.ts'
import { FileLines, jsonRows, ndjsonRows, type PushedRows, protocolLines } from '../file-push/rows.ts'
import { type SendResult, sendBatches } from '../file-push/send.ts'
import { type StopAfterOptions, type StopReason, stopAfter } from '../file-push/stop-after.ts'
import { messageOf } from '../lib/message-of.ts'
import { ProgressBar } from '../lib/progress-bar.ts'
import { printable } from '../lib/text-table.ts'
import { linePrecisions } from '../model/line-format.ts'
import { CommandError, UsageError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { inCommands } from './in-commands.ts'
import { parseCount, parseOffset, wholeNumber } from './option-values.ts'
import { printJson, printNote, unreachableText } from './output.ts'
import { addCsvOptions, otherWords, refuseCsvOptions } from './push/csv-options.ts'
import { type CsvPush, csvRows, refuseCompactDates } from './push/csv-rows.ts'
import { dryRun, UnreadableRows } from './push/dry-run.ts'
import type { FilePushOptions, PushJob } from './push/push-job.ts'
import { failureReport, formatCount, misreadLines, reportText, stoppedText, unknownOutcomeText } from './push/report.ts'
import { openSource, type RowsSource } from './push/source.ts'
import { retrySecondsMax, whenReachable } from './push/when-reachable.ts'

const stalledMsMax = 60_000
const errorsMax = 10

const examples = `
Files may be gzip, in UTF-8. A CSV file has a header; each column becomes a property. Cells become numbers, booleans or
text by the ingest's fields; an empty cell is null. --convert reads +1.5, .5 and TRUE. Columns without a field in the
ingest are refused before anything is sent, unless you give --as-is. JSON rows and line protocol (.lp) are sent unchanged,
digit for digit. Lines are counted as in an editor, also by --skip-rows.

A pattern of --time-format has the letters y year, M month, d day, H hour (0 to 24), h hour (1 to 12) with a (AM or PM),
m minute, s second, S fraction, X offset (+02:00); MMM or MMMM is a month's English name, yy a year of two digits, and text is in single quotes. A local time that occurs twice (autumn) or never (spring) ends the push, which names both possible
moments; --ambiguous earlier or later chooses for all such times: in autumn both passes of the hour become the same one.
Rows of one tag then share their times. If a file has both passes, write its times with their offset.

Exit codes: 0 all rows are stored; 2 some rows were rejected (they are kept), or would be; 1 failure; 64 wrong usage.
--stop-after reads rejected rows from receipts, after they are on disk: by then up to --concurrency further requests may be
stored. --dry-run validates the whole file and stores nothing; it excludes --stop-after.
With several requests in flight, rows may be stored in a different order than in the file. That matters only for rows with
the same tags and date. --concurrency 1 keeps the order.

Examples:
  tidemark push plant readings.csv --dry-run
  tidemark push plant readings.csv
  tidemark push plant nyc_taxi.csv --map timestamp=D,value=V --set T=@filename
  tidemark push plant export.csv --time-format "dd/MM/yyyy HH:mm" --time-zone Europe/Madrid
  tidemark push plant excel.csv --delimiter ";" --decimal comma --time Datum+Uhrzeit --time-format "dd.MM.yyyy HH:mm"
  tidemark push plant toa5.dat --format csv --header-line 2 --skip-lines 4 --map TIMESTAMP=D,AirTC_Avg=V --drop RECORD --set T=met
  tidemark push hosts telegraf.lp --precision s
  gunzip -c rows.ndjson.gz | tidemark push plant - --format ndjson
`

const parseRetrySeconds = wholeNumber(0, retrySecondsMax)

async function rowsOf(push: CsvPush, unreadable: UnreadableRows | null, lines: FileLines): Promise<PushedRows> {
  const { source } = push
  const onUnreadable = unreadable === null ? undefined : unreadable.add.bind(unreadable)
  if (source.format === 'csv') return ndjsonRows(await csvRows(push, onUnreadable))
  if (source.format === 'lp') return protocolLines(source.bytes)
  return source.format === 'json' ? jsonRows(source.bytes) : ndjsonRows(source.bytes, lines)
}

/** Pushes one batch, with retries under the same key until the service responds. */
function pusher(
  { context, target, retryMs }: PushJob,
  progress: ProgressBar,
): (batch: PushBatch) => Promise<{ readonly batch: string }> {
  const { nowMs, sleep } = context
  // Several requests in flight may fail for the same reason; it is printed once.
  let printed = { message: '', untilMs: 0 }
  const onRetry = (error: Error, waitMs: number): void => {
    if (error.message === printed.message && nowMs() < printed.untilMs) return
    printed = { message: error.message, untilMs: nowMs() + waitMs }
    progress.note(`${printable(inCommands(error.message))} Trying again in ${(waitMs / 1000).toFixed(1)} s.`)
  }
  return (batch) => {
    const idempotencyKey = randomUUID()
    return withRetries(() => target.push(batch, idempotencyKey), { nowMs, sleep, retryMs, onRetry })
  }
}

interface Pushed {
  /** Rows on disk, as counted by the service. */
  readonly received: number
  readonly result: SendResult
  readonly outcome: PushOutcome
  /** Why `--stop-after` ended the push before the end of the file; null if it did not. */
  readonly stopReason: StopReason | null
  /** Why the outcome of some rows is unknown; undefined if all receipts could be read. */
  readonly receiptError: unknown
}

async function pushRows(job: PushJob, rows: PushedRows): Promise<Pushed> {
  const { context, options, source, target, retryMs } = job
  const { nowMs, sleep } = context
  const startMs = nowMs()
  const progress = new ProgressBar({ output: context.stderr, nowMs, total: source.totalBytes })
  const retries = { nowMs, sleep, retryMs, onRetry: () => {} }
  const follower = new ReceiptFollower({
    receipt: (batch) => withRetries(() => job.receipt(batch), retries),
    nowMs,
    sleep,
    stalledMsMax: stalledMsMax,
    errorsMax,
  })
  let isOver = false
  // Awaited below; a refused receipt must not hide the outcomes known by then.
  const followed = follower
    .run()
    .then(
      () => undefined,
      (error: unknown) => error,
    )
    .finally(() => {
      isOver = true
    })
  let accepted = 0
  const push = pusher(job, progress)
  const batches = batchesOf(rows, {
    rowsMax: options.batchRows,
    rowsOf: target.rowsOf,
    bytesMax: options.batchBytes,
    format: target.format,
    skipRows: options.skipRows,
  })
  let stopReason: StopReason | null = null
  const stopped = (why: StopReason): void => {
    stopReason = why
  }
  const stop = stopOf(job, { validated: () => follower.validated, isOver: () => isOver, stopped })
  const result = await sendBatches(stop === null ? batches : stopAfter(batches, stop), {
    concurrency: options.concurrency,
    push,
    onFailed: () => {
      isOver = true
    },
    halves: (batch) => halvesOf(batch, target.format),
    onAccepted: (sent, { batch }) => {
      target.oldRows.add(sent.texts)
      const lines = target.linesOf(sent)
      const rows = lines?.rows ?? sent.rows
      follower.add({ batch, firstRow: sent.firstRow, rows, lines })
      accepted += rows
      const rate = (accepted * 1000) / Math.max(1, nowMs() - startMs)
      progress.update(source.readBytes(), () => `${formatCount(accepted)} rows, ${formatCount(rate)} rows/s`)
    },
  })
  progress.end()
  follower.close()
  const receiptError = await followed
  return { received: accepted, result, outcome: follower.outcome, stopReason, receiptError }
}

/** Null if the file is pushed to its end however many rows are rejected. */
function stopOf(
  { context, options }: PushJob,
  printed: Pick<StopAfterOptions, 'validated' | 'isOver' | 'stopped'>,
): StopAfterOptions | null {
  const { stopAfter: rejectedMax, batchRows, concurrency } = options
  if (rejectedMax === undefined) return null
  return { rejectedMax, unvalidatedMax: batchRows * concurrency, sleep: context.sleep, ...printed }
}

function exitCodeOf(failure: string | null, { pending, rejected }: PushOutcome): number {
  if (failure !== null || pending > 0) return 1
  return rejected > 0 ? 2 : 0
}

interface TypedPush extends Pick<CsvPush, 'ingest' | 'path' | 'others'> {
  readonly options: FilePushOptions
}

/** JSON and line protocol can be pushed without the ingest's definition: the push itself reports errors. After a timeout there is no second wait. */
async function targetOf(ask: () => Promise<KnownIngest>, { format }: RowsSource): Promise<KnownIngest> {
  try {
    return await ask()
  } catch (error) {
    if (format === 'csv' || isRetryableError(error)) throw error
    return nothingKnown
  }
}

/** Adds to the error of a push that waited for the service in vain that no row was sent. */
function nothingSent(error: unknown): unknown {
  if (!isRetryableError(error)) return error
  const text = error instanceof ConnectionError && error.unreachable ? unreachableText(error) : messageOf(error)
  return new CommandError(`${text} No row was sent.`, { cause: error })
}

async function runPush(context: CliContext, typed: TypedPush, client: TidemarkClient) {
  const { ingest, path, options } = typed
  if (options.dryRun === true && options.stopAfter !== undefined) {
    throw new UsageError(
      '--dry-run validates the whole file and stores nothing, so --stop-after has no effect. Give one of them.',
    )
  }
  const source = await openSource(path, options.format, context.stdin)
  if (source.format !== 'csv') refuseCsvOptions(options)
  const unreadable = options.dryRun === true ? new UnreadableRows(errorsMax) : null
  if (options.precision !== undefined && source.format !== 'lp')
    throw new UsageError('--precision is the unit of times in line protocol: use it only with --format lp.')
  const retryMs = options.retrySeconds * 1000
  const known = await targetOf(
    () => whenReachable(context, retryMs, (signal) => knownIngest(client, ingest, signal)),
    source,
  ).catch((error: unknown) => {
    throw nothingSent(error)
  })
  const fileLines = new FileLines()
  const csv = { ...typed, known, source }
  const firstRows = new FirstRows()
  const pushed = await rowsOf(csv, unreadable, fileLines)
  const precision = options.precision ?? 'ns'
  const lineTime = source.format === 'lp' ? new FirstLineTime(precision) : null
  const rows = await firstRows.of(lineTime?.of(pushed) ?? pushed)
  if (!options.asIs) refuseCompactDates(csv, firstRows.compactDates(known))
  const lineOf = (row: number): number | null => (source.format === 'ndjson' ? fileLines.lineOf(row) : null)
  const target = rowTargetOf({ client, ingest, known, format: source.format, precision })
  const receipt = (batch: string) => client.receipt(ingest, batch)
  const job = { context, ingest, known, firstRows, lineTime, options, source, target, lineOf, receipt, retryMs }
  if (unreadable !== null) {
    context.exitWith(await dryRun(job, rows, unreadable))
    return
  }
  const startMs = context.nowMs()
  const { received, result, outcome, stopReason, receiptError } = await pushRows(job, rows)
  const report = {
    received,
    ...outcome,
    older_than_kept: target.oldRows.count,
    seconds: (context.nowMs() - startMs) / 1000,
  }
  const failure = failureReport(result, options.skipRows, target.noun, lineOf)
  if (options.json) {
    printJson(context, report)
    for (const line of misreadLines(job)) printNote(context, line)
  } else if (result.acknowledgedRows > 0 || failure === null)
    context.stdout.write(reportText(report, { ...job, csv: source.format === 'csv', ...target }))
  const lines =
    failure?.split('\n') ?? (stopReason === null ? [] : [stoppedText(result, stopReason, options, target.noun)])
  if (receiptError !== undefined) lines.unshift(unknownOutcomeText(outcome, receiptError))
  for (const line of lines) printNote(context, line)
  context.exitWith(exitCodeOf(failure, outcome))
}

/** `tidemark push`: pushes the rows of a file into an ingest. Memory use does not depend on the size of the file. */
export function addPush(program: Command, context: CliContext): void {
  const push = program
    .command('push <ingest> <file>')
    .description('push the rows of a CSV, NDJSON, JSON or line protocol file (- is standard input)')
    .addOption(new Option('--format <format>', 'the format of the file (default: from its name)').choices(fileFormats))
    .addOption(
      new Option('--precision <unit>', 'the unit of the times of line protocol (default: ns)').choices(linePrecisions),
    )
  addCsvOptions(push)
    .option('--batch-rows <count>', 'the most rows in a request', parseCount, 10_000)
    .option('--batch-bytes <count>', 'the most bytes in a request', parseCount, 4 * 1024 * 1024)
    .option('--concurrency <count>', 'how many requests are in flight', parseCount, 4)
    .option('--skip-rows <count>', 'the number of rows to skip at the beginning', parseOffset, 0)
    .option('--dry-run', 'validate the rows in the service, and store nothing')
    .option('--stop-after <count>', 'stop once this many rows are rejected', parseCount)
    .addOption(
      new Option(
        '--retry-seconds <count>',
        'how long to retry a request while the service is unavailable or overloaded; 0: never',
      )
        .argParser(parseRetrySeconds)
        .default(120),
    )
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', examples)
    .action((ingest: string, path: string, options: FilePushOptions, command: Command) =>
      runPush(
        context,
        { ingest, path, options, others: otherWords(command) },
        connect(context, command.optsWithGlobals()),
      ),
    )
}
