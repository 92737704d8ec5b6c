import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** From which position on a lane's rows have a field that a row brought, whatever version they were pushed to. */
export async function fieldPlaces(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('field_places')
    .addColumn('ingest_id', 'integer', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('lane', 'integer', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('field_places_key', ['ingest_id', 'source', 'lane'])
    .execute()
}
