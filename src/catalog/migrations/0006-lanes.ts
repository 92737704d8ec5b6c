import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** How far each lane of a cluster's journal is, and which push each idempotency key stands for. */
export async function lanes(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('lanes')
    .addColumn('lane', 'integer', (column) => column.primaryKey())
    .addColumn('kept_position', 'bigint', (column) => column.notNull())
    .addColumn('processed_position', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('judged_rows')
    .addColumn('ingest_id', 'bigint', (column) => column.primaryKey())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('push_keys')
    .addColumn('key_hash', 'bytea', (column) => column.primaryKey())
    .addColumn('body_hash', 'bytea', (column) => column.notNull())
    .addColumn('received_ms', 'bigint', (column) => column.notNull())
    .addColumn('reservation', 'text')
    .addColumn('uncertain', 'integer', (column) => column.notNull())
    .addColumn('position', 'bigint')
    .addColumn('batch_rows', 'integer', (column) => column.notNull())
    .addColumn('judged', 'integer', (column) => column.notNull())
    .addColumn('previous_position', 'bigint')
    .execute()
  await database.schema.createIndex('push_keys_by_date').on('push_keys').column('received_ms').execute()
}
