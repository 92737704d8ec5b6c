import { closeBrace, comma } from '../../lib/ascii.ts'
import { noSuchField, type RowFault, valueMissing } from '../../model/row-fault.ts'
import type { FieldColumn } from '../columns/field-column.ts'
import type { AddedFields } from '../open-fields.ts'
import { faultOf, missing, readValue } from './read-value.ts'
import { skipSpace, skipString, skipValue } from './skip.ts'
import type { TimestampParser } from './timestamps.ts'

/** The place of each property's value. Properties are in the order of their first occurrence; if one repeats, its last value counts. */
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

/** Sorts time before the tags; the sort is stable, so tags stay in the order of the fields. */
function byUrgency(a: FieldColumn, b: FieldColumn): number {
  return Number(b.field.role === 'time') - Number(a.field.role === 'time')
}

/**
 * Reads any row that is an object: writes it to the columns at `row`, or returns its fault. Of several faults the first is returned, in the
 * order of the row's properties, followed by what is missing: the time or identifier, then the tags in the order of the fields. Null counts as
 * absent. If rows may bring fields, `brought` collects the new ones.
 */
export function readWithCare(
  bytes: Buffer,
  start: number,
  row: number,
  columns: readonly FieldColumn[],
  bySource: ReadonlyMap<string, number>,
  timestamps: TimestampParser,
  brought: AddedFields | null = null,
): RowFault | null {
  const absent = new Set(columns)
  for (const [name, value] of propertiesOf(bytes, start)) {
    const column = columns[bySource.get(name) ?? -1]
    if (column === undefined) {
      const fault = brought === null ? noSuchField(name) : brought.take(name, bytes, value)
      if (fault !== null) return fault
      continue
    }
    const end = readValue(bytes, value, column, row, timestamps)
    if (end === missing) continue
    if (end < 0) return faultOf(end, column, bytes.toString('utf8', value, skipValue(bytes, value)))
    absent.delete(column)
  }
  const required = [...absent].filter((column) => column.required).sort(byUrgency)
  if (required.length > 0) return valueMissing(required[0]!.field)
  for (const column of absent) column.setAbsent(row)
  return null
}
