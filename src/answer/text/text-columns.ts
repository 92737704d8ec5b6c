// One writer per column type. Each writes a key (`,"name":` in JSON, `,` in CSV) and a value at an offset of a buffer that has
// capacity for `bytesMax` there.
import {
  type BooleanColumn,
  type ColumnType,
  type ColumnVector,
  type DoubleColumn,
  type LongColumn,
  nullBoolean,
  nullCode,
  type StringColumn,
  type TimestampColumn,
} from '../../model/column.ts'
import { civilFromDays, formatInstant, msPerDay } from '../../model/instant.ts'
import { DoubleWriter, numberBytesMax, writeAscii, writeWhole } from './text-number.ts'
import { TextPool } from './text-pool.ts'

export interface ColumnWriter {
  /**
   * Sets the column of the next batch, of which the rows from `from` on will be written. Returns the end of the rows that are ready, at most `to`:
   * long texts are not all prepared at once.
   */
  begin(column: ColumnVector, from: number, to: number): number
  /** The most bytes that a ready row needs. */
  readonly bytesMax: number
  /** Writes the row's key and value at `at`; returns their end. */
  write(out: Uint8Array, at: number, row: number): number
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const trueBytes = ascii('true')
const falseBytes = ascii('false')

function copy(out: Uint8Array, at: number, bytes: Uint8Array): number {
  const { length } = bytes
  for (let index = 0; index < length; index += 1) out[at + index] = bytes[index]!
  return at + length
}

function wrongType(column: ColumnVector, wanted: ColumnType): Error {
  return new Error(`a column of type ${column.type} came where the plan has one of type ${wanted}`)
}

/** The notation of values. Numbers and booleans are the same in all of them. */
export interface Notation {
  readonly nullText: string
  /** Written before and after an instant. */
  readonly instantQuote: string
  readonly quoteText: (text: string) => string
  /** Suffix of whole doubles. */
  readonly wholeEnd: string
}

export const jsonNotation: Notation = { nullText: 'null', instantQuote: '"', quoteText: JSON.stringify, wholeEnd: '' }

/** RFC 4180: quotes only where necessary, and around the empty string, to distinguish it from null. */
export const csvNotation: Notation = {
  nullText: '',
  instantQuote: '',
  quoteText: (text) => (text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  wholeEnd: '',
}

/** The writer for a column of this type; `key` is written before each value. */
export function columnWriter(type: ColumnType, key: string, notation: Notation): ColumnWriter {
  const keyBytes = new Uint8Array(Buffer.from(key))
  const nullBytes = ascii(notation.nullText)
  switch (type) {
    case 'double':
      return new DoubleColumnWriter(keyBytes, nullBytes, ascii(notation.wholeEnd))
    case 'long':
      return new LongColumnWriter(keyBytes, nullBytes)
    case 'timestamp':
      return new TimestampColumnWriter(keyBytes, nullBytes, notation.instantQuote)
    case 'boolean':
      return new BooleanColumnWriter(keyBytes, nullBytes)
    case 'string':
      return new StringColumnWriter(keyBytes, nullBytes, notation.quoteText)
  }
}

/** From this value on, doubles are written with an exponent. */
const exponentMin = 1e21

class DoubleColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  readonly #wholeEnd: Uint8Array
  readonly #number = new DoubleWriter()
  #values: DoubleColumn['values'] = new Float64Array(0)

  constructor(key: Uint8Array, nullBytes: Uint8Array, wholeEnd: Uint8Array) {
    this.#key = key
    this.#null = nullBytes
    this.#wholeEnd = wholeEnd
    this.bytesMax = key.length + numberBytesMax + wholeEnd.length
  }

  begin(column: ColumnVector, _from: number, to: number): number {
    if (column.type !== 'double') throw wrongType(column, 'double')
    this.#values = column.values
    return to
  }

  write(out: Uint8Array, at: number, row: number): number {
    const end = copy(out, at, this.#key)
    const value = this.#values[row]!
    // NaN is null; an infinity cannot be stored, and JSON has no notation for it.
    if (value - value !== 0) return copy(out, end, this.#null)
    const written = this.#number.write(out, end, value)
    const isPlainWhole = Math.floor(value) === value && Math.abs(value) < exponentMin
    return isPlainWhole ? copy(out, written, this.#wholeEnd) : written
  }
}

class LongColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  #values: LongColumn['values'] = new Float64Array(0)
  #exact: LongColumn['exact'] = null

  constructor(key: Uint8Array, nullBytes: Uint8Array) {
    this.#key = key
    this.#null = nullBytes
    this.bytesMax = key.length + numberBytesMax
  }

  begin(column: ColumnVector, _from: number, to: number): number {
    if (column.type !== 'long') throw wrongType(column, 'long')
    this.#values = column.values
    this.#exact = column.exact
    return to
  }

  write(out: Uint8Array, at: number, row: number): number {
    const end = copy(out, at, this.#key)
    const value = this.#values[row]!
    if (Number.isSafeInteger(value)) return writeWhole(out, end, value)
    if (Number.isNaN(value)) return copy(out, end, this.#null)
    return writeAscii(out, end, String(this.#exact === null ? BigInt(value) : this.#exact[row]!))
  }
}

class BooleanColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  #values: BooleanColumn['values'] = new Uint8Array(0)

  constructor(key: Uint8Array, nullBytes: Uint8Array) {
    this.#key = key
    this.#null = nullBytes
    this.bytesMax = key.length + falseBytes.length
  }

  begin(column: ColumnVector, _from: number, to: number): number {
    if (column.type !== 'boolean') throw wrongType(column, 'boolean')
    this.#values = column.values
    return to
  }

  write(out: Uint8Array, at: number, row: number): number {
    const end = copy(out, at, this.#key)
    const value = this.#values[row]!
    return copy(out, end, value === nullBoolean ? this.#null : value === 1 ? trueBytes : falseBytes)
  }
}

const zero = 0x30
const template = '0000-00-00T00:00:00.000Z'
/** Offset of the time of day from the end of the text. */
const timeFromEnd = 13

/** Caches the text of the last instant: rows are ordered by time, so the day, and often the whole text, is mostly unchanged. */
class TimestampColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  readonly #quote: string
  #values: TimestampColumn['values'] = new Float64Array(0)
  /** The key and the text of the instant `#ms`. */
  #text: Uint8Array
  #ms = Number.NaN
  #dayMs = Number.NaN

  constructor(key: Uint8Array, nullBytes: Uint8Array, quote: string) {
    this.#key = key
    this.#null = new Uint8Array(Buffer.concat([key, nullBytes]))
    this.#quote = quote
    this.#text = key
    this.bytesMax = key.length + numberBytesMax
  }

  begin(column: ColumnVector, _from: number, to: number): number {
    if (column.type !== 'timestamp') throw wrongType(column, 'timestamp')
    this.#values = column.values
    return to
  }

  write(out: Uint8Array, at: number, row: number): number {
    const ms = this.#values[row]!
    if (ms !== this.#ms) {
      if (Number.isNaN(ms)) return copy(out, at, this.#null)
      this.#set(ms)
    }
    return copy(out, at, this.#text)
  }

  #set(ms: number): void {
    const inDayMs = ms - this.#dayMs
    if (inDayMs >= 0 && inDayMs < msPerDay) this.#setTime(inDayMs)
    else this.#setDay(ms)
    this.#ms = ms
  }

  #setDay(ms: number): void {
    const days = Math.floor(ms / msPerDay)
    const { year, month, day } = civilFromDays(days)
    if (year < 0 || year > 9999) {
      this.#text = this.#withKey(formatInstant(ms))
      this.#dayMs = Number.NaN
      return
    }
    if (Number.isNaN(this.#dayMs)) this.#text = this.#withKey(template)
    const at = this.#key.length + this.#quote.length
    const century = (year / 100) | 0
    twoDigits(this.#text, at, century)
    twoDigits(this.#text, at + 2, year - century * 100)
    twoDigits(this.#text, at + 5, month)
    twoDigits(this.#text, at + 8, day)
    this.#dayMs = days * msPerDay
    this.#setTime(ms - this.#dayMs)
  }

  #withKey(text: string): Uint8Array {
    return new Uint8Array(Buffer.concat([this.#key, ascii(this.#quote + text + this.#quote)]))
  }

  /** Overwrites the time of day at the end of the text: `00:00:00.000Z"`. */
  #setTime(inDayMs: number): void {
    const text = this.#text
    const at = text.length - timeFromEnd - this.#quote.length
    const seconds = (inDayMs / 1000) | 0
    const minutes = (seconds / 60) | 0
    const hours = (minutes / 60) | 0
    twoDigits(text, at, hours)
    twoDigits(text, at + 3, minutes - hours * 60)
    twoDigits(text, at + 6, seconds - minutes * 60)
    const milliseconds = inDayMs - seconds * 1000
    const hundreds = (milliseconds / 100) | 0
    text[at + 9] = zero + hundreds
    twoDigits(text, at + 10, milliseconds - hundreds * 100)
  }
}

function twoDigits(out: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0
  out[at] = zero + tens
  out[at + 1] = zero + (value - tens * 10)
}

class StringColumnWriter implements ColumnWriter {
  readonly #null: Uint8Array
  readonly #pool: TextPool
  #codes: StringColumn['codes'] = new Int32Array(0)

  constructor(key: Uint8Array, nullBytes: Uint8Array, quoteText: (text: string) => string) {
    this.#null = new Uint8Array(Buffer.concat([key, nullBytes]))
    this.#pool = new TextPool(key, quoteText)
  }

  get bytesMax(): number {
    return Math.max(this.#null.length, this.#pool.bytesMax)
  }

  begin(column: ColumnVector, from: number, to: number): number {
    if (column.type !== 'string') throw wrongType(column, 'string')
    this.#codes = column.codes
    return this.#pool.prepare(column, from, to)
  }

  write(out: Uint8Array, at: number, row: number): number {
    const code = this.#codes[row]!
    return code === nullCode ? copy(out, at, this.#null) : this.#pool.write(out, at, code)
  }
}
