// One writer for each type of column. Each writes `,"name":value` at a place in a buffer that has room for `bytesMax`.
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
} from '../model/column.ts'
import { civilFromDays, formatInstant, msPerDay } from '../model/instant.ts'
import { DoubleWriter, numberBytesMax, writeAscii, writeWhole } from './json-number.ts'

export interface ColumnWriter {
  /** Takes the next batch's column, of which the rows from `from` up to `to` will be written. */
  begin(column: ColumnVector, from: number, to: number): void
  /** The most bytes that one of these rows takes. */
  readonly bytesMax: number
  /** Writes the row's key and value at `at`; returns where they end. */
  write(out: Uint8Array, at: number, row: number): number
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const nullBytes = ascii('null')
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

/** The writer of a column of this type; `key` is what stands before each value. */
export function columnWriter(type: ColumnType, key: string): ColumnWriter {
  const keyBytes = new Uint8Array(Buffer.from(key))
  switch (type) {
    case 'double':
      return new DoubleColumnWriter(keyBytes)
    case 'long':
      return new LongColumnWriter(keyBytes)
    case 'timestamp':
      return new TimestampColumnWriter(keyBytes)
    case 'boolean':
      return new BooleanColumnWriter(keyBytes)
    case 'string':
      return new StringColumnWriter(keyBytes)
  }
}

class DoubleColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  readonly #number = new DoubleWriter()
  #values: DoubleColumn['values'] = new Float64Array(0)

  constructor(key: Uint8Array) {
    this.#key = key
    this.bytesMax = key.length + numberBytesMax
  }

  begin(column: ColumnVector): void {
    if (column.type !== 'double') throw wrongType(column, 'double')
    this.#values = column.values
  }

  write(out: Uint8Array, at: number, row: number): number {
    const end = copy(out, at, this.#key)
    const value = this.#values[row]!
    // NaN is null; an infinity cannot be stored, and JSON has no word for it.
    return value - value === 0 ? this.#number.write(out, end, value) : copy(out, end, nullBytes)
  }
}

class LongColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  #values: LongColumn['values'] = new Float64Array(0)
  #exact: LongColumn['exact'] = null

  constructor(key: Uint8Array) {
    this.#key = key
    this.bytesMax = key.length + numberBytesMax
  }

  begin(column: ColumnVector): void {
    if (column.type !== 'long') throw wrongType(column, 'long')
    this.#values = column.values
    this.#exact = column.exact
  }

