// From the bytes of one JSON value to the column of its field.

import { lowerF, lowerN, lowerT, quote } from '../../lib/ascii.ts'
import { identifierBytesMax } from '../../model/field.ts'
import { earliestMs, latestMs } from '../../model/instant.ts'
import { parseLong } from '../../model/long.ts'
import type { FieldSlot } from '../columns/field-slot.ts'
import { beginsNumber, readDouble, readPlainWhole } from './read-number.ts'
import { compactJson, skipScalar, skipValue } from './skip.ts'
import type { TimestampReader } from './timestamps.ts'

/** Given back in place of the next place, all below zero: why a value was not taken. */
export const missing = -1
const wrongType = -2
export const outOfRange = -3
export const tooLarge = -4

function readNull(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (bytes[start] !== lowerN) return wrongType
  if (slot.required) return missing
  slot.setNull(row)
  return start + 4
}

function readString(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (bytes[start] !== quote) return readNull(bytes, start, slot, row)
  const end = slot.strings.read(bytes, start + 1, slot.codes, row)
  return end < 0 ? wrongType : end
}

/** The empty string names nothing. */
function readStringIdentifier(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  const end = readString(bytes, start, slot, row)
  if (end < 0) return end
  const text = slot.strings.dictionary[slot.codes[row]!]!
  if (text === '') return missing
  return Buffer.byteLength(text) > identifierBytesMax ? tooLarge : end
}

function readJson(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (bytes[start] === lowerN) return readNull(bytes, start, slot, row)
  const end = skipValue(bytes, start)
  slot.setJson(row, compactJson(bytes, start, end))
  return end
}

function readFiniteDouble(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (!beginsNumber(bytes[start]!)) return readNull(bytes, start, slot, row)
  const end = readDouble(bytes, start, slot.numbers, row)
  return Number.isFinite(slot.numbers[row]!) ? end : outOfRange
}

function readLong(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (!beginsNumber(bytes[start]!)) return readNull(bytes, start, slot, row)
  const plainEnd = readPlainWhole(bytes, start, slot.numbers, row)
  if (plainEnd >= 0) return plainEnd
  const end = skipScalar(bytes, start)
  const value = parseLong(bytes.toString('latin1', start, end))
  if (value === 'not_whole') return wrongType
  if (value === 'out_of_range') return outOfRange
  slot.setLong(row, value)
  return end
}

function readBoolean(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  const byte = bytes[start]
  if (byte !== lowerT && byte !== lowerF) return readNull(bytes, start, slot, row)
  slot.flags[row] = byte === lowerT ? 1 : 0
  return byte === lowerT ? start + 4 : start + 5
}

function readTimestamp(
  bytes: Buffer,
  start: number,
  slot: FieldSlot,
  row: number,
  timestamps: TimestampReader,
): number {
  if (bytes[start] === quote) {
    const end = timestamps.read(bytes, start + 1, slot.numbers, row)
    return end < 0 ? wrongType : end
  }
  if (!beginsNumber(bytes[start]!)) return readNull(bytes, start, slot, row)
  let end = readPlainWhole(bytes, start, slot.numbers, row)
  if (end < 0) {
    end = skipScalar(bytes, start)
    const value = parseLong(bytes.toString('latin1', start, end))
    if (value === 'not_whole') return wrongType
    slot.numbers[row] = value === 'out_of_range' ? Number.POSITIVE_INFINITY : Number(value)
  }
  const ms = slot.numbers[row]!
  return ms < earliestMs || ms > latestMs ? outOfRange : end
}

/**
 * Writes the value at `start` to the slot's column at `row`. The answer is the place after the value, or `missing`, `wrongType`,
 * `outOfRange` or, for a string identifier of more than `identifierBytesMax`, `tooLarge`. There is no coercion.
 *
 * | type | takes | `outOfRange` |
 * |---|---|---|
 * | string | a string without half surrogate pairs | |
 * | double | a number | beyond the largest double |
 * | long | a whole number, however spelt | beyond 64 bits |
 * | boolean | `true`, `false` | |
 * | timestamp | an ISO 8601 date or date-time, or a whole number of milliseconds | a number outside the years 0001 to 9999 |
 * | json | any value, kept as its text | |
 *
 * And `null`, which is `missing` in a time field, tag or identifier, as the empty string is in an identifier. What is `wrongType` here is reported as
 * `invalid_time` for the time field.
 */
export function readValue(
  bytes: Buffer,
  start: number,
  slot: FieldSlot,
  row: number,
  timestamps: TimestampReader,
): number {
  switch (slot.type) {
    case 'double':
      return readFiniteDouble(bytes, start, slot, row)
    case 'string':
      return slot.isIdentifier ? readStringIdentifier(bytes, start, slot, row) : readString(bytes, start, slot, row)
    case 'timestamp':
      return readTimestamp(bytes, start, slot, row, timestamps)
    case 'long':
      return readLong(bytes, start, slot, row)
    case 'json':
      return readJson(bytes, start, slot, row)
    default:
      return readBoolean(bytes, start, slot, row)
  }
}
