import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** Entries of the journal that are not judged any more, with their bodies in parts. */
export async function setAside(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('set_aside')
    .addColumn('position', 'bigint', (column) => column.primaryKey())
    .addColumn('from_position', 'bigint', (column) => column.notNull())
    .addColumn('level', 'integer', (column) => column.notNull())
    .addColumn('ingest_id', 'bigint', (column) => column.notNull())
    .addColumn('fields_version', 'integer', (column) => column.notNull())
    .addColumn('subscriber_id', 'bigint', (column) => column.notNull())
    .addColumn('received_ms', 'bigint', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('body_bytes', 'bigint', (column) => column.notNull())
    .addColumn('set_aside_ms', 'bigint', (column) => column.notNull())
    .addColumn('let_go', 'integer', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('set_aside_bodies')
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'bytea', (column) => column.notNull())
    .addPrimaryKeyConstraint('set_aside_bodies_key', ['position', 'part'])
    .execute()
}
