import { identifierTooLarge, type RowFault, valueOfWrongType, valueOutOfRange } from '../../model/row-fault.ts'
import type { FieldColumn } from '../columns/field-column.ts'
import { outOfRange, tooLarge } from './read-value.ts'

/** What is wrong with a value that was not taken; `text` is the value. */
export function faultOf(failure: number, { field }: FieldColumn, text: string): RowFault {
  if (failure === tooLarge) return identifierTooLarge(field)
  const { type } = field
  const hasRange = type === 'double' || type === 'long' || type === 'timestamp'
  return failure === outOfRange && hasRange ? valueOutOfRange(field, text) : valueOfWrongType(field, text)
}
