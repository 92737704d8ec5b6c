import type { RejectCode } from '../../catalog/rejected.ts'
import {
  identifierTooLarge,
  noSuchField,
  valueMissing,
  valueOfWrongType,
  valueOutOfRange,
} from '../../model/fault-words.ts'
import type { FieldSlot } from '../columns/field-slot.ts'
import { closeBrace, comma } from './ascii.ts'
import { skipSpace, skipString, skipValue } from './skip.ts'
import type { TimestampReader } from './timestamps.ts'
import { missing, outOfRange, readValue, tooLarge } from './values.ts'

/** Why a row is not stored: `field` is the pushed property, null where the row as a whole is at fault. */
export interface Fault {
  readonly code: RejectCode
  readonly field: string | null
  readonly message: string
}

function faultOf(failure: number, slot: FieldSlot, text: string): Fault {
  const { field } = slot
  const { source, type, role } = field
  if (failure === tooLarge) return { code: 'too_large', field: source, message: identifierTooLarge(field) }
  if (failure === outOfRange && (type === 'double' || type === 'long' || type === 'timestamp')) {
    return { code: 'out_of_range', field: source, message: valueOutOfRange(field, text) }
  }
  const code = role === 'time' ? 'invalid_time' : 'wrong_type'
  return { code, field: source, message: valueOfWrongType(field, text) }
}

function absence({ field }: FieldSlot): Fault {
  const { source, role } = field
  const code = role === 'time' ? 'missing_time' : role === 'index' ? 'missing_index' : 'missing_tag'
  return { code, field: source, message: valueMissing(field) }
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
      return { code: 'unknown_field', field: name, message: noSuchField(name) }
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
