import { type Kysely, sql, type Transaction } from 'kysely'
import type { DroppedCatalog, DroppedEntity } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { inTransaction, othersTurn } from './in-transaction.ts'
import { readConsistently } from './read-consistently.ts'

/** One transaction removes so many rows. Others get their turn in between. */
const rowsAtOnce = 500

export class DroppedRepository implements DroppedCatalog {
  readonly #database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  list(): Promise<readonly DroppedEntity[]> {
    return readConsistently(this.#database, async (transaction) => {
      const entities = await transaction.selectFrom('dropped_entities').selectAll().orderBy('entity_id').execute()
      const ingests = await transaction.selectFrom('dropped_ingests').selectAll().orderBy('ingest_id').execute()
      return entities.map(({ entity_id, removed }) => ({
        entityId: entity_id,
        ingestIds: ingests.filter((ingest) => ingest.entity_id === entity_id).map(({ ingest_id }) => ingest_id),
        isRemoved: removed === 1,
      }))
    })
  }

  async remove(entityId: number, signal: AbortSignal): Promise<boolean> {
    const ingests = await this.#database
      .selectFrom('dropped_ingests')
      .select('ingest_id')
      .where('entity_id', '=', entityId)
      .execute()
    for (const { ingest_id } of ingests)
      for (const rows of ofIngest) await this.#repeat((transaction) => removeSome(transaction, rows, ingest_id), signal)
    for (const rows of ofEntity) await this.#repeat((transaction) => removeSome(transaction, rows, entityId), signal)
    if (signal.aborted) return false
    await inTransaction(this.#database, async (transaction) => {
      for (const { ingest_id } of ingests) {
        await transaction.deleteFrom('rejected_counts').where('ingest_id', '=', ingest_id).execute()
      }
      await transaction.deleteFrom('item_counts').where('entity_id', '=', entityId).execute()
      await transaction.updateTable('dropped_entities').set({ removed: 1 }).where('entity_id', '=', entityId).execute()
    })
    return true
  }

  /** Until it has removed nothing. */
  async #repeat(remove: (transaction: Transaction<Tables>) => Promise<number>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await inTransaction(this.#database, remove)) > 0) await othersTurn()
  }
}

/** Entities that were dropped. Nothing of theirs is kept any more. */
export async function droppedOf(database: Kysely<Tables>): Promise<{ ingests: Set<number>; entities: Set<number> }> {
  const rows = await database.selectFrom('dropped_ingests').selectAll().execute()
  return {
    ingests: new Set(rows.map(({ ingest_id }) => ingest_id)),
    entities: new Set(rows.map(({ entity_id }) => entity_id)),
  }
}

/** The tables of an entity or ingest that may be long: whose its rows are, and what tells them apart. */
const ofIngest = [
  { table: 'rejected_rows', owner: 'ingest_id', keys: ['position'] },
  { table: 'rejected_batches', owner: 'ingest_id', keys: ['batch_position'] },
  { table: 'replaced_rows', owner: 'ingest_id', keys: ['batch_position'] },
  { table: 'replays_into', owner: 'ingest_id', keys: ['position'] },
  { table: 'rejected_kinds', owner: 'ingest_id', keys: ['subscriber_id', 'code', 'field_key'] },
] as const
const ofEntity = [
  { table: 'items', owner: 'entity_id', keys: ['item_key'] },
  { table: 'deleted_items', owner: 'entity_id', keys: ['item_key'] },
  { table: 'deletions', owner: 'entity_id', keys: ['id'] },
  { table: 'deletion_changes', owner: 'entity_id', keys: ['id'] },
] as const

/** The first `rowsAtOnce` rows of an owner; answers how many there were. */
async function removeSome(
  transaction: Transaction<Tables>,
  { table, owner, keys }: (typeof ofIngest)[number] | (typeof ofEntity)[number],
  id: number,
): Promise<number> {
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(owner)} = ${id} and (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${sql.ref(owner)} = ${id} order by ${columns} limit ${rowsAtOnce}
    )`.execute(transaction)
  return Number(numAffectedRows)
}
