// Rows in the formats of Druid SQL: five result formats with headers, doubles as Java prints them, and times in the local time of a zone.
import { formatOffset, Zone } from '../../druid-time/zone.ts'
import type { ColumnType, ColumnVector } from '../../model/column.ts'
import type { TypedDruidLayout } from '../../model/druid-layout.ts'
import type { EntityField } from '../../model/entity.ts'
import { formatInstant } from '../../model/instant.ts'
import type { ChunkWriter } from '../chunk-writer.ts'
import { columnType, type Encoder, RowTextEncoder, utf8Bytes } from './encode-text.ts'
import { type ColumnWriter, columnWriter, csvNotation, jsonNotation, type Notation } from './text-columns.ts'
import { DoubleWriter, numberBytesMax } from './text-number.ts'

/** As Druid's CSV writer: the empty string is written as nothing, like null. */
const druidCsv: Notation = { ...csvNotation, quoteText: (text) => (text === '' ? '' : csvNotation.quoteText(text)) }

/** Line formats and CSV end with an empty line, arrays with a line break. A client that does not receive it knows that the result is incomplete. */
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
      // Two line breaks at the end, even without rows.
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
    const shownTypes = types.map(({ type, sqlType }) =>
      typesHeader || sqlTypesHeader
        ? { ...(typesHeader ? { type } : {}), ...(sqlTypesHeader ? { sqlType } : {}) }
        : null,
    )
    return [`{${names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(shownTypes[index])}`).join(',')}}`]
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

/** Formats instants in the local time of a zone, with the offset. */
function localText(zone: Zone, { instantQuote }: Notation): (ms: number) => string {
  return (ms) => {
    const offsetMs = zone.offset(ms)
    return `${instantQuote}${formatInstant(ms + offsetMs).slice(0, -1)}${formatOffset(offsetMs)}${instantQuote}`
  }
}

/** Writes numbers as ASCII words. A word is only computed again if the number differs from that of the previous row. */
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

/** Doubles as Java prints them: `1.0`, `1.0E7`, `1.0E-4`. */
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

/** Turns `1.25e+8` into `1.25E8`. */
function withExponent(value: number): string {
  const [digits, exponent] = value.toExponential().split('e')
  return `${digits!.includes('.') ? digits : `${digits}.0`}E${exponent!.replace('+', '')}`
}

function put(out: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index += 1) out[at + index] = bytes[index]!
  return at + bytes.length
}
