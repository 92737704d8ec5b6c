import { type CsvCell, CsvError, CsvParser, type CsvRecord } from '../lib/csv-parser.ts'
import { type CellConversion, type CellType, cellEncoder } from './cells.ts'
import { type CsvWriting, columnNames, usualWriting } from './csv-writing.ts'
import { Utf8Decoder } from './encoding.ts'
import { CellTimeError } from './time-rules.ts'

export interface CsvMapping {
  /** The property of a column, if it differs from the column's name. */
  readonly columns: ReadonlyMap<string, string>
  /** Properties with the same value in every row. */
  readonly constants: ReadonlyMap<string, string>
  /** Columns to omit. */
  readonly dropped: ReadonlySet<string>
  readonly typeOf: (property: string) => CellType
  /**
   * Whether the first value of a property adds a field to the ingest. If its type is given, a value of another type is wrapped in a list: a list adds
   * no field, so the row is rejected.
   */
  readonly makesField?: (property: string) => boolean
  /** Properties whose values are converted more leniently. */
  readonly conversions?: ReadonlyMap<string, CellConversion>
  /** The columns of a date and its time, which are read as one cell under the name of the first. */
  readonly dateAndTime?: readonly [date: string, time: string] | null
  /** Default: `usualWriting`. */
  readonly writing?: CsvWriting
}

type RowEncoder = (record: CsvRecord) => string

/** The usual cause is a decimal comma, or a text with a comma, in a file with comma as delimiter. */
const moreCellsText = '. A cell with the delimiter in it, such as 2,5 in a file with commas, needs double quotes'

interface ColumnEncoder {
  readonly name: string
  readonly index: number
  /** The column of the time, if date and time have separate columns; else null. */
  readonly timeIndex: number | null
  /** `"V":` */
  readonly prefix: string
  readonly encode: (cell: CsvCell) => string
}

function checkHeader(header: CsvRecord, { columns, dropped, dateAndTime }: CsvMapping): string[] {
  const names = columnNames(header)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new CsvError(header.line, `the header has the column "${twice}" twice`)
  const missing = [...columns.keys(), ...dropped, ...(dateAndTime ?? [])].find((name) => !names.includes(name))
  if (missing !== undefined) {
    throw new CsvError(header.line, `the header has no column "${missing}"; there are: ${names.join(', ')}`)
  }
  return names
}

/** Null unless both are present: a date without its time would be read as midnight. */
function joinedCell(date: CsvCell, time: CsvCell): CsvCell {
  return date === null || time === null ? null : `${date.trim()} ${time.trim()}`
}

function memberOf(
  { name, index, timeIndex, prefix, encode }: ColumnEncoder,
  cells: readonly CsvCell[],
  line: number,
): string {
  const cell = cells[index]!
  try {
    return prefix + encode(timeIndex === null ? cell : joinedCell(cell, cells[timeIndex]!))
  } catch (error) {
    throw error instanceof CellTimeError
      ? new CsvError(line, `in "${name}", ${error.message}`, { cause: error })
      : error
  }
}

/** Converts records after the header to rows. Properties are in the order of the columns, followed by the constants. */
function rowEncoder(header: CsvRecord, mapping: CsvMapping): RowEncoder {
  const names = checkHeader(header, mapping)
  const encoders: ColumnEncoder[] = []
  const [date, time] = mapping.dateAndTime ?? []
  const encoderOf = (property: string): ((cell: CsvCell) => string) => {
    const type = mapping.typeOf(property)
    const encode = cellEncoder(type, mapping.writing, mapping.conversions?.get(property))
    if (type === 'guess' || type === 'string' || mapping.makesField?.(property) !== true) return encode
    return (cell) => encode(cell).replace(/^".*$/s, '[$&]')
  }
  const properties = new Set(mapping.constants.keys())
  for (const [index, name] of names.entries()) {
    if (mapping.dropped.has(name) || name === time) continue
    const property = mapping.columns.get(name) ?? name
    if (properties.has(property)) {
      throw new CsvError(header.line, `"${property}" is given twice: drop the column "${name}"`)
    }
    properties.add(property)
    const timeIndex = time !== undefined && name === date ? names.indexOf(time) : null
    const encode = encoderOf(property)
    encoders.push({ name, index, timeIndex, prefix: `${JSON.stringify(property)}:`, encode })
  }
  const constants = [...mapping.constants].map(
    ([property, value]) => `${JSON.stringify(property)}:${encoderOf(property)(value)}`,
  )
  return ({ line, cells }) => {
    if (cells.length !== names.length) {
      const hint = cells.length > names.length ? moreCellsText : ''
      throw new CsvError(line, `there are ${cells.length} cells, and the header has ${names.length} columns${hint}`)
    }
    const members = encoders.map((column) => memberOf(column, cells, line))
    return `{${members.concat(constants).join(',')}}`
  }
}

export interface CsvReading {
  readonly recordCharsMax: number
  /** Called for each row that cannot be converted, with its number in the file from 1; it is sent as `null`. Without it the first one ends the reading. */
  readonly onUnreadable?: (row: number, error: CsvError) => void
}

/** Counts the rows and converts each, or reports why it cannot be converted. */
function countedRows(encode: RowEncoder, { onUnreadable }: CsvReading): RowEncoder {
  if (onUnreadable === undefined) return encode
  let row = 0
  return (record) => {
    row++
    try {
      return encode(record)
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      onUnreadable(row, error)
      return 'null'
    }
  }
}

/** Converts CSV with a header to NDJSON. */
export async function* csvToNdjson(
  input: AsyncIterable<Uint8Array>,
  mapping: CsvMapping,
  options: CsvReading,
): AsyncGenerator<Uint8Array> {
  const { delimiter, lines: fileLines } = mapping.writing ?? usualWriting
  const reader = new CsvParser({ recordCharsMax: options.recordCharsMax, delimiter, lines: fileLines })
  const text = new Utf8Decoder()
  const encoder = new TextEncoder()
  let encode: RowEncoder | null = null
  const lines = (records: CsvRecord[]): Uint8Array => {
    const header = encode === null ? records.shift() : undefined
    if (header !== undefined) encode = countedRows(rowEncoder(header, mapping), options)
    const row = encode
    return encoder.encode(row === null ? '' : records.map((record) => `${row(record)}\n`).join(''))
  }
  const decode = (chunk: Uint8Array | null): string => text.read(chunk, () => reader.line)
  for await (const chunk of input) yield lines(reader.push(decode(chunk)))
  yield lines(reader.push(decode(null)))
  yield lines(reader.end())
}
