// Reads one JSON value from its bytes into the column of its field.
import { lowerF, lowerN, lowerT, quote } from '../../lib/ascii.ts'
import { identifierBytesMax } from '../../model/field.ts'
import { earliestMs, latestMs } from '../../model/instant.ts'
import { parseLong } from '../../model/long.ts'
import { identifierTooLarge, type RowFault, valueOfWrongType, valueOutOfRange } from '../../model/row-fault.ts'
import type { FieldColumn } from '../columns/field-column.ts'
import { beginsNumber, readDouble, readPlainWhole } from './read-number.ts'
import { compactJson, skipScalar, skipValue } from './skip.ts'
import type { TimestampParser } from './timestamps.ts'

/** Returned instead of the next place, all below zero: why a value was not accepted. */
export const missing = -1
const wrongType = -2
export const outOfRange = -3
export const tooLarge = -4

function readNull(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (bytes[start] !== lowerN) return wrongType
  if (column.required) return missing
  column.setNull(row)
  return start + 4
}

function readString(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (bytes[start] !== quote) return readNull(bytes, start, column, row)
  const end = column.strings.read(bytes, start + 1, column.codes, row)
  return end < 0 ? wrongType : end
}

/** The empty string does not identify anything. */
function readStringIdentifier(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  const end = readString(bytes, start, column, row)
  if (end < 0) return end
  const text = column.strings.dictionary[column.codes[row]!]!
  if (text === '') return missing
  return Buffer.byteLength(text) > identifierBytesMax ? tooLarge : end
}

function readJson(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (bytes[start] === lowerN) return readNull(bytes, start, column, row)
  const end = skipValue(bytes, start)
  column.setJson(row, compactJson(bytes, start, end))
  return end
}

function readFiniteDouble(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (!beginsNumber(bytes[start]!)) return readNull(bytes, start, column, row)
  const end = readDouble(bytes, start, column.numbers, row)
  return Number.isFinite(column.numbers[row]!) ? end : outOfRange
}

function readLong(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  if (!beginsNumber(bytes[start]!)) return readNull(bytes, start, column, row)
  const plainEnd = readPlainWhole(bytes, start, column.numbers, row)
  if (plainEnd >= 0) return plainEnd
  const end = skipScalar(bytes, start)
  const value = parseLong(bytes.toString('latin1', start, end))
  if (value === 'not_whole') return wrongType
  if (value === 'out_of_range') return outOfRange
  column.setLong(row, value)
  return end
}

function readBoolean(bytes: Buffer, start: number, column: FieldColumn, row: number): number {
  const byte = bytes[start]
  if (byte !== lowerT && byte !== lowerF) return readNull(bytes, start, column, row)
  column.flags[row] = byte === lowerT ? 1 : 0
  return byte === lowerT ? start + 4 : start + 5
}

function readTimestamp(
  bytes: Buffer,
  start: number,
  column: FieldColumn,
  row: number,
  timestamps: TimestampParser,
): number {
  if (bytes[start] === quote) {
    const end = timestamps.read(bytes, start + 1, column.numbers, row)
    return end < 0 ? wrongType : end
  }
  if (!beginsNumber(bytes[start]!)) return readNull(bytes, start, column, row)
  let end = readPlainWhole(bytes, start, column.numbers, row)
  if (end < 0) {
    end = skipScalar(bytes, start)
    const value = parseLong(bytes.toString('latin1', start, end))
    if (value === 'not_whole') return wrongType
    column.numbers[row] = value === 'out_of_range' ? Number.POSITIVE_INFINITY : Number(value)
  }
  const ms = column.numbers[row]!
  return ms < earliestMs || ms > latestMs ? outOfRange : end
}

/**
 * Writes the value at `start` to the column at `row`. Returns the place after the value, or `missing`, `wrongType`,
 * `outOfRange` or, for a string identifier of more than `identifierBytesMax`, `tooLarge`. There is no coercion.
 *
 * | type | accepts | `outOfRange` |
 * |---|---|---|
 * | string | a string without half surrogate pairs | |
 * | double | a number | beyond the largest double |
 * | long | an integer in any notation | beyond 64 bits |
 * | boolean | `true`, `false` | |
 * | timestamp | an ISO 8601 date or date-time, or an integer of milliseconds | a number outside the years 0001 to 9999 |
 * | json | any value, kept as its text | |
 *
 * All accept `null`, which is `missing` in a time field, tag or identifier, as the empty string is in an identifier. For the time field, `wrongType` is
 * reported as `invalid_time`.
 */
export function readValue(
  bytes: Buffer,
  start: number,
  column: FieldColumn,
  row: number,
  timestamps: TimestampParser,
): number {
  switch (column.type) {
    case 'double':
      return readFiniteDouble(bytes, start, column, row)
    case 'string':
      return column.isIdentifier
        ? readStringIdentifier(bytes, start, column, row)
        : readString(bytes, start, column, row)
    case 'timestamp':
      return readTimestamp(bytes, start, column, row, timestamps)
    case 'long':
      return readLong(bytes, start, column, row)
    case 'json':
      return readJson(bytes, start, column, row)
    default:
      return readBoolean(bytes, start, column, row)
  }
}

/** The fault of a value that was not accepted; `text` is the value. */
export function faultOf(failure: number, { field }: FieldColumn, text: string): RowFault {
  if (failure === tooLarge) return identifierTooLarge(field)
  const { type } = field
  const hasRange = type === 'double' || type === 'long' || type === 'timestamp'
  return failure === outOfRange && hasRange ? valueOutOfRange(field, text) : valueOfWrongType(field, text)
}
