import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

/** Which entities of a cluster wait for slots of Druid. */
export async function slotWaits(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('slot_waits')
    .addColumn('entity_id', 'bigint', (column) => column.primaryKey())
    .addColumn('since_ms', 'bigint', (column) => column.notNull())
    .execute()
}
