import { type Command, Option } from 'commander'
import { type CsvHead, csvHead } from '../../file-push/csv-head.ts'
import { type CsvMapping, type CsvReading, csvToNdjson } from '../../file-push/csv-rows.ts'
import {
  type CsvWriting,
  type DecimalMark,
  decimalMarks,
  delimiterName,
  parseDelimiter,
} from '../../file-push/csv-writing.ts'
import { EncodingError } from '../../file-push/encoding.ts'
import type { PropertyTypes } from '../../file-push/known-ingest.ts'
import { likelyFields } from '../../file-push/likely-fields.ts'
import { rowBytesMax } from '../../file-push/rows.ts'
import { type AmbiguousChoice, ambiguousChoices, timeRules } from '../../file-push/time-rules.ts'
import { messageOf } from '../../lib/message-of.ts'
import { shellWord } from '../../lib/shell-word.ts'
import { CommandError } from '../command-error.ts'
import { collectColumns, collectList } from '../list-option.ts'
import { parsePairs } from '../pairs.ts'
import { UsageError } from '../usage-error.ts'
import { parseTypes } from './parse-types.ts'
import type { RowsSource } from './source.ts'

/** The options of `tidemark push` that are for CSV alone. */
export interface CsvOptions {
  readonly map?: readonly string[]
  readonly set?: readonly string[]
  readonly drop?: readonly string[]
  readonly types?: readonly string[]
  readonly asIs?: true
  readonly delimiter?: string
  readonly decimal?: DecimalMark
  readonly timeFormat?: string
  readonly timeZone?: string
  readonly ambiguous?: AmbiguousChoice
}

export function addCsvOptions(command: Command): Command {
  return command
    .option('--map <pairs>', 'CSV: column=property, separated by commas', collectList)
    .option('--set <pairs>', 'CSV: property=value for every row; @filename is the name of the file', collectList)
    .option(
      '--drop <columns>',
      'CSV: columns to leave out, separated by commas; "" is one without a name',
      collectColumns,
    )
    .option('--types <pairs>', "CSV: property=type, instead of asking for the ingest's definition", collectList)
    .option('--as-is', 'CSV: push columns too that the ingest has no field for: their rows are rejected, and kept')
    .option(
      '--delimiter <character>',
      'CSV: what stands between two cells, as ";" or tab (default: a comma; of .tsv a tab)',
    )
    .addOption(
      new Option('--decimal <mark>', 'CSV: what stands before the fraction of a number (default: point)').choices(
        decimalMarks,
      ),
    )
    .option(
      '--time-format <format>',
      'CSV: how times are written: iso, seconds, milliseconds, microseconds or nanoseconds since 1970, or a pattern like "dd/MM/yyyy HH:mm" (default: iso)',
    )
    .option('--time-zone <zone>', 'CSV: whose clock times are of that name no zone, like Europe/Madrid (default: UTC)')
    .addOption(
      new Option(
        '--ambiguous <choice>',
        'CSV: which moment is meant where the clock shows a time twice, or never (default: an error); both passes of the hour become the same one',
      ).choices(ambiguousChoices),
    )
}

/** `--time-format` for `timeFormat`. */
const optionNames: Readonly<Record<keyof CsvOptions, string>> = {
  map: '--map',
  set: '--set',
  drop: '--drop',
  types: '--types',
  asIs: '--as-is',
  delimiter: '--delimiter',
  decimal: '--decimal',
  timeFormat: '--time-format',
  timeZone: '--time-zone',
  ambiguous: '--ambiguous',
}

const optionKeys = Object.keys(optionNames) as (keyof CsvOptions)[]

/** Throws `UsageError` where an option for CSV is given, for rows that go as they are. */
export function refuseCsvOptions(options: CsvOptions): void {
  const given = optionKeys.flatMap((key) => (options[key] === undefined ? [] : [optionNames[key]]))
  if (given.length === 0) return
  throw new UsageError(
    `${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} for CSV: JSON rows and lines go as they are.`,
  )
}

