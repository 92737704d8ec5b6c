import type { EntityField } from '../model/entity.ts'
import type { Field } from '../model/field.ts'
import { KnownFields } from '../model/known-fields.ts'
import { Problem, type ProblemError } from '../model/problem.ts'
import { codingOf } from '../model/quality.ts'

/** The request property with the fields; error paths start with it. */
export type FieldList = 'fields' | 'add_fields'

/** Advice for a field whose type was wrong. */
const otherType =
  'create an ingest of another entity with the type that you want, and send the rejected rows there: "tidemark rejected replay <ingest> --all --into <new ingest>"'

/** Conflicts between new fields and those of an entity: a shared name must have one type and role, and there is one time (or index) field. */
export function disagreements(
  entity: string,
  known: readonly EntityField[],
  joining: readonly Field[],
  list: FieldList,
): readonly ProblemError[] {
  const byName = new Map(known.map((field) => [field.name, field]))
  const key = known.find(isKey)
  const quality = known.find(({ role }) => role === 'quality')
  return joining.flatMap((field, index): readonly ProblemError[] => {
    const path = `${list}[${index}]`
    const standing = byName.get(field.name)
    if (standing === undefined) {
      if (field.role === 'quality' && quality !== undefined)
        return [{ path: `${path}.role`, message: secondQuality(entity, quality) }]
      if (!isKey(field) || key === undefined) return []
      const message = `the ${key.role} field of the entity "${entity}" is "${key.name}"; give this field that name, or feed another entity`
      return [{ path: `${path}.name`, message }]
    }
    if (standing.role === 'quality' && field.role === 'quality' && codingOf(standing) !== codingOf(field)) {
      const message = `the quality "${field.name}" of the entity "${entity}" has the coding "${codingOf(standing)}"; give the same, or feed another entity`
      return [{ path: `${path}.coding`, message }]
    }
    return (['type', 'role'] as const)
      .filter((property) => standing[property] !== field[property])
      .map((property) => ({
        path: `${path}.${property}`,
        message: `the field "${field.name}" of the entity "${entity}" has the ${property} "${standing[property]}"; give the same, or choose another name${property === 'type' ? `, or ${otherType}` : ''}`,
      }))
  })
}

const secondQuality = (entity: string, { name }: EntityField): string =>
  `the quality of the entity "${entity}" is "${name}", and an entity has only one; give this field that name, or another role`

/** Errors for fields whose name or source the ingest already has. */
export function repetitions(known: readonly Field[], added: readonly Field[]): readonly ProblemError[] {
  const types = new Map(known.map(({ name, type }) => [name, type]))
  const sources = new Set(known.map(({ source }) => source))
  return added.flatMap(({ name, source, type }, index) => {
    const standing = types.get(name)
    if (standing !== undefined) {
      const way = standing === type ? 'choose another name' : `choose another name, or ${otherType}`
      const message = `the ingest already has a field "${name}" of the type "${standing}", and the type of a field never changes; ${way}`
      return [{ path: `add_fields[${index}].name`, message }]
    }
    if (sources.has(source)) {
      const message = `another field of the ingest is already read from "${source}"; choose another source`
      return [{ path: `add_fields[${index}].source`, message }]
    }
    return []
  })
}

/** Throws Problem `invalid_request` with all of the errors, if there are any. */
export function refuse(errors: readonly ProblemError[]): void {
  if (errors.length === 0) return
  throw new Problem('invalid_request', errors.map(({ path, message }) => `${path}: ${message}`).join('. '), { errors })
}

function isKey(field: Pick<EntityField, 'role'>): boolean {
  return field.role === 'time' || field.role === 'index'
}

/**
 * The fields of a row that must be added because the ingest lacks them. Null when one of them is not allowed or now exists with another definition: then
 * none is added, and the row is validated again against the current fields.
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
