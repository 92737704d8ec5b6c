// Matches properties of pushed rows against the existing fields. Tested by `src/ingest/open-fields.test.ts`.
import { type EntityField, entityField } from './entity.ts'
import type { Field, FieldRole } from './field.ts'

/** The field that a property maps to, the reason that it cannot be a field, or null if the property is new. */
export type FieldMatch = { readonly field: Field } | { readonly refused: string } | null

/** All fields of an ingest, from every version, and those of its entity. */
export class KnownFields {
  readonly #bySource: ReadonlyMap<string, Field>
  readonly #names: ReadonlySet<string>
  readonly #entity: ReadonlyMap<string, EntityField>

  constructor(fields: readonly Field[], entity: readonly EntityField[]) {
    this.#bySource = new Map(fields.map((field) => [field.source, field]))
    this.#names = new Set(fields.map(({ name }) => name))
    this.#entity = new Map(entity.map((field) => [field.name, field]))
  }

  /** Number of fields of the ingest. */
  get size(): number {
    return this.#bySource.size
  }

  of(property: string): FieldMatch {
    const field = this.#bySource.get(property)
    if (field !== undefined) return isOptional(field.role) ? { field } : refusedBy('ingest', field.role)
    if (this.#names.has(property)) return { refused: 'another property is stored under this name' }
    const standing = this.#entity.get(property)
    if (standing === undefined) return null
    const { name, role } = standing
    return isOptional(role) ? { field: { ...entityField(standing), source: name } } : refusedBy('entity', role)
  }

  /** Whether the ingest itself has a field for the property. */
  has(property: string): boolean {
    return this.#bySource.has(property)
  }
}

function isOptional(role: FieldRole): boolean {
  return role === 'metric' || role === 'dimension' || role === 'quality'
}

function refusedBy(owner: 'ingest' | 'entity', role: FieldRole): FieldMatch {
  return { refused: `the ${owner} has a ${role} of this name` }
}
