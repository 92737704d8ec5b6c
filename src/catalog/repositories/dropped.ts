import type { Kysely, Transaction } from 'kysely'
import type { DroppedCatalog, DroppedEntity } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { inTransaction } from './in-transaction.ts'
import { readConsistently } from './read-consistently.ts'

/** So many rows go in one transaction: others get their turn in between. */
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
      for (const remove of [removeRejected, removeBatches, removeKinds])
        await this.#repeat((transaction) => remove(transaction, ingest_id), signal)
    await this.#repeat((transaction) => removeItems(transaction, entityId), signal)
    if (signal.aborted) return false
    await inTransaction(this.#database, async (transaction) => {
      for (const { ingest_id } of ingests) {
        await transaction.deleteFrom('rejected_counts').where('ingest_id', '=', ingest_id).execute()
      }
      await transaction.deleteFrom('deleted_items').where('entity_id', '=', entityId).execute()
      await transaction.deleteFrom('item_counts').where('entity_id', '=', entityId).execute()
      await transaction.updateTable('dropped_entities').set({ removed: 1 }).where('entity_id', '=', entityId).execute()
    })
    return true
  }

  /** Until it has removed nothing. */
  async #repeat(remove: (transaction: Transaction<Tables>) => Promise<number>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await inTransaction(this.#database, remove)) > 0) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** Entities that were dropped: what is of them is kept no more. */
export async function droppedOf(database: Kysely<Tables>): Promise<{ ingests: Set<number>; entities: Set<number> }> {
  const rows = await database.selectFrom('dropped_ingests').selectAll().execute()
  return {
    ingests: new Set(rows.map(({ ingest_id }) => ingest_id)),
    entities: new Set(rows.map(({ entity_id }) => entity_id)),
  }
}

async function removeRejected(transaction: Transaction<Tables>, ingestId: number): Promise<number> {
  const rows = await transaction
    .selectFrom('rejected_rows')
    .select('position')
    .where('ingest_id', '=', ingestId)
    .orderBy('position')
    .limit(rowsAtOnce)
    .execute()
  const last = rows.at(-1)
  if (last === undefined) return 0
  await transaction
    .deleteFrom('rejected_rows')
    .where('ingest_id', '=', ingestId)
    .where('position', '<=', last.position)
    .execute()
  return rows.length
}

async function removeBatches(transaction: Transaction<Tables>, ingestId: number): Promise<number> {
  const batches = await transaction
    .selectFrom('rejected_batches')
    .select('batch_position')
    .where('ingest_id', '=', ingestId)
    .orderBy('batch_position')
    .limit(rowsAtOnce)
    .execute()
  const last = batches.at(-1)
  if (last === undefined) return 0
  await transaction
    .deleteFrom('rejected_batches')
    .where('ingest_id', '=', ingestId)
    .where('batch_position', '<=', last.batch_position)
    .execute()
  return batches.length
}

async function removeKinds(transaction: Transaction<Tables>, ingestId: number): Promise<number> {
  const kinds = await transaction
    .selectFrom('rejected_kinds')
    .select(['subscriber_id', 'code', 'field_key'])
    .where('ingest_id', '=', ingestId)
    .limit(rowsAtOnce)
    .execute()
  for (const { subscriber_id, code, field_key } of kinds) {
    await transaction
      .deleteFrom('rejected_kinds')
      .where('ingest_id', '=', ingestId)
      .where('subscriber_id', '=', subscriber_id)
      .where('code', '=', code)
      .where('field_key', '=', field_key)
      .execute()
  }
  return kinds.length
}

async function removeItems(transaction: Transaction<Tables>, entityId: number): Promise<number> {
  const rows = await transaction
    .selectFrom('items')
    .select('item_key')
    .where('entity_id', '=', entityId)
    .orderBy('item_key')
    .limit(rowsAtOnce)
    .execute()
  const last = rows.at(-1)
  if (last === undefined) return 0
  await transaction
    .deleteFrom('items')
    .where('entity_id', '=', entityId)
    .where('item_key', '<=', last.item_key)
    .execute()
  return rows.length
}
