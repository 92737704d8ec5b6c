import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** What is sealed. Every row has a checksum of its own: a wrong number here could hide rows. */
export async function storeFiles(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('store_files')
    .addColumn('entity_id', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('day', 'integer')
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('first_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_ms', 'bigint', (column) => column.notNull())
    .addColumn('first_position', 'bigint', (column) => column.notNull())
    .addColumn('last_position', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('index_bytes', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('store_files_key', ['entity_id', 'name'])
    .execute()
  await database.schema
    .createTable('store_registries')
    .addColumn('entity_id', 'bigint', (column) => column.primaryKey())
    .addColumn('series', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('ingest_counts')
    .addColumn('ingest_id', 'bigint', (column) => column.primaryKey())
    .addColumn('judged', 'bigint', (column) => column.notNull())
    .addColumn('rejected', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute()
  // One row at most.
  await database.schema
    .createTable('store_state')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('sealed_position', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute()
}
