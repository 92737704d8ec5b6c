import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** Rows may bring fields to an ingest. */
export async function openIngests(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .alterTable('ingests')
    .addColumn('unknown', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await database.schema.alterTable('ingest_fields').addColumn('added', 'text').execute()
}