  write(out: Uint8Array, at: number, row: number): number {
    const end = copy(out, at, this.#key)
    const value = this.#values[row]!
    if (Number.isSafeInteger(value)) return writeWhole(out, end, value)
    if (Number.isNaN(value)) return copy(out, end, nullBytes)
    return writeAscii(out, end, String(this.#exact === null ? BigInt(value) : this.#exact[row]!))
  }
}

class BooleanColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  #values: BooleanColumn['values'] = new Uint8Array(0)

  constructor(key: Uint8Array) {
    this.#key = key
    this.bytesMax = key.length + falseBytes.length
  }

  begin(column: ColumnVector): void {
    if (column.type !== 'boolean') throw wrongType(column, 'boolean')
    this.#values = column.values
  }

  write(out: Uint8Array, at: number, row: number): number {
    const end = copy(out, at, this.#key)
    const value = this.#values[row]!
    return copy(out, end, value === nullBoolean ? nullBytes : value === 1 ? trueBytes : falseBytes)
  }
}

const zero = 0x30
const template = ascii('"0000-00-00T00:00:00.000Z"')

/** Keeps the last instant's text: rows come in the order of time, so the day is mostly the same, and often all of it. */
class TimestampColumnWriter implements ColumnWriter {
  readonly bytesMax: number
  readonly #key: Uint8Array
  #values: TimestampColumn['values'] = new Float64Array(0)
  /** The key and the text of `#ms`. */
  #text: Uint8Array
  #ms = Number.NaN
  #dayMs = Number.NaN

  constructor(key: Uint8Array) {
    this.#key = key
    this.#text = key
    this.bytesMax = key.length + numberBytesMax
  }

  begin(column: ColumnVector): void {
    if (column.type !== 'timestamp') throw wrongType(column, 'timestamp')
    this.#values = column.values
  }

  write(out: Uint8Array, at: number, row: number): number {
    const ms = this.#values[row]!
    if (ms !== this.#ms) {
      if (Number.isNaN(ms)) return copy(out, copy(out, at, this.#key), nullBytes)
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
      this.#text = new Uint8Array(Buffer.concat([this.#key, ascii(`"${formatInstant(ms)}"`)]))
      this.#dayMs = Number.NaN
      return
    }
    if (Number.isNaN(this.#dayMs)) this.#text = new Uint8Array(Buffer.concat([this.#key, template]))
    const at = this.#key.length + 1
    const century = (year / 100) | 0
    twoDigits(this.#text, at, century)
    twoDigits(this.#text, at + 2, year - century * 100)
    twoDigits(this.#text, at + 5, month)
    twoDigits(this.#text, at + 8, day)
    this.#dayMs = days * msPerDay
    this.#setTime(ms - this.#dayMs)
  }

  /** Writes over the time of day, which stands at the end: `00:00:00.000Z"`. */
  #setTime(inDayMs: number): void {
    const text = this.#text
    const at = text.length - 14
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

/** Keeps the bytes of each value of the dictionary that was met, so that it is escaped once. */
class StringColumnWriter implements ColumnWriter {
  readonly #key: Uint8Array
  readonly #null: Uint8Array
  #codes: StringColumn['codes'] = new Int32Array(0)
  #dictionary: readonly string[] = []
  /** The key and value of each code met, one after the other in `#pool`; an end of 0: not met. */
  #starts = new Int32Array(0)
  #ends = new Int32Array(0)
  #pool = Buffer.allocUnsafe(0)
  #poolEnd = 0
  #bytesMax: number

  constructor(key: Uint8Array) {
    this.#key = key
    this.#null = new Uint8Array(Buffer.concat([key, nullBytes]))
    this.#bytesMax = this.#null.length
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  begin(column: ColumnVector, from: number, to: number): void {
    if (column.type !== 'string') throw wrongType(column, 'string')
    const { codes, dictionary } = column
    if (dictionary !== this.#dictionary || dictionary.length > this.#ends.length) this.#forget(dictionary)
    this.#codes = codes
    for (let row = from; row < to; row += 1) {
      const code = codes[row]!
      if (code !== nullCode && this.#ends[code] === 0) this.#encode(code)
    }
  }

  write(out: Uint8Array, at: number, row: number): number {
    const code = this.#codes[row]!
    if (code === nullCode) return copy(out, at, this.#null)
    const pool = this.#pool
    const start = this.#starts[code]!
    const length = this.#ends[code]! - start
    if (length > 128) out.set(pool.subarray(start, start + length), at)
    else for (let index = 0; index < length; index += 1) out[at + index] = pool[start + index]!
    return at + length
  }

  #forget(dictionary: readonly string[]): void {
    this.#dictionary = dictionary
    this.#starts = new Int32Array(dictionary.length)
    this.#ends = new Int32Array(dictionary.length)
    this.#poolEnd = 0
    this.#bytesMax = this.#null.length
  }

  #encode(code: number): void {
    const text = JSON.stringify(this.#dictionary[code])
    const bytesMax = this.#key.length + text.length * 3
    if (this.#poolEnd + bytesMax > this.#pool.length) this.#growPool(bytesMax)
    const start = this.#poolEnd
    this.#pool.set(this.#key, start)
    const end = start + this.#key.length + this.#pool.write(text, start + this.#key.length)
    this.#starts[code] = start
    this.#ends[code] = end
    this.#poolEnd = end
    if (end - start > this.#bytesMax) this.#bytesMax = end - start
  }

  #growPool(bytes: number): void {
    const pool = Buffer.allocUnsafe(Math.max(256, this.#pool.length * 2, this.#poolEnd + bytes))
    pool.set(this.#pool.subarray(0, this.#poolEnd))
    this.#pool = pool
  }
}
