import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** How far the journal surely reached. One row at most, with a checksum of its own. */
export async function journalEnd(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('journal_end')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('checksum', 'bigint', (column) => column.notNull())
    .execute()
}