function constantsOf(options: CsvOptions, source: RowsSource): Map<string, string> {
  const constants = parsePairs('--set', options.set)
  for (const [property, value] of constants) {
    if (value !== '@filename') continue
    if (source.name === null) throw new UsageError('--set with @filename needs a file, and not standard input.')
    constants.set(property, source.name)
  }
  return constants
}

/** A wrong word of an option, as its parser tells it. */
function fromOption<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error })
  }
}

function writingOf(
  { delimiter, decimal, timeFormat, timeZone, ambiguous }: CsvOptions,
  usualDelimiter: string,
): CsvWriting {
  return fromOption(() => ({
    delimiter: delimiter === undefined ? usualDelimiter : parseDelimiter(delimiter),
    decimal: decimal ?? 'point',
    times: timeRules(timeFormat ?? '', timeZone ?? '', ambiguous ?? null),
  }))
}

/** The options of a command line that are not for CSV alone, as they were typed, but for the key: messages are copied and kept. */
export function otherWords(command: Command): string[] {
  const others = [...command.options, ...(command.parent?.options ?? [])].filter((option) => {
    const name = option.attributeName()
    return !(name in optionNames) && command.getOptionValueSourceWithGlobals(name) === 'cli'
  })
  return others.flatMap((option) => {
    if (option.attributeName() === 'key') return ['--key', '...']
    const value: unknown = command.optsWithGlobals()[option.attributeName()]
    return value === true ? [option.long!] : [option.long!, shellWord(String(value))]
  })
}

/** The options for CSV that were given, as they are typed. */
function optionWords(options: CsvOptions): string[] {
  return optionKeys.flatMap((key) => {
    const value = options[key]
    if (value === undefined) return []
    if (value === true) return [optionNames[key]]
    const words = typeof value === 'string' ? value : value.map((word) => word.replaceAll(',', '\\,')).join(',')
    return [optionNames[key], shellWord(words)]
  })
}

export interface CsvPush {
  /** The types of the ingest's properties; empty where nobody tells. */
  readonly known: PropertyTypes
  /** The properties that every row must have; empty where nobody tells. */
  readonly required: readonly string[]
  readonly ingest: string
  /** As it was typed. */
  readonly path: string
  readonly options: CsvOptions
  /** The options that are not for CSV alone, as they were typed. */
  readonly others: readonly string[]
  readonly source: RowsSource
}

/** Throws `CommandError` with the command to type where another delimiter makes several columns of the one. */
function refuseLikelyOther({ ingest, path, options, others }: CsvPush, delimiter: string, { likely }: CsvHead): void {
  if (likely === null) return
  const [is, was] = [likely.delimiter, delimiter].map((one) => (one === '\t' ? 'tabs' : `"${one}"`))
  const decimal = options.decimal ?? (likely.decimal === 'comma' ? 'comma' : undefined)
  const better: CsvOptions = { ...options, delimiter: delimiterName(likely.delimiter), ...(decimal && { decimal }) }
  const words = ['tidemark push', shellWord(ingest), shellWord(path), ...others, ...optionWords(better)]
  throw new CommandError(
    `The columns are separated by ${is}, and not by ${was}. Nothing was sent. Type: ${words.join(' ')}`,
  )
}

/** A number or a date: no column is called so but by a file without a header. */
const looksLikeValue = (name: string): boolean =>
  /^(-?\d+[.,]\d+|\d{4}-\d\d-\d\d.*|\d\d?[./]\d\d?[./]\d{4}.*)$/.test(name)

