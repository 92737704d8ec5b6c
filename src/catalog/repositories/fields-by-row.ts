import type { EntityField } from '../../model/entity.ts'
import type { Field } from '../../model/field.ts'
import { KnownFields } from '../../model/known-fields.ts'

/**
 * Which of the fields that a row brings are to be made: those that the ingest does not have by now. Null where one of them can be none, or is another
 * one by now: then none is made, for the row is to be validated again by what there is.
 */
export function fieldsByRow(
  known: readonly Field[],
  entity: readonly EntityField[],
  brought: readonly Field[],
  fieldsMax: number,
): readonly Field[] | null {
  const standing = new KnownFields(known, entity)
  const made: Field[] = []
  for (const field of brought) {
    const found = standing.of(field.source)
    if (found !== null && ('refused' in found || !isSame(found.field, field))) return null
    if (!standing.has(field.source)) made.push({ ...field, added: 'by_row' })
  }
  return made.length > 0 && known.length + made.length > fieldsMax ? null : made
}

function isSame(one: Field, other: Field): boolean {
  return one.name === other.name && one.type === other.type && one.role === other.role
}
