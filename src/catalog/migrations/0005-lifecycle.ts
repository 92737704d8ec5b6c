import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** What replay, retention and dropped entities need. */
export async function lifecycle(database: Kysely<Tables>): Promise<void> {
  await database.schema.alterTable('rejected_rows').addColumn('replay_position', 'bigint').execute()
  await database.schema.alterTable('entities').addColumn('retention', 'text').execute()
  await database.schema.alterTable('entities').addColumn('since_ms', 'bigint').execute()
  await database.schema
    .createTable('dropped_entities')
    .addColumn('entity_id', 'bigint', (column) => column.primaryKey())
    .addColumn('dropped_ms', 'bigint', (column) => column.notNull())
    .addColumn('removed', 'integer', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('dropped_ingests')
    .addColumn('ingest_id', 'bigint', (column) => column.primaryKey())
    .addColumn('entity_id', 'bigint', (column) => column.notNull().references('dropped_entities.entity_id'))
    .execute()
}
