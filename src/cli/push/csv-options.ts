import { type Command, Option } from 'commander'
import { type CsvWriting, type DecimalMark, decimalMarks, parseDelimiter } from '../../file-push/csv-writing.ts'
import { type AmbiguousChoice, ambiguousChoices, timeRules } from '../../file-push/time-rules.ts'
import { escapedPart } from '../../lib/comma-list.ts'
import { allLines } from '../../lib/csv-parser.ts'
import { messageOf } from '../../lib/message-of.ts'
import { shellWord } from '../../lib/shell-word.ts'
import { UsageError } from '../command-error.ts'
import { collectColumns, collectList, parseCount, parsePairs } from '../option-values.ts'
import type { RowsSource } from './source.ts'

/** The options of `tidemark push` that apply only to CSV. */
export interface CsvOptions {
  readonly map?: readonly string[]
  readonly set?: readonly string[]
  readonly drop?: readonly string[]
  readonly types?: readonly string[]
  readonly convert?: readonly string[]
  readonly asIs?: true
  readonly time?: string
  readonly headerLine?: number
  readonly skipLines?: number
  readonly comment?: string
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
      'CSV: columns to leave out, separated by commas; "" is a column without a name',
      collectColumns,
    )
    .option('--types <pairs>', "CSV: property=type, instead of the ingest's definition", collectList)
    .option(
      '--convert <pairs>',
      'CSV: property=number for cells like +1.5, .5 or with spaces around, property=boolean for TRUE, False, 1 and 0',
      collectList,
    )
    .option(
      '--time <columns>',
      'CSV: date+time, two columns joined by a space as the time of the row, or as the property that --map gives the first',
    )
    .option('--header-line <number>', 'CSV: the line of the header; lines before it are skipped', parseCount)
    .option(
      '--skip-lines <count>',
      'CSV: lines to skip at the beginning; the header is the next line, or that of --header-line',
      parseCount,
    )
    .option('--comment <mark>', 'CSV: the start of comment lines, such as "#"; they are skipped')
    .option(
      '--as-is',
      'also push CSV columns without a field in the ingest (their rows are rejected, and kept), and push times like 20260101 as numbers',
    )
    .option(
      '--delimiter <character>',
      'CSV: the separator of cells, such as ";" or tab (default: a comma; for .tsv a tab)',
    )
    .addOption(
      new Option('--decimal <mark>', 'CSV: the decimal sign of numbers (default: point)').choices(decimalMarks),
    )
    .option(
      '--time-format <format>',
      'CSV: the format of times: iso; seconds, milliseconds, microseconds or nanoseconds since 1970; or a pattern like "dd/MM/yyyy HH:mm" (default: iso)',
    )
    .option('--time-zone <zone>', 'CSV: the time zone of times without one, such as Europe/Madrid (default: UTC)')
    .addOption(
      new Option(
        '--ambiguous <choice>',
        'CSV: the reading of a local time that occurs twice or never (default: an error); both passes of the repeated hour become the same one',
      ).choices(ambiguousChoices),
    )
}

/** Option names by attribute: `--time-format` for `timeFormat`. */
const optionNames: Readonly<Record<keyof CsvOptions, string>> = {
  map: '--map',
  set: '--set',
  drop: '--drop',
  types: '--types',
  convert: '--convert',
  asIs: '--as-is',
  time: '--time',
  headerLine: '--header-line',
  skipLines: '--skip-lines',
  comment: '--comment',
  delimiter: '--delimiter',
  decimal: '--decimal',
  timeFormat: '--time-format',
  timeZone: '--time-zone',
  ambiguous: '--ambiguous',
}

const optionKeys = Object.keys(optionNames) as (keyof CsvOptions)[]

/** Throws `UsageError` if a CSV option is given for a file of JSON or line protocol. */
export function refuseCsvOptions(options: CsvOptions): void {
  const given = optionKeys.flatMap((key) => (options[key] === undefined || key === 'asIs' ? [] : [optionNames[key]]))
  if (given.length === 0) return
  throw new UsageError(
    `${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} only for CSV: JSON rows and lines are sent unchanged.`,
  )
}

export function constantsOf(options: CsvOptions, source: RowsSource): Map<string, string> {
  const constants = parsePairs('--set', options.set)
  for (const [property, value] of constants) {
    if (value !== '@filename') continue
    if (source.name === null) throw new UsageError('--set with @filename needs a file, not standard input.')
    constants.set(property, source.name)
  }
  return constants
}

/** Turns a parser's error into a `UsageError`. */
function fromOption<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error })
  }
}

export function writingOf(
  { delimiter, headerLine, skipLines = 0, comment = '', decimal, timeFormat, timeZone, ambiguous }: CsvOptions,
  usualDelimiter: string,
): CsvWriting {
  const isWhole = headerLine === undefined && skipLines === 0 && comment === ''
  return fromOption(() => ({
    delimiter: delimiter === undefined ? usualDelimiter : parseDelimiter(delimiter),
    lines: isWhole ? allLines : { headerLine: headerLine ?? null, skipLines, comment },
    decimal: decimal ?? 'point',
    times: timeRules(timeFormat ?? '', timeZone ?? '', ambiguous ?? null),
  }))
}

/** The options of a command line that are not specific to CSV, as typed, but with the key masked: messages are copied and stored. */
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

/** The given CSV options, as they would be typed. */
export function optionWords(options: CsvOptions): string[] {
  return optionKeys.flatMap((key) => {
    const value = options[key]
    if (value === undefined) return []
    if (value === true) return [optionNames[key]]
    const words = typeof value !== 'object' ? String(value) : value.map(escapedPart).join(',')
    return [optionNames[key], shellWord(words)]
  })
}
