import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

export async function items(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('items')
    .addColumn('entity_id', 'bigint', (column) => column.notNull())
    .addColumn('item_key', 'bytea', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('item_bytes', 'integer', (column) => column.notNull())
    .addColumn('attributes', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('items_key', ['entity_id', 'item_key'])
    .execute()
  await database.schema
    .createTable('deleted_items')
    .addColumn('entity_id', 'bigint', (column) => column.notNull())
    .addColumn('item_key', 'bytea', (column) => column.notNull())
    .addColumn('before_position', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('deleted_items_key', ['entity_id', 'item_key'])
    .execute()
  await database.schema
    .createTable('item_counts')
    .addColumn('entity_id', 'bigint', (column) => column.primaryKey())
    .addColumn('items', 'bigint', (column) => column.notNull())
    .execute()
}
