// Reads values and times of plain lines from their bytes directly to the columns. Lines that are not plain are left to `parseLine`.
import {
  backslash,
  carriageReturn,
  comma,
  digitNine,
  digitZero,
  dot,
  equals,
  lowerF,
  lowerI,
  lowerT,
  lowerU,
  minus,
  newline,
  quote,
  space,
} from '../../../lib/ascii.ts'
import { earliestMs, latestMs } from '../../../model/instant.ts'
import type { LinePrecision } from '../../../model/line-format.ts'
import type { FieldColumn } from '../../columns/field-column.ts'
import { readDouble, readPlainWhole } from '../read-number.ts'

/** Returned instead of the next place: the line is faulty or not plain. */
export const needsCare = -1

/** 1 for bytes that end a plain name or tag value, or need care in one. */
const endsBare = new Uint8Array(256)
endsBare.fill(1, 0, space + 1)
for (const byte of [comma, equals, backslash, quote]) endsBare[byte] = 1

/** 1 for bytes that end a plain string, or need care in one. */
const endsString = new Uint8Array(256)
endsString.fill(1, 0, space)
for (const byte of [backslash, quote]) endsString[byte] = 1

/** The place of the byte that ends a plain name, or needs care in one. */
export function bareEnd(bytes: Buffer, start: number): number {
  let at = start
  while (endsBare[bytes[at]!] === 0) at++
  return at
}

/**
 * The place of the byte that ends a tag value, in which a backslash escapes commas, equals signs and spaces. A backslash before anything else
 * ends it too, and needs care.
 */
export function tagValueEnd(bytes: Buffer, start: number): number {
  let at = bareEnd(bytes, start)
  for (;;) {
    const next = bytes[at + 1]
    if (bytes[at] !== backslash || (next !== comma && next !== equals && next !== space)) return at
    at = bareEnd(bytes, at + 2)
  }
}

/**
 * The place of the quote that ends a string, in which a backslash escapes quotes and backslashes, as in JSON. A backslash before anything else
 * ends it too: it is literal and needs care.
 */
export function stringEnd(bytes: Buffer, start: number): number {
  let at = start
  for (;;) {
    while (endsString[bytes[at]!] === 0) at++
    const next = bytes[at + 1]
    if (bytes[at] !== backslash || (next !== quote && next !== backslash)) return at
    at += 2
  }
}

/** Digits of a time below a millisecond. `unitMs` is the value of the last remaining digit in milliseconds. */
const finerDigits: Readonly<Record<LinePrecision, number>> = { ns: 6, us: 3, ms: 0, s: 0, m: 0, h: 0 }
const unitMs: Readonly<Record<LinePrecision, number>> = { ns: 1, us: 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
/** Integers of this many digits are exact in a double. */
const exactDigits = 15
/** Later times may exceed 64 bits in nanoseconds. */
const latestNsInMs = 9_223_372_036_853

export function afterLead(bytes: Buffer, at: number, lead: Uint8Array): number {
  for (let i = 0; i < lead.length; i++) if (bytes[at + i] !== lead[i]) return -1
  return at + lead.length
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= digitZero && byte <= digitNine
}

function lineEndAt(bytes: Buffer, at: number): number {
  if (at >= bytes.length || bytes[at] === newline) return at
  return bytes[at] === carriageReturn && (at + 1 >= bytes.length || bytes[at + 1] === newline) ? at + 1 : needsCare
}

export function readFieldValue(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  switch (column.type) {
    case 'double':
      return readDoubleValue(bytes, start, column, row)
    case 'long':
      return readLongValue(bytes, start, column, row)
    case 'string':
      return column.isIdentifier ? needsCare : readStringValue(bytes, start, column, row)
    case 'boolean':
      return readBooleanValue(bytes, start, column, row)
    default:
      return needsCare
  }
}

export function beginsPlainNumber(bytes: Buffer, start: number): boolean {
  return isDigit(bytes[bytes[start] === minus ? start + 1 : start])
}

/** The place after a value, if a value may end there; else `needsCare`. */
export function valueEnd(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  return byte === comma || byte === space || byte === newline || byte === carriageReturn || byte === undefined
    ? at
    : needsCare
}

function readDoubleValue(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (!beginsPlainNumber(bytes, start)) return needsCare
  const end = readDouble(bytes, start, column.numbers, row)
  if (!Number.isFinite(column.numbers[row]!)) return needsCare
  const byte = bytes[end]
  if (byte !== lowerI && byte !== lowerU) return valueEnd(bytes, end)
  return readLongValue(bytes, start, column, row)
}

export function readLongValue(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (!beginsPlainNumber(bytes, start)) return needsCare
  const end = readPlainWhole(bytes, start, column.numbers, row)
  if (end < 0 || bytes[end] === dot) return needsCare
  if (bytes[end] === lowerI) return valueEnd(bytes, end + 1)
  if (bytes[end] !== lowerU) return valueEnd(bytes, end)
  return bytes[start] === minus ? needsCare : valueEnd(bytes, end + 1)
}

export function readStringValue(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (bytes[start] !== quote) return needsCare
  const at = stringEnd(bytes, start + 1)
  if (bytes[at] !== quote) return needsCare
  column.strings.read(bytes, start + 1, column.codes, row)
  return valueEnd(bytes, at + 1)
}

/** By first letter, which is a spelling too. */
const spellings: ReadonlyMap<number, Buffer> = new Map([
  [lowerT, Buffer.from('true')],
  [lowerF, Buffer.from('false')],
])

export function readBooleanValue(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  column.flags[row] = bytes[start] === lowerT ? 1 : 0
  return truthEnd(bytes, start)
}

/** The place after `t`, `f`, `true` or `false`. */
export function truthEnd(bytes: Buffer, start: number): number {
  const text = spellings.get(bytes[start]!)
  if (text === undefined) return needsCare
  const short = valueEnd(bytes, start + 1)
  if (short >= 0) return short
  const end = afterLead(bytes, start, text)
  return end < 0 ? needsCare : valueEnd(bytes, end)
}

/** Reads from the end of the last field to the end of the line, and writes its time to `numbers` at `row`. */
export function readLineTime(
  bytes: Buffer,
  start: number,
  numbers: Float64Array,
  row: number,
  precision: LinePrecision,
  receivedMs: number,
): number {
  if (bytes[start] !== space) {
    numbers[row] = receivedMs
    return lineEndAt(bytes, start)
  }
  let digitsEnd = start + 1
  while (isDigit(bytes[digitsEnd])) digitsEnd++
  const used = digitsEnd - finerDigits[precision]
  if (used <= start + 1 || used - start - 1 > exactDigits) return needsCare
  let time = 0
  for (let at = start + 1; at < used; at++) time = time * 10 + (bytes[at]! - digitZero)
  const ms = time * unitMs[precision]
  if (ms < earliestMs || ms > (precision === 'ns' ? latestNsInMs : latestMs)) return needsCare
  numbers[row] = ms
  return lineEndAt(bytes, digitsEnd)
}
