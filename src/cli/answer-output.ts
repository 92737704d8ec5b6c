import { extname } from 'node:path'
import type { Command } from 'commander'
import { jsonMembers } from '../lib/json-members.ts'
import { JsonRows } from '../lib/json-rows.ts'
import { ProgressBar } from '../lib/progress-bar.ts'
import { textTable } from '../lib/text-table.ts'
import { type AnswerFormat, answerFormats } from '../model/answer-format.ts'
import { writeAnswerFile } from './answer-file.ts'
import { UsageError } from './command-error.ts'
import { type CliContext, writeAll } from './context.ts'
import { parseWord } from './option-values.ts'
import type { JsonOption } from './output.ts'
import { formatCount } from './push/report.ts'

/** The format and the destination of the rows of a response. */
export interface AnswerOptions extends JsonOption {
  readonly format?: AnswerFormat
  readonly output?: string
}

const formatNames = answerFormats.map(({ name }) => name)
const endings = formatNames.map((name) => `.${name}`).join(', ')

/** Adds `--format`, `--output` and `--json`, for every command that returns rows. */
export function withFormats(command: Command): Command {
  return command
    .option('--format <format>', `${formatNames.join(', ')}, written as it arrives, instead of a table`, (text) =>
      parseWord(formatNames, text, 'format'),
    )
    .option(
      '--output <file>',
      `write the answer to this file, which is created once the answer is complete. Its ending selects the format: ${endings} (another: csv). - is standard output`,
    )
    .option('--json', 'the same as --format json')
}

/** The format to request from the service. Throws `UsageError` if the options contradict each other. */
function askedFormat({ stdout }: CliContext, { format, output, json }: AnswerOptions): AnswerFormat {
  if (json && format !== undefined && format !== 'json') {
    throw new UsageError(`--json and --format ${format} exclude each other. Give one of them.`)
  }
  const given = format ?? (json ? 'json' : undefined)
  const named = output === undefined ? 'json' : (formatOfEnding(output, given) ?? 'csv')
  const asked = given ?? named
  if (asked === 'arrow' && (output === undefined || isStandardOutput({ output })) && stdout.isTTY) {
    throw new UsageError(
      'An Arrow stream is not text for a terminal. Give --output <file>, or pipe it to another program.',
    )
  }
  return asked
}

// File name extensions and the formats they stand for.
const inOtherWords: ReadonlyMap<string, AnswerFormat> = new Map([
  ['jsonl', 'ndjson'],
  ['arrows', 'arrow'],
])

/** Extensions of unsupported formats, and what to do instead. */
const otherFormats: readonly (readonly [endings: string, way: string])[] = [
  ['xlsx xlsm xls ods', 'spreadsheets open .csv'],
  ['parquet feather ipc orc avro', 'write .arrow or .csv, which DuckDB, pandas and polars convert to it'],
  [
    'gz gzip zst br zip bz2 xz 7z tgz',
    'the file is not compressed. Write it without that ending, and compress it afterwards',
  ],
  ['tsv tab xml html htm md yaml yml pdf sql db sqlite duckdb pkl h5', 'write .csv, which most programs read'],
]

/**
 * The format for the extension of the name; null if it implies none (.txt). Throws `UsageError` if it names an unsupported format, or one that differs
 * from the requested `format`.
 */
function formatOfEnding(path: string, format: AnswerFormat | undefined): AnswerFormat | null {
  const ending = extname(path).slice(1).toLowerCase()
  const named = formatNamed(ending)
  const other = otherFormats.find(([endings]) => endings.split(' ').includes(ending))
  if (named === null && other !== undefined) {
    const known = formatNames.map((name) => `.${name}`).join(', ')
    throw new UsageError(`The ending .${ending} is not supported: ${other[1]}. The endings are ${known}.`)
  }
  if (named !== null && format !== undefined && named !== format) {
    throw new UsageError(
      `The name ${path} means ${named}, but --format is ${format}. Give a name that ends in .${format}, or --format ${named}.`,
    )
  }
  return named
}

function formatNamed(ending: string): AnswerFormat | null {
  return formatNames.find((name) => name === ending) ?? inOtherWords.get(ending) ?? null
}

/** As in other programs, `-` is standard output. /dev/stdout may lead to a file that another program writes to as well. */
function isStandardOutput({ output }: Pick<AnswerOptions, 'output'>): boolean {
  return output === '-' || output === '/dev/stdout'
}

/** Requests rows in the format of the options, and writes them: to a file, to standard output as received, or as a table. */
export async function writeAnswer(
  context: CliContext,
  options: AnswerOptions,
  ask: (format: AnswerFormat) => AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const format = askedFormat(context, options)
  const answer = ask(format)
  if (options.output !== undefined && !isStandardOutput(options)) {
    await writeFile(context, options.output, answer)
    return false
  }
  if (options.json || options.format !== undefined || options.output !== undefined) {
    await writeAll(context.stdout, answer)
    if (format === 'json') context.stdout.write('\n')
    return false
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const table = answerTable(Buffer.concat(chunks))
  context.stdout.write(table)
  return table === noRows
}

async function writeFile(
  { stderr, nowMs }: CliContext,
  path: string,
  answer: AsyncIterable<Uint8Array>,
): Promise<void> {
  const progress = new ProgressBar({ output: stderr, nowMs, total: null })
  let bytes = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of answer) {
      bytes += chunk.length
      progress.update(bytes, () => `${formatCount(bytes)} bytes written`)
      yield chunk
    }
  }
  try {
    await writeAnswerFile(path, counted(), nowMs())
  } finally {
    progress.end()
  }
  stderr.write(`${path}: ${formatCount(bytes)} bytes\n`)
}

const noRows = 'No rows.\n'

/** The rows of a JSON response as a table. Numbers appear as written, with every digit. */
export function answerTable(body: Uint8Array): string {
  const reader = new JsonRows({ rowBytesMax: Number.MAX_SAFE_INTEGER })
  const rows = reader.push(body).map((row) => jsonMembers(Buffer.from(row).toString()))
  reader.end()
  if (rows.length === 0) return noRows
  const numeric = rows[0]!.map((_, index) => rows.every((row) => /^(?:-?\d.*|null)$/.test(row[index]?.value ?? '')))
  const columns = rows[0]!.map(
    ({ name }, index) => ({ title: name, align: numeric[index] ? 'right' : 'left' }) as const,
  )
  const cell = (value: string): string => {
    if (value.startsWith('"')) return JSON.parse(value)
    return value === 'null' ? '' : value
  }
  return textTable(
    columns,
    rows.map((row) => row.map(({ value }) => cell(value))),
  )
}
