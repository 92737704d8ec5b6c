// Rows as Druid's SQL writes them: five formats, with headers, doubles as Java writes them, times by the clocks of a zone.
import { formatOffset, Zone } from '../../druid-time/zone.ts'
import type { ColumnType, ColumnVector } from '../../model/column.ts'
import type { TypedDruidLayout } from '../../model/druid-layout.ts'
import type { EntityField } from '../../model/entity.ts'
import { formatInstant } from '../../model/instant.ts'
import type { ChunkWriter } from '../chunk-writer.ts'
import { columnType, type Encoder, RowTextEncoder, utf8Bytes } from './encode-text.ts'
import { type ColumnWriter, columnWriter, csvNotation, jsonNotation, type Notation } from './text-columns.ts'
import { DoubleWriter, numberBytesMax } from './text-number.ts'

/** As Druid's writer of CSV: the empty text is written as nothing, like a null. */
const druidCsv: Notation = { ...csvNotation, quoteText: (text) => (text === '' ? '' : csvNotation.quoteText(text)) }

/** Lines, and CSV, end with an empty line, and an array with the end of its line: whoever does not see it has not got the whole. */
export function druidEncoder(fields: readonly EntityField[], layout: TypedDruidLayout, out: ChunkWriter): Encoder {
  const { resultFormat } = layout
  const isCsv = resultFormat === 'csv'
  const isObject = resultFormat === 'object' || resultFormat === 'objectLines'
  const isLines = resultFormat === 'objectLines' || resultFormat === 'arrayLines'
  const notation = isCsv ? druidCsv : jsonNotation
  const columns = fields.map(({ name, type }, index) => {
    const open = index > 0 ? ',' : isCsv ? '' : isObject ? '{' : '['
    return druidColumn(columnType(type), isObject ? `${open}${JSON.stringify(name)}:` : open, notation, layout.zone)
  })
  const close = isCsv ? '' : isObject ? '}' : ']'
  const between = isCsv ? '' : isLines ? '\n' : ','
  const header = headerRows(fields, layout).map((row) => `${row}${isCsv ? '\n' : ''}`)
  return new RowTextEncoder(
    {
      columns,
      start: utf8Bytes(`${isCsv || isLines ? '' : '['}${header.join(between)}`),
      between: utf8Bytes(between),
      rowEnd: utf8Bytes(isCsv ? '\n' : close),
      // Lines end two times, also where there are none.
      end: utf8Bytes(isCsv ? '\n' : isLines ? '\n\n' : ']\n'),
      hasHeader: header.length > 0,
    },
    out,
  )
}

function headerRows(fields: readonly EntityField[], layout: TypedDruidLayout): readonly string[] {
  const { resultFormat, header, typesHeader, sqlTypesHeader, types } = layout
  if (!header) return []
  const names = fields.map(({ name }) => name)
  if (resultFormat === 'object' || resultFormat === 'objectLines') {
    const told = types.map(({ type, sqlType }) =>
      typesHeader || sqlTypesHeader
        ? { ...(typesHeader ? { type } : {}), ...(sqlTypesHeader ? { sqlType } : {}) }
        : null,
    )
    return [`{${names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(told[index])}`).join(',')}}`]
  }
  const rows = [
    names,
    ...(typesHeader ? [types.map(({ type }) => type)] : []),
    ...(sqlTypesHeader ? [types.map(({ sqlType }) => sqlType)] : []),
  ]
  return rows.map((row) => (resultFormat === 'csv' ? row.map(druidCsv.quoteText).join(',') : JSON.stringify(row)))
}

function druidColumn(type: ColumnType, key: string, notation: Notation, zoneName: string): ColumnWriter {
  const zone = type === 'timestamp' ? (Zone.find(zoneName) ?? Zone.utc) : Zone.utc
  if (type === 'timestamp' && zone !== Zone.utc) return new WordWriter(key, notation, localText(zone, notation))
  if (type === 'double') return new JavaDoubleWriter(key, notation)
  return columnWriter(type, key, notation)
}

/** An instant by the clocks of a zone; that of the row before is kept. */
function localText(zone: Zone, { instantQuote }: Notation): (ms: number) => string {
  return (ms) => {
    const offsetMs = zone.offset(ms)
    return `${instantQuote}${formatInstant(ms + offsetMs).slice(0, -1)}${formatOffset(offsetMs)}${instantQuote}`
  }
}

/** Numbers by words of ASCII characters, which are made anew only where the number is another than that of the row before. */
class WordWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  readonly #textOf: (value: number) => string
  #values: Float64Array = new Float64Array(0)
  #last = Number.NaN
  #bytes: Uint8Array = new Uint8Array(0)

  constructor(key: string, { nullText }: Notation, textOf: (value: number) => string) {
    this.#key = utf8Bytes(key)
    this.#null = utf8Bytes(key + nullText)
    this.#textOf = textOf
    this.bytesMax = this.#key.length + 2 * numberBytesMax
  }

  begin(column: ColumnVector, _from: number, to: number): number {
    if (column.type !== 'timestamp') throw new Error(`a column of type ${column.type} came where times were expected`)
    this.#values = column.values
    return to
  }

  write(out: Uint8Array, at: number, row: number): number {
    const value = this.#values[row]!
    if (Number.isNaN(value)) return put(out, at, this.#null)
    if (value !== this.#last) {
      this.#last = value
      this.#bytes = utf8Bytes(this.#textOf(value))
    }
    return put(out, put(out, at, this.#key), this.#bytes)
  }
}

/** Doubles as Java writes them: `1.0`, `1.0E7`, `1.0E-4`. */
class JavaDoubleWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  readonly #whole = utf8Bytes('.0')
  readonly #number = new DoubleWriter()
  #values: Float64Array = new Float64Array(0)

  constructor(key: string, { nullText }: Notation) {
    this.#key = utf8Bytes(key)
    this.#null = utf8Bytes(key + nullText)
    this.bytesMax = this.#key.length + numberBytesMax + this.#whole.length
  }

  begin(column: ColumnVector, _from: number, to: number): number {
    if (column.type !== 'double') throw new Error(`a column of type ${column.type} came where doubles were expected`)
    this.#values = column.values
    return to
  }

  write(out: Uint8Array, at: number, row: number): number {
    const value = this.#values[row]!
    // NaN is null; an infinity cannot be stored.
    if (value - value !== 0) return put(out, at, this.#null)
    const start = put(out, at, this.#key)
    const size = Math.abs(value)
    if (size !== 0 && (size < 1e-3 || size >= 1e7)) return put(out, start, utf8Bytes(withExponent(value)))
    const end = this.#number.write(out, start, value)
    return Math.floor(value) === value ? put(out, end, this.#whole) : end
  }
}

/** `1.25e+8` as `1.25E8`. */
function withExponent(value: number): string {
  const [digits, exponent] = value.toExponential().split('e')
  return `${digits!.includes('.') ? digits : `${digits}.0`}E${exponent!.replace('+', '')}`
}

function put(out: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index += 1) out[at + index] = bytes[index]!
  return at + bytes.length
}