/** Throws `CommandError` that names all columns and properties of `--set` which are no fields of the ingest, and what to type. */
function refuseUnknownNames(
  { ingest }: CsvPush,
  { header, first }: CsvHead,
  mapping: CsvMapping,
  known: PropertyTypes,
): void {
  const columns = header.filter((name) => !mapping.dropped.has(name))
  const unknown = columns.filter((name) => !known.has(mapping.columns.get(name) ?? name))
  const constants = [...mapping.constants.keys()].filter((property) => !known.has(property))
  if (unknown.length + constants.length === 0) return
  const became = columns.map((name) => mapping.columns.get(name) ?? name)
  const unfed = [...known.keys()].filter((field) => !became.includes(field) && !mapping.constants.has(field))
  const names = [...unknown, ...constants].map((name) => `"${name}"`).join(', ')
  const listed = unknown.map((name) => name.replaceAll(',', '\\,'))
  const likely = likelyFields(
    unknown.map((name) => ({ name, cell: first.length === 0 ? undefined : (first[header.indexOf(name)] ?? null) })),
    unfed.map((name) => ({ name, type: known.get(name)! })),
  )
  const map = listed.map((name, place) => `${name}=${likely[place] ?? 'FIELD'}`).join(',')
  const about = header.some(looksLikeValue)
    ? ' The first line looks like a row: if the file has no header, put a line with the names of its columns before it.'
    : first.length === 0
      ? ' The file has a header and no rows, so what its columns hold is not known.'
      : ''
  const lacking = unfed.length === 0 ? '' : ` Its fields without a column are ${unfed.join(', ')}.`
  const ways = [
    ...(unknown.length === 0
      ? []
      : [
          `Say what the columns become, as in --map ${shellWord(map)}`,
          `leave them out with --drop ${shellWord(listed.join(','))}`,
        ]),
    ...(constants.length === 0
      ? []
      : [`${unknown.length === 0 ? 'Give' : 'give'} --set a field's name, and not ${constants.join(', ')}`]),
    'or push them with --as-is: their rows are rejected, and kept.',
  ]
  throw new CommandError(
    `The ingest ${ingest} has no fields of the names ${names}. Nothing was sent.${about}${lacking} ${ways.join(', ')}`,
  )
}

/** Throws `CommandError` where no column becomes what each row must have: all of them would be rejected. */
function refuseLacking({ ingest, required }: CsvPush, header: readonly string[], mapping: CsvMapping): void {
  const columns = header.filter((name) => !mapping.dropped.has(name))
  const fed = new Set([...columns.map((name) => mapping.columns.get(name) ?? name), ...mapping.constants.keys()])
  const lacking = required.filter((property) => !fed.has(property))
  if (lacking.length === 0) return
  const [example] = lacking
  throw new CommandError(
    `No column becomes ${lacking.join(', ')}, which each row of ${ingest} must have. Nothing was sent. Say which column does, as in --map ${shellWord(`${columns[0] ?? 'COLUMN'}=${example}`)}, ` +
      `give every row one value with --set ${shellWord(`${example}=VALUE`)}, or push them with --as-is: their rows are rejected, and kept.`,
  )
}

/** The file's rows, as the options and the ingest's definition make them of the columns. Throws `CommandError` before anything is sent. */
export async function csvRows(
  push: CsvPush,
  onUnreadable?: CsvReading['onUnreadable'],
): Promise<AsyncGenerator<Uint8Array>> {
  const { known, options, source } = push
  const given = parseTypes(parsePairs('--types', options.types))
  const writing = writingOf(options, source.delimiter)
  const head = await csvHead(source.bytes, writing.delimiter).catch((cause: unknown) => {
    throw cause instanceof EncodingError ? new CommandError(cause.message, { cause }) : cause
  })
  refuseLikelyOther(push, writing.delimiter, head)
  const mapping: CsvMapping = {
    columns: parsePairs('--map', options.map, { mayBeEmpty: true }),
    constants: constantsOf(options, source),
    dropped: new Set(options.drop),
    typeOf: (property) => given.get(property) ?? known.get(property) ?? 'guess',
    writing,
  }
  if (known.size > 0 && !options.asIs) {
    refuseUnknownNames(push, head, mapping, new Map([...known, ...given]))
    if (head.header.length > 0) refuseLacking(push, head.header, mapping)
  }
  return csvToNdjson(head.bytes, mapping, {
    recordCharsMax: rowBytesMax,
    ...(onUnreadable === undefined ? {} : { onUnreadable }),
  })
}
