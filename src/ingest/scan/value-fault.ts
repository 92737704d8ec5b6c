import { identifierTooLarge, type RowFault, valueOfWrongType, valueOutOfRange } from '../../model/row-fault.ts'
import type { FieldSlot } from '../columns/field-slot.ts'
import { outOfRange, tooLarge } from './read-value.ts'

/** What is wrong with a value that was not taken; `text` is the value. */
export function faultOf(failure: number, { field }: FieldSlot, text: string): RowFault {
  if (failure === tooLarge) return identifierTooLarge(field)
  const { type } = field
  const hasRange = type === 'double' || type === 'long' || type === 'timestamp'
  return failure === outOfRange && hasRange ? valueOutOfRange(field, text) : valueOfWrongType(field, text)
}
