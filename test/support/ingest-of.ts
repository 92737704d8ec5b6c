import type { Entity } from '../../src/model/entity.ts'
import type { Ingest } from '../../src/model/ingest.ts'

/** The only ingest that feeds an entity; each field is pushed under its own name. */
export function ingestOf(entity: Entity): Ingest {
  return {
    id: entity.id,
    alias: entity.name,
    kind: 'series',
    entity: entity.name,
    entityId: entity.id,
    fields: entity.fields.map((field) => ({ ...field, source: field.name })),
    fieldsVersion: 1,
    duplicates: entity.duplicates,
    state: 'active',
    reason: null,
    createdMs: 0,
  }
}
