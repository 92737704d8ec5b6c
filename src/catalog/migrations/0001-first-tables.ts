// Tested by `test/contract/catalog.test.ts`.

import { type Kysely, sql } from 'kysely'
import { counterNames, type Tables } from '../schema.ts'

export async function firstTables(database: Kysely<Tables>): Promise<void> {
  await createCounters(database)
  await createIngests(database)
  await createAccess(database)
  await createRejected(database)
}

async function createCounters(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('counters')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute()
  await database
    .insertInto('counters')
    .values(counterNames.map((name) => ({ name, value: 0 })))
    .execute()
  await database.schema
    .createTable('secrets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
}

async function createIngests(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('entities')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('duplicates', 'text', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('entity_fields')
    .addColumn('entity_id', 'bigint', (column) => column.notNull().references('entities.id'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('entity_fields_key', ['entity_id', 'ordinal'])
    .execute()
  await database.schema
    .createTable('ingests')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('alias', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('entity_id', 'bigint', (column) => column.notNull().references('entities.id'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('fields_version', 'integer', (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('deleted_ms', 'bigint')
    .execute()
  await database.schema
    .createIndex('ingests_by_alias')
    .on('ingests')
    .column('alias')
    .unique()
    .where(sql.ref('deleted_ms'), 'is', null)
    .execute()
  await database.schema
    .createTable('ingest_fields')
    .addColumn('ingest_id', 'bigint', (column) => column.notNull().references('ingests.id'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('ingest_fields_key', ['ingest_id', 'ordinal'])
    .execute()
}

async function createAccess(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('subscribers')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('subscriber_id', 'bigint', (column) => column.notNull().references('subscribers.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('rights', 'text', (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_ms', 'bigint')
    .execute()
  await database.schema
    .createTable('subscriptions')
    .addColumn('subscriber_id', 'bigint', (column) => column.notNull().references('subscribers.id'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('ingest', 'text')
    .addColumn('entity', 'text')
    .addColumn('from_ms', 'bigint')
    .addColumn('until_ms', 'bigint')
    .addColumn('suspended', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('subscriptions_key', ['subscriber_id', 'ordinal'])
    .execute()
}

async function createRejected(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('rejected_rows')
    .addColumn('ingest_id', 'bigint', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('batch_position', 'bigint', (column) => column.notNull())
    .addColumn('batch_rows', 'integer', (column) => column.notNull())
    .addColumn('subscriber_id', 'bigint', (column) => column.notNull())
    .addColumn('row_index', 'integer', (column) => column.notNull())
    .addColumn('row_bytes', 'integer', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('field', 'text')
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('received_ms', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('row_text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('rejected_rows_key', ['ingest_id', 'position'])
    .execute()
  await database.schema
    .createIndex('rejected_rows_by_batch')
    .on('rejected_rows')
    .columns(['ingest_id', 'batch_position', 'position'])
    .execute()
  await database.schema
    .createIndex('rejected_rows_by_code')
    .on('rejected_rows')
    .columns(['ingest_id', 'code', 'position'])
    .execute()
  await database.schema
    .createTable('rejected_counts')
    .addColumn('ingest_id', 'bigint', (column) => column.primaryKey())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .execute()
}
