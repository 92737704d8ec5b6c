import { type CellConversion, type CellType, cellConversions, cellEncoder, cellTypes } from '../../file-push/cells.ts'
import { type CsvHead, csvHead } from '../../file-push/csv-head.ts'
import { type CsvMapping, type CsvReading, csvToNdjson } from '../../file-push/csv-rows.ts'
import { type CsvWriting, delimiterName, looksLikeValue } from '../../file-push/csv-writing.ts'
import { EncodingError } from '../../file-push/encoding.ts'
import type { KnownIngest, PropertyTypes } from '../../file-push/known-ingest.ts'
import { type Column, likelyDateAndTime, likelyFields, looksLikeClock } from '../../file-push/likely-fields.ts'
import { type MisreadTime, misreadText } from '../../file-push/misread-times.ts'
import { rowBytesMax } from '../../file-push/rows.ts'
import { escapedPart } from '../../lib/comma-list.ts'
import { shellWord } from '../../lib/shell-word.ts'
import { isName, isReservedInSeries } from '../../model/field.ts'
import { CommandError } from '../command-error.ts'
import { parsePairs, parseWord } from '../option-values.ts'
import { type CsvOptions, constantsOf, optionWords, writingOf } from './csv-options.ts'
import type { RowsSource } from './source.ts'

export interface CsvPush {
  readonly known: KnownIngest
  readonly ingest: string
  /** The path as typed. */
  readonly path: string
  readonly options: CsvOptions
  /** The options that are not specific to CSV, as typed. */
  readonly others: readonly string[]
  readonly source: RowsSource
}

/** Throws `CommandError` with a corrected command if the file's format is likely different from what the options say. */
function refuseLikelyOther(push: CsvPush, { delimiter, lines }: CsvWriting, { likely }: CsvHead): void {
  if (likely === null) return
  const [is, was] = [likely.delimiter, delimiter].map((one) => (one === '\t' ? 'tabs' : `"${one}"`))
  const decimal = push.options.decimal ?? (likely.decimal === 'comma' ? 'comma' : undefined)
  const { headerLine, skipLines, comment } = likely.lines
  const better: CsvOptions = {
    ...(is === was ? {} : { delimiter: delimiterName(likely.delimiter) }),
    ...(decimal && { decimal }),
    ...(headerLine !== null && { headerLine }),
    ...(skipLines > 0 && { skipLines }),
    ...(comment !== '' && { comment }),
  }
  const header = headerLine ?? skipLines + 1
  const why = [
    ...(is === was ? [] : [`The columns are separated by ${is}, not by ${was}.`]),
    ...(likely.lines === lines || header === 1 ? [] : [`The header seems to be on line ${header} of the file.`]),
    ...(comment === lines.comment ? [] : [`Lines that begin with ${comment} seem to be comments.`]),
  ]
  throw new CommandError(`${why.join(' ')} Nothing was sent. Type: ${commandWith(push, better)}`)
}

/** The typed command with changed options. */
function commandWith({ ingest, path, options, others }: CsvPush, changes: CsvOptions): string {
  const words = ['tidemark push', shellWord(ingest), shellWord(path), ...others]
  return [...words, ...optionWords({ ...options, ...changes })].join(' ')
}

/** Throws `CommandError` if more than half of the first times are dates of digits only, which would be stored as milliseconds. */
export function refuseCompactDates(push: CsvPush, found: MisreadTime | null): void {
  if (found === null) return
  const { property, likelyUnit: meant } = found
  const wayOut =
    push.source.format === 'csv'
      ? `Type: ${commandWith(push, { timeFormat: meant })} (--time-format milliseconds if they are milliseconds)`
      : 'If they are milliseconds, give --as-is.'
  throw new CommandError(`${misreadText(found, `${property} of row ${found.row}`)} Nothing was sent. ${wayOut}`)
}

/** The columns of a file and their mapping to properties. */
interface FileColumns {
  /** Columns that become a property. With `--time`, the time column is part of the date column. */
  readonly names: readonly string[]
  readonly mapping: CsvMapping
}

const listed = (names: readonly string[]): string => names.map(escapedPart).join(',')

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

const cellsOf = (name: string, { header, rows }: CsvHead): Column => ({
  name,
  cell: rows.length === 0 ? undefined : (rows[0]![header.indexOf(name)] ?? null),
})

/** Turns a text into a valid field name. */
const fieldNameOf = (name: string): string => name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^(?=[^A-Za-z_]|$)/, '_')

/** The properties that are not fields of the ingest; for an open ingest, those that cannot become fields. */
function unknownProperties(properties: readonly string[], { known }: CsvPush, types: PropertyTypes): string[] {
  const canBe = (name: string): boolean => known.isOpen && isName(name) && !isReservedInSeries(name)
  return properties.filter((property) => !types.has(property) && !canBe(property))
}

