import type { Kysely, Transaction } from 'kysely'
import { partitionOf } from '../../journal/partition-position.ts'
import type { Field } from '../../model/field.ts'
import type { FieldStart } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { toTextColumn } from './text-column.ts'

/** From where on rows have the fields of an ingest, in the order of the fields. */
export async function sinceOf(database: Kysely<Tables>, ingestId: number): Promise<readonly FieldStart[]> {
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

/** Records that the row at this position has these fields. Only the first position per partition is kept. */
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
