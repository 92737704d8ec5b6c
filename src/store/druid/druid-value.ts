import type { Value } from '../../model/column.ts'
import type { FieldType } from '../../model/field.ts'

/** Druid returns booleans as 0 and 1, and large longs as strings of digits. */
export function valueRead(value: unknown, type: FieldType): Value {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'string':
      return String(value)
    case 'boolean':
      return Number(value) === 1
    case 'long': {
      const number = Number(value)
      return Number.isSafeInteger(number) ? number : BigInt(String(value))
    }
    default:
      return Number(value)
  }
}
