import type { Kysely, Transaction } from 'kysely'
import { partitionOf } from '../../journal/partition-position.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Field } from '../../model/field.ts'
import { KnownFields } from '../../model/known-fields.ts'
import type { FieldSince } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { toTextColumn } from './text-column.ts'

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

/** Since when rows have the fields of an ingest, in their order. */
export async function sinceOf(database: Kysely<Tables>, ingestId: number): Promise<readonly FieldSince[]> {
  const fields = await database
    .selectFrom('ingest_fields')
    .select(['source', 'version'])
    .where('ingest_id', '=', ingestId)
    .orderBy('ordinal')
    .execute()
  const rows = await database.selectFrom('field_places').selectAll().where('ingest_id', '=', ingestId).execute()
  const places = new Map<string, Map<number, number>>()
  for (const { source, partition, position } of rows) {
    const ofField = places.get(source) ?? new Map<number, number>()
    places.set(source, ofField.set(partition, position))
  }
  return fields.map(({ source, version }) => ({ version, places: places.get(source) ?? new Map<number, number>() }))
}

/** The row at this position brings these fields: the first of its partition counts. */
export async function notePlaces(
  transaction: Transaction<Tables>,
  ingestId: number,
  fields: readonly Field[],
  position: number,
): Promise<void> {
  const partition = partitionOf(position)
  for (const { source } of fields) {
    await transaction
      .insertInto('field_places')
      .values({ ingest_id: ingestId, source: toTextColumn(source), partition, position })
      .onConflict((conflict) => conflict.columns(['ingest_id', 'source', 'partition']).doNothing())
      .execute()
  }
}
