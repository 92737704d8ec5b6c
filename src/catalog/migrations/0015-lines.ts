import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** Ingests say how lines of line protocol become rows, and rejected rows whether they are lines. */
export async function lines(database: Kysely<Tables>): Promise<void> {
  await database.schema.alterTable('ingests').addColumn('lines_tag', 'text').execute()
  await database.schema.alterTable('rejected_rows').addColumn('line_format', 'text').execute()
}
