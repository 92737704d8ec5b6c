import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import type { Accepted } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { ConnectionError } from '../client/service-error.ts'
import { batchesOf, halvesOf, type PushBatch } from '../file-push/batches.ts'
import { type CsvMapping, csvToNdjson } from '../file-push/csv-rows.ts'
import { type RowFormat, rowFormats } from '../file-push/file-name.ts'
import { propertyTypes } from '../file-push/property-types.ts'
import { type PushOutcome, ReceiptFollower } from '../file-push/receipt-follower.ts'
import { jsonRows, ndjsonRows, type PushedRows, pushFormatOf, rowBytesMax } from '../file-push/rows.ts'
import { type SendResult, sendBatches, withRetries } from '../file-push/send.ts'
import { ProgressBar } from '../lib/progress-bar.ts'
import { printable } from '../lib/text-table.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect } from './context.ts'
import { collectList } from './list-option.ts'
import { parseCount, parseOffset } from './number-option.ts'
import { type JsonOption, printJson } from './output.ts'
import { parseTypes } from './push/parse-types.ts'
import { failureReport, formatCount, reportText } from './push/report.ts'
import { openSource, type RowsSource } from './push/source.ts'

interface PushOptions extends JsonOption {
  readonly format?: RowFormat
  readonly map?: readonly string[]
  readonly set?: readonly string[]
  readonly drop?: readonly string[]
  readonly types?: readonly string[]
  readonly batchRows: number
  readonly batchBytes: number
  readonly concurrency: number
  readonly skipRows: number
}

const retryMs = 120_000
const patienceMs = 60_000
const errorsMax = 10

const examples = `
Files may be gzip. A CSV file has a header; each column becomes a property of its name. Cells become numbers, booleans or
text as the ingest's fields ask; an empty cell is null; "2026-01-01 08:00:00" in a timestamp becomes "2026-01-01T08:00:00".
JSON rows are sent as they are written, digit for digit.

Exit codes: 0 all rows are stored; 2 some rows were rejected (they are kept); 1 something failed; 64 wrong usage.
With several requests in flight, rows may be taken in another order than the file's. That matters only if two rows have
the same tags and date. --concurrency 1 keeps the order.

Examples:
  tidemark push plant readings.csv
  tidemark push plant nyc_taxi.csv --map timestamp=D,value=V --set T=@filename
  gunzip -c rows.ndjson.gz | tidemark push plant - --format ndjson
`

