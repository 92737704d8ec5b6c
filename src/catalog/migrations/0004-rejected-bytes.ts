import { type Kysely, sql } from 'kysely'
import type { Tables } from '../schema.ts'

/** What the rejected rows of an ingest take is bounded, so it is counted. */
export async function rejectedBytes(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .alterTable('rejected_counts')
    .addColumn('kept_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`
    update rejected_counts set kept_bytes = coalesce(
      (select sum(row_bytes + 128) from rejected_rows
        where rejected_rows.ingest_id = rejected_counts.ingest_id and state = 'kept'), 0)`.execute(database)
}
