import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** What queries are to see of a cluster's rows, and what they were found to see. Rows from before are taken to be seen. */
export async function storedRows(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('stored_rows')
    .addColumn('lane', 'integer', (column) => column.notNull())
    .addColumn('ingest_id', 'bigint', (column) => column.notNull())
    .addColumn('entity_id', 'bigint', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('ms', 'bigint', (column) => column.notNull())
    .addColumn('through_position', 'bigint', (column) => column.notNull())
    .addColumn('replayed_position', 'bigint', (column) => column.notNull())
    .addColumn('seen_position', 'bigint', (column) => column.notNull())
    .addColumn('seen_rows', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('stored_rows_key', ['ingest_id', 'lane'])
    .execute()
}
