import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** What each lane's judge was at, for who comes after it. */
export async function laneNotes(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('lane_notes')
    .addColumn('lane', 'integer', (column) => column.primaryKey())
    .addColumn('note', 'text', (column) => column.notNull())
    .execute()
}