/** Throws `CommandError`, with the command to type, for columns and properties of `--set` that are not fields of the ingest. */
function refuseUnknownNames(push: CsvPush, head: CsvHead, { names, mapping }: FileColumns, types: PropertyTypes): void {
  const became = names.map((name) => mapping.columns.get(name) ?? name)
  const others = new Set(unknownProperties(became, push, types))
  const unknown = names.filter((_, place) => others.has(became[place]!))
  const constants = unknownProperties([...mapping.constants.keys()], push, types)
  if (unknown.length + constants.length === 0) return
  const unfed = [...types.keys()].filter((field) => !became.includes(field) && !mapping.constants.has(field))
  const { timeProperty } = push.known
  const both = mapping.dateAndTime ? null : likelyDateAndTime(names.map((name) => cellsOf(name, head)))
  const joined =
    both?.some((name) => unknown.includes(name)) === true && timeProperty !== null ? (both as readonly string[]) : []
  const left = unknown.filter((name) => !joined.includes(name))
  const fields = unfed.filter((name) => joined.length === 0 || name !== timeProperty)
  // Columns of an open ingest become new fields.
  const free = push.known.isOpen ? fields.filter((name) => push.known.required.includes(name)) : fields
  const likely = likelyFields(
    left.map((name) => cellsOf(name, head)),
    free.map((name) => ({ name, type: types.get(name)! })),
  )
  const map = left
    .map((name, place) => `${listed([name])}=${likely[place] ?? (push.known.isOpen ? fieldNameOf(name) : 'FIELD')}`)
    .join(',')
  const about = head.header.some(looksLikeValue)
    ? ' The first line looks like a row: if the file has no header, put a line with the names of its columns before it.'
    : head.rows.length === 0
      ? ' The file has a header and no rows, so the content of its columns is not known.'
      : head.header.filter((name) => looksLikeClock.test(name)).length > 1
        ? ' The names of columns look like times of a day. Such a file is not supported: it needs a row for each time.'
        : ''
  const lacking = unfed.length === 0 ? '' : ` Its fields without a column are ${unfed.join(', ')}.`
  const say = [
    ...(joined.length === 0 ? [] : [`--time ${shellWord(joined.join('+'))}`]),
    ...(map && [`--map ${shellWord(map)}`]),
  ]
  const ways = [
    ...(unknown.length === 0
      ? []
      : [
          `Map the columns to fields, as in ${say.join(' ')}`,
          `leave them out with --drop ${shellWord(listed(unknown))}`,
        ]),
    ...(constants.length === 0
      ? []
      : [`${unknown.length === 0 ? 'Give' : 'give'} --set a field's name, not ${constants.join(', ')}`]),
    'or push them with --as-is: their rows are rejected, and kept.',
  ]
  const open = push.known.isOpen
    ? `, which is open, cannot create fields with the names`
    : ' has no fields with the names'
  throw new CommandError(
    `The ingest ${push.ingest}${open} ${quoted([...unknown, ...constants])}. Nothing was sent.${about}${lacking} ${ways.join(', ')}`,
  )
}

/** Throws `CommandError` if no column becomes a required property: every row would be rejected. */
function refuseLacking({ ingest, known }: CsvPush, head: CsvHead, { names, mapping }: FileColumns): void {
  const fed = new Set([...names.map((name) => mapping.columns.get(name) ?? name), ...mapping.constants.keys()])
  const lacking = known.required.filter((property) => !fed.has(property))
  if (lacking.length === 0) return
  const [example] = lacking
  const others = names.filter((name) => !known.types.has(mapping.columns.get(name) ?? name))
  const likely = likelyFields(
    others.map((name) => cellsOf(name, head)),
    lacking.map((name) => ({ name, type: known.types.get(name) ?? 'guess' })),
  )
  const pairs = others.flatMap((name, place) => (likely[place] ? [`${listed([name])}=${likely[place]}`] : []))
  const map = pairs.length > 0 ? pairs.join(',') : `${names[0] ?? 'COLUMN'}=${example}`
  throw new CommandError(
    `No column is mapped to ${lacking.join(', ')}, which each row of ${ingest} must have. Nothing was sent. Map a column to each, as in --map ${shellWord(map)}, ` +
      `give all rows one value with --set ${shellWord(`${example}=VALUE`)}, or push them with --as-is: their rows are rejected, and kept.`,
  )
}

/** The cell types that can become new fields. */
const madeTypes: readonly (CellType | undefined)[] = [undefined, 'string', 'double', 'boolean']