/** `a=b` pairs by what stands before the equals sign. */
export function parsePairs(option: string, pairs: readonly string[] = []): Map<string, string> {
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CommandError(`${option} takes name=value, and not "${pair}".`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function constantsOf(options: PushOptions, source: RowsSource): Map<string, string> {
  const constants = parsePairs('--set', options.set)
  for (const [property, value] of constants) {
    if (value !== '@filename') continue
    if (source.name === null) throw new CommandError('--set with @filename needs a file, and not standard input.')
    constants.set(property, source.name)
  }
  return constants
}

async function mappingOf(
  client: TidemarkClient,
  ingest: string,
  options: PushOptions,
  source: RowsSource,
): Promise<CsvMapping> {
  const given = parseTypes(parsePairs('--types', options.types))
  const known = await propertyTypes(client, ingest)
  return {
    columns: parsePairs('--map', options.map),
    constants: constantsOf(options, source),
    dropped: new Set(options.drop),
    typeOf: (property) => given.get(property) ?? known.get(property) ?? 'guess',
  }
}

async function rowsOf(
  client: TidemarkClient,
  ingest: string,
  options: PushOptions,
  source: RowsSource,
): Promise<PushedRows> {
  if (source.format === 'csv') {
    const mapping = await mappingOf(client, ingest, options, source)
    return ndjsonRows(csvToNdjson(source.bytes, mapping, { recordCharsMax: rowBytesMax }))
  }
  const csvOnly = [options.map, options.set, options.drop, options.types].some((option) => option !== undefined)
  if (csvOnly) throw new CommandError('--map, --set, --drop and --types are for CSV: JSON rows go as they are.')
  return source.format === 'json' ? jsonRows(source.bytes) : ndjsonRows(source.bytes)
}

interface Job {
  readonly context: CliContext
  readonly client: TidemarkClient
  readonly ingest: string
  readonly options: PushOptions
  readonly source: RowsSource
}

/** Pushes one batch, again under the same key until its answer came. A service that was never reached is not waited for. */
function pusher(
  { context, client, ingest, source }: Job,
  progress: ProgressBar,
): (batch: PushBatch) => Promise<Accepted> {
  const format = pushFormatOf(source.format)
  let reached = false
  const attempt = async (batch: PushBatch, idempotencyKey: string) => {
    try {
      const answer = await client.push(ingest, batch.body, { format, idempotencyKey })
      reached = true
      return answer
    } catch (error) {
      const unreached = error instanceof ConnectionError && !error.sent && !reached
      throw unreached ? new CommandError(error.message, { cause: error }) : error
    }
  }
  const onRetry = (error: Error, waitMs: number): void => {
    progress.note(`${printable(error.message)} Trying again in ${(waitMs / 1000).toFixed(1)} s.`)
  }
  const { nowMs, sleep } = context
  return (batch) => {
    const idempotencyKey = randomUUID()
    return withRetries(() => attempt(batch, idempotencyKey), { nowMs, sleep, retryMs, onRetry })
  }
}

async function pushRows(job: Job, rows: PushedRows): Promise<{ result: SendResult; outcome: PushOutcome }> {
  const { context, client, ingest, options, source } = job
  const { nowMs, sleep } = context
  const startMs = nowMs()
  const progress = new ProgressBar({ output: context.stderr, nowMs, total: source.totalBytes })
  const retries = { nowMs, sleep, retryMs, onRetry: () => {} }
  const follower = new ReceiptFollower({
    receipt: (batch) => withRetries(() => client.receipt(ingest, batch), retries),
    nowMs,
    sleep,
    patienceMs,
    errorsMax,
  })
  const outcome = follower.run()
  // Awaited below; until then a failure must not end the process.
  outcome.catch(() => {})
  let accepted = 0
  const result = await sendBatches(
    batchesOf(rows, {
      rowsMax: options.batchRows,
      bytesMax: options.batchBytes,
      format: pushFormatOf(source.format),
      skipRows: options.skipRows,
    }),
    {
      concurrency: options.concurrency,
      push: pusher(job, progress),
      halves: (batch) => halvesOf(batch, pushFormatOf(source.format)),
      onAccepted: ({ firstRow, rows: count }, { batch }) => {
        follower.add({ batch, firstRow, rows: count })
        accepted += count
        const rate = (accepted * 1000) / Math.max(1, nowMs() - startMs)
        progress.update(source.readBytes(), () => `${formatCount(accepted)} rows, ${formatCount(rate)} rows/s`)
      },
    },
  )
  progress.clear()
  follower.close()
  return { result, outcome: await outcome }
}

function exitCodeOf(failure: string | null, { pending, rejected }: PushOutcome): number {
  if (failure !== null || pending > 0) return 1
  return rejected > 0 ? 2 : 0
}

async function runPush(
  context: CliContext,
  ingest: string,
  path: string,
  options: PushOptions,
  client: TidemarkClient,
) {
  const source = await openSource(path, options.format, context.stdin)
  const rows = await rowsOf(client, ingest, options, source)
  const startMs = context.nowMs()
  const { result, outcome } = await pushRows({ context, client, ingest, options, source }, rows)
  const report = { received: result.acknowledgedRows, ...outcome, seconds: (context.nowMs() - startMs) / 1000 }
  if (options.json) printJson(context, report)
  else context.stdout.write(reportText(report, ingest))
  const failure = failureReport(result, options.skipRows)
  for (const line of failure?.split('\n') ?? []) context.stderr.write(`tidemark: ${printable(line)}\n`)
  context.exitWith(exitCodeOf(failure, outcome))
}

/** `tidemark push`: the rows of a file into an ingest, in memory that does not grow with the file. */
export function addPush(program: Command, context: CliContext): void {
  program
    .command('push <ingest> <file>')
    .description('push the rows of a CSV, NDJSON or JSON file (- is standard input)')
    .addOption(
      new Option('--format <format>', "what the file holds (default: by the name's ending)").choices(rowFormats),
    )
    .option('--map <pairs>', 'CSV: column=property, separated by commas', collectList)
    .option('--set <pairs>', 'CSV: property=value for every row; @filename is the name of the file', collectList)
    .option('--drop <columns>', 'CSV: columns to leave out, separated by commas', collectList)
    .option('--types <pairs>', "CSV: property=type, instead of asking for the ingest's definition", collectList)
    .option('--batch-rows <count>', 'the most rows in a request', parseCount, 10_000)
    .option('--batch-bytes <count>', 'the most bytes in a request', parseCount, 4 * 1024 * 1024)
    .option('--concurrency <count>', 'how many requests are in flight', parseCount, 4)
    .option('--skip-rows <count>', 'rows at the beginning to leave out', parseOffset, 0)
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', examples)
    .action((ingest: string, path: string, options: PushOptions, command: Command) =>
      runPush(context, ingest, path, options, connect(context, command.optsWithGlobals())),
    )
}
