import { type Kysely, sql } from 'kysely'
import type { Tables } from '../schema.ts'

/** The processes of a cluster are told when a definition or an access right changes; PostgreSQL alone can do that. */
export async function announcements(database: Kysely<Tables>): Promise<void> {
  await sql`
    create function announce_change() returns trigger language plpgsql as
    $$ begin perform pg_notify('tidemark.' || tg_table_schema, ''); return null; end $$`.execute(database)
  await sql`
    create trigger counters_announce after update on counters for each row
    when (new.name in ('definitions_version', 'access_version'))
    execute function announce_change()`.execute(database)
}
