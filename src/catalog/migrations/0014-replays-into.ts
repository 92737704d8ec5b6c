import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** What replays have stored in an ingest of the rejected rows of another: it is known also when these are gone. */
export async function replaysInto(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('replays_into')
    .addColumn('ingest_id', 'bigint', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('stored', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('replays_into_key', ['ingest_id', 'position'])
    .execute()
}
