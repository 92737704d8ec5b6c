import type { RejectCode } from '../../catalog/rejected.ts'
import { identifierBytesMax } from '../../model/item-key.ts'
import type { FieldSlot } from '../columns/field-slot.ts'
import { closeBrace, comma, lowerN, openBrace, openBracket, quote } from './ascii.ts'
import { beginsNumber } from './numbers.ts'
import { skipSpace, skipString, skipValue } from './skip.ts'
import type { TimestampReader } from './timestamps.ts'
import { missing, outOfRange, readValue, tooLarge } from './values.ts'

/** Why a row is not stored: `field` is the pushed property, null where the row as a whole is at fault. */
export interface Fault {
  readonly code: RejectCode
  readonly field: string | null
  readonly message: string
}

/** How much of a value or name a message repeats. */
const quotedCharactersMax = 60

function clipped(text: string): string {
  const characters = [...text.slice(0, 2 * quotedCharactersMax + 2)]
  return characters.length > quotedCharactersMax ? `${characters.slice(0, quotedCharactersMax).join('')}...` : text
}

/** What a JSON value is, by its first byte. */
export function kindOfValue(byte: number): string {
  if (byte === quote) return 'a string'
  if (byte === openBrace) return 'an object'
  if (byte === openBracket) return 'an array'
  if (byte === lowerN) return 'null'
  return beginsNumber(byte) ? 'a number' : 'a boolean'
}

const expectations = {
  string: 'a string',
  double: 'a number',
  long: 'a whole number',
  boolean: 'true or false',
  timestamp: 'an ISO 8601 date-time or whole milliseconds since 1970',
  json: 'a JSON value',
}

const ranges = {
  double: 'is beyond the range of a double',
  long: 'is beyond the range of a 64-bit integer',
  timestamp: 'is outside the years 0001 to 9999',
}

/** Says what was pushed: by its text, whose quotes tell a string from a number, or by its kind where that may be long. */
function pushedInstead(text: string, slot: FieldSlot): string {
  const kind = kindOfValue(text.charCodeAt(0))
  if (slot.type === 'string' && kind === 'a string') return 'one with half a surrogate pair'
  return kind === 'an object' || kind === 'an array' ? kind : clipped(text)
}

function faultOf(failure: number, slot: FieldSlot, text: string): Fault {
  const { source: field, type, role } = slot.field
  const name = clipped(field)
  if (failure === tooLarge) {
    const message = `${name}: an identifier has at most ${identifierBytesMax} bytes of UTF-8`
    return { code: 'too_large', field, message }
  }
  if (failure === outOfRange && (type === 'double' || type === 'long' || type === 'timestamp')) {
    return { code: 'out_of_range', field, message: `${name}: ${clipped(text)} ${ranges[type]}` }
  }
  const message = `${name}: expected ${expectations[type]}, got ${pushedInstead(text, slot)}`
  return { code: role === 'time' ? 'invalid_time' : 'wrong_type', field, message }
}

function absence(slot: FieldSlot): Fault {
  const { source: field, role } = slot.field
  const name = clipped(field)
  if (role === 'time') return { code: 'missing_time', field, message: `${name}: the time is missing` }
  if (role === 'index') return { code: 'missing_index', field, message: `${name}: the identifier is missing` }
  return { code: 'missing_tag', field, message: `${name}: the tag is missing` }
}

/** Where the value of each property begins: properties in the order in which they first come, the last value of each. */
function propertiesOf(bytes: Buffer, start: number): ReadonlyMap<string, number> {
  const properties = new Map<string, number>()
  let at = skipSpace(bytes, start + 1)
  while (bytes[at] !== closeBrace) {
    const keyEnd = skipString(bytes, at)
    const value = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    properties.set(JSON.parse(bytes.toString('utf8', at, keyEnd)), value)
    at = skipSpace(bytes, skipValue(bytes, value))
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
  }
  return properties
}

/** Time comes before the tags, and these in the order of the fields. */
function byUrgency(a: FieldSlot, b: FieldSlot): number {
  return Number(b.field.role === 'time') - Number(a.field.role === 'time')
}

/**
 * Reads any row that is an object: writes it to the columns at `row`, or says what is wrong with it. Of several faults it is the first in
 * the order of the row's properties, then what is missing: the time or identifier, then the tags in the order of the fields. Null is as good as absent.
 */
export function readWithCare(
  bytes: Buffer,
  start: number,
  row: number,
  slots: readonly FieldSlot[],
  bySource: ReadonlyMap<string, number>,
  timestamps: TimestampReader,
): Fault | null {
  const absent = new Set(slots)
  for (const [name, value] of propertiesOf(bytes, start)) {
    const slot = slots[bySource.get(name) ?? -1]
    if (slot === undefined) {
      return { code: 'unknown_field', field: name, message: `${clipped(name)}: the ingest has no such field` }
    }
    const end = readValue(bytes, value, slot, row, timestamps)
    if (end === missing) continue
    if (end < 0) return faultOf(end, slot, bytes.toString('utf8', value, skipValue(bytes, value)))
    absent.delete(slot)
  }
  const required = [...absent].filter((slot) => slot.required).sort(byUrgency)
  if (required.length > 0) return absence(required[0]!)
  for (const slot of absent) slot.setAbsent(row)
  return null
}
