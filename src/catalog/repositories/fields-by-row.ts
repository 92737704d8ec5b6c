import type { EntityField } from '../../model/entity.ts'
import type { Field } from '../../model/field.ts'

interface ByRow {
  readonly made: readonly Field[]
  /** Why fields could not be made, by their names. */
  readonly refused: ReadonlyMap<string, string>
}

/** What is made of the fields that a row brings, beside those that the ingest and its entity have. */
export function fieldsByRow(
  known: readonly Field[],
  entity: readonly EntityField[],
  brought: readonly Field[],
  fieldsMax: number,
): ByRow {
  const made: Field[] = []
  const refused = new Map<string, string>()
  for (const field of brought) {
    // Another process was first, or the operator.
    if (known.some(({ source }) => source === field.source)) continue
    const standing = entity.find(({ name }) => name === field.name)
    const isTaken = known.some(({ name }) => name === field.name)
    if (isTaken) refused.set(field.name, 'another property is stored under this name')
    else if (standing !== undefined && standing.role !== 'metric' && standing.role !== 'dimension')
      refused.set(field.name, `the entity has a ${standing.role} of this name`)
    else if (known.length + made.length < fieldsMax)
      made.push({ ...field, type: standing?.type ?? field.type, role: standing?.role ?? field.role, added: 'by_row' })
  }
  return { made, refused }
}
