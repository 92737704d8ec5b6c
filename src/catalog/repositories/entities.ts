import type { Kysely, Transaction } from 'kysely'
import {
  type Entity,
  type EntityField,
  type HoursKept,
  type MetadataEntity,
  mergeFields,
  type Reading,
} from '../../model/entity.ts'
import type { IngestKind } from '../../model/ingest.ts'
import { Problem, type ProblemError } from '../../model/problem.ts'
import type { NewIngest } from '../catalog.ts'
import { disagreements, type FieldList, refuse } from '../field-disagreements.ts'
import type { Tables } from '../schema.ts'
import { nextValue } from './counters.ts'
import { codingIn, duplicatesOf, fieldRoleOf, fieldTypeOf } from './ingest-rows.ts'

/** A definition, or an addition to one, whose fields join an entity. */
type Joining = Pick<NewIngest, 'alias' | 'kind' | 'entity' | 'fields' | 'duplicates'>

/** Returns the id of the entity that the definition feeds, creating it if missing, and adds its new fields. Throws Problems where the two disagree. */
export async function joinEntity(
  transaction: Transaction<Tables>,
  joining: Joining,
  list: FieldList = 'fields',
): Promise<number> {
  const name = joining.entity ?? joining.alias
  const entity = await transaction.selectFrom('entities').selectAll().where('name', '=', name).executeTakeFirst()
  if (entity === undefined) {
    const id = await nextValue(transaction, 'entity_id')
    const { kind, duplicates, fields } = joining
    await transaction
      .insertInto('entities')
      .values({ id, name, kind, duplicates, retention: null, since_ms: null, hours: null, reading: null })
      .execute()
    await insertFields(transaction, id, 0, mergeFields([], fields))
    return id
  }
  if (entity.kind !== joining.kind) throw nameOfOtherKind(name, joining)
  const known = await entityFieldsOf(transaction, entity.id)
  const errors: ProblemError[] = [...disagreements(name, known, joining.fields, list)]
  if (entity.duplicates !== joining.duplicates) {
    const message = `the entity "${name}" has "${entity.duplicates}"; give the same, or feed another entity`
    errors.push({ path: 'duplicates', message })
  }
  refuse(errors)
  await insertFields(transaction, entity.id, known.length, mergeFields(known, joining.fields).slice(known.length))
  return entity.id
}

function nameOfOtherKind(name: string, { kind, entity }: Joining): Problem {
  const [taken, path] =
    kind === 'metadata'
      ? [`There is already a series entity "${name}". Choose another alias.`, 'alias']
      : [`There is already a metadata ingest "${name}". Choose another entity to feed.`, entity ? 'entity' : 'alias']
  return new Problem('conflict', taken, { errors: [{ path, message: 'the name is taken' }] })
}

/** All series entities, ordered by name. */
export async function seriesEntities(database: Kysely<Tables>): Promise<readonly Entity[]> {
  const { rows, fields } = await entitiesOf(database, 'series')
  const ingests = new Map<number, string[]>(rows.map(({ id }) => [id, []]))
  const ingestRows = await database
    .selectFrom('ingests')
    .select(['entity_id', 'alias'])
    .where('deleted_ms', 'is', null)
    .orderBy('alias')
    .execute()
  for (const { entity_id, alias } of ingestRows) ingests.get(entity_id)?.push(alias)
  return rows.map(({ id, name, duplicates, retention, since_ms, hours, reading }) => ({
    id,
    name,
    fields: fields.get(id) ?? [],
    duplicates: duplicatesOf(duplicates),
    ingests: ingests.get(id) ?? [],
    retention,
    sinceMs: since_ms,
    ...(hours === null ? {} : { hours: hoursIn(hours) }),
    ...(reading === null ? {} : { reading: readingOf(reading) }),
  }))
}

export const hoursIn = (json: string): HoursKept => JSON.parse(json)

export const readingOf = (json: string): Reading => JSON.parse(json)

/** All metadata entities, ordered by name. */
export async function metadataEntities(database: Kysely<Tables>): Promise<readonly MetadataEntity[]> {
  const { rows, fields } = await entitiesOf(database, 'metadata')
  return rows.map(({ id, name }) => ({ id, name, fields: fields.get(id) ?? [] }))
}

/** Entities ordered by name, and their fields by entity id. */
async function entitiesOf(database: Kysely<Tables>, kind: IngestKind) {
  const rows = await database.selectFrom('entities').selectAll().where('kind', '=', kind).orderBy('name').execute()
  const fields = new Map<number, EntityField[]>(rows.map(({ id }) => [id, []]))
  const fieldRows = await database
    .selectFrom('entity_fields')
    .selectAll()
    .orderBy('entity_id')
    .orderBy('ordinal')
    .execute()
  for (const row of fieldRows) fields.get(row.entity_id)?.push(entityFieldOf(row))
  return { rows, fields }
}

export async function entityFieldsOf(database: Kysely<Tables>, entityId: number): Promise<readonly EntityField[]> {
  const rows = await database
    .selectFrom('entity_fields')
    .select(['name', 'type', 'role', 'coding'])
    .where('entity_id', '=', entityId)
    .orderBy('ordinal')
    .execute()
  return rows.map(entityFieldOf)
}

function entityFieldOf(row: Pick<Tables['entity_fields'], 'name' | 'type' | 'role' | 'coding'>): EntityField {
  return { name: row.name, type: fieldTypeOf(row.type), role: fieldRoleOf(row.role), ...codingIn(row) }
}

async function insertFields(
  transaction: Transaction<Tables>,
  entityId: number,
  firstOrdinal: number,
  fields: readonly EntityField[],
): Promise<void> {
  for (const [index, { name, type, role, coding = null }] of fields.entries()) {
    await transaction
      .insertInto('entity_fields')
      .values({ entity_id: entityId, ordinal: firstOrdinal + index, name, type, role, coding })
      .execute()
  }
}