/** Throws `CommandError` if columns would become fields of an open ingest with a type that is likely not meant. A field's type is permanent. */
function refuseOtherFields(push: CsvPush, head: CsvHead, { names, mapping }: FileColumns, given: PropertyTypes): void {
  for (const name of names) {
    const property = mapping.columns.get(name) ?? name
    if (push.known.types.has(property)) continue
    const type = given.get(property)
    if (!madeTypes.includes(type)) {
      throw new CommandError(
        `Rows can add fields of type double, string and boolean, but not ${type}. Nothing was sent. An operator can add it: tidemark ingests add-fields ${push.ingest} --field ${property}:${type}:metric`,
      )
    }
    const cells = head.rows.flatMap((row) => row[head.header.indexOf(name)] ?? [])
    const kinds = cells.map((cell) => typeof JSON.parse(cellEncoder('guess', mapping.writing)(cell)))
    const number = cells[kinds.indexOf('number')]
    if (type !== undefined || mapping.conversions?.has(property) || kinds[0] !== 'string' || number === undefined)
      continue
    throw new CommandError(
      `"${name}" would become a string field because of its first value, "${cells[0]}", and later values like ${number} would be rejected. Nothing was sent. Type: ` +
        `${commandWith(push, { types: [...(push.options.types ?? []), `${property}=double`] })} (or ${property}=string if they are strings)`,
    )
  }
}

/** The columns that `--time` joins. Throws `CommandError` if the file has no columns of these names. */
function dateAndTimeOf(option: string | undefined, { header }: CsvHead): readonly [date: string, time: string] | null {
  if (option === undefined) return null
  const parts = option.split('+')
  for (let place = 1; place < parts.length; place++) {
    const [date, time] = [parts.slice(0, place), parts.slice(place)].map((some) => some.join('+').trim()) as [
      string,
      string,
    ]
    if (header.includes(date) && header.includes(time)) return [date, time]
  }
  throw new CommandError(
    `--time must name two columns of the file, as date+time, not "${option}". Nothing was sent. The columns are: ${header.join(', ')}`,
  )
}

function conversionsOf(options: CsvOptions): ReadonlyMap<string, CellConversion> {
  const pairs = parsePairs('--convert', options.convert)
  return new Map([...pairs].map(([property, text]) => [property, parseWord(cellConversions, text, 'conversion')]))
}

/** The file's rows, made from its columns according to the options and the ingest's definition. Throws `CommandError` before anything is sent. */
export async function csvRows(
  push: CsvPush,
  onUnreadable?: CsvReading['onUnreadable'],
): Promise<AsyncGenerator<Uint8Array>> {
  const { known, options, source } = push
  const given = parseTypes(parsePairs('--types', options.types))
  const conversions = conversionsOf(options)
  const columns = parsePairs('--map', options.map, { mayBeEmpty: true })
  const constants = constantsOf(options, source)
  const writing = writingOf(options, source.delimiter)
  const head = await csvHead(source.bytes, writing).catch((cause: unknown) => {
    throw cause instanceof EncodingError ? new CommandError(cause.message, { cause }) : cause
  })
  refuseLikelyOther(push, writing, head)
  const dateAndTime = dateAndTimeOf(options.time, head)
  if (dateAndTime !== null && known.timeProperty !== null && !columns.has(dateAndTime[0]))
    columns.set(dateAndTime[0], known.timeProperty)
  const dropped = new Set(options.drop)
  const mapping: CsvMapping = {
    ...{ columns, constants, dropped, conversions, dateAndTime, writing },
    typeOf: (property) => given.get(property) ?? known.types.get(property) ?? 'guess',
    makesField: (property) => known.isOpen && !known.types.has(property),
  }
  const names = head.header.filter((name) => !dropped.has(name) && name !== dateAndTime?.[1])
  const fileColumns: FileColumns = { names, mapping }
  if (known.types.size > 0 && !options.asIs) {
    const types = known.isOpen ? known.types : new Map([...known.types, ...given])
    refuseUnknownNames(push, head, fileColumns, types)
    if (head.header.length > 0) refuseLacking(push, head, fileColumns)
    if (known.isOpen) refuseOtherFields(push, head, fileColumns, given)
  }
  return csvToNdjson(head.bytes, mapping, {
    recordCharsMax: rowBytesMax,
    ...(onUnreadable === undefined ? {} : { onUnreadable }),
  })
}

/** Parses `--types V=double,n=long`. */
function parseTypes(pairs: ReadonlyMap<string, string>): PropertyTypes {
  return new Map([...pairs].map(([property, text]) => [property, parseWord(cellTypes, text, 'type')]))
}
