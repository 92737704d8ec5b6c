import { type Kysely, sql, type Transaction } from 'kysely'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import type { DroppedCatalog, DroppedEntity } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { pauseForOthers, Repository } from './transactions.ts'

/** Rows removed per transaction; other changes run in between. */
const rowsAtOnce = 500

export class DroppedRepository extends Repository implements DroppedCatalog {
  list(): Promise<readonly DroppedEntity[]> {
    return this.reading(async (transaction) => {
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
    const ingests = await this.database
      .selectFrom('dropped_ingests')
      .select('ingest_id')
      .where('entity_id', '=', entityId)
      .execute()
    for (const { ingest_id } of ingests)
      for (const rows of ofIngest) await this.#repeat((transaction) => removeSome(transaction, rows, ingest_id), signal)
    for (const rows of ofEntity) await this.#repeat((transaction) => removeSome(transaction, rows, entityId), signal)
    if (signal.aborted) return false
    await this.changing(async (transaction) => {
      for (const { ingest_id } of ingests) {
        await transaction.deleteFrom('rejected_counts').where('ingest_id', '=', ingest_id).execute()
      }
      await transaction.deleteFrom('item_counts').where('entity_id', '=', entityId).execute()
      await transaction.updateTable('dropped_entities').set({ removed: 1 }).where('entity_id', '=', entityId).execute()
    })
    return true
  }

  /** Repeats until nothing was removed. */
  async #repeat(remove: (transaction: Transaction<Tables>) => Promise<number>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.changing(remove)) > 0) await pauseForOthers()
  }
}

/** Ids of dropped entities and their ingests. New data for them is not stored. */
export async function droppedOf(database: Kysely<Tables>): Promise<{ ingests: Set<number>; entities: Set<number> }> {
  const rows = await database.selectFrom('dropped_ingests').selectAll().execute()
  return {
    ingests: new Set(rows.map(({ ingest_id }) => ingest_id)),
    entities: new Set(rows.map(({ entity_id }) => entity_id)),
  }
}

/** Tables with possibly many rows per ingest or entity: the column of the owner's id, and the rest of the key. */
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

/** Removes the first `rowsAtOnce` rows of an owner, and returns their number. */
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

/** Keeps the definition, because rows in the journal refer to it; the alias no longer finds it. */
export async function markDeleted(transaction: Transaction<Tables>, { id }: Ingest, deletedMs: number): Promise<void> {
  await transaction.updateTable('ingests').set({ deleted_ms: deletedMs }).where('id', '=', id).execute()
}

/**
 * Removes the ingest's entity from the catalog with every ingest that ever fed it; its data is removed later. Throws Problem `conflict` when another ingest
 * feeds it.
 */
export async function dropEntity(transaction: Transaction<Tables>, ingest: Ingest, droppedMs: number): Promise<void> {
  const { entityId } = ingest
  const feeding = await transaction
    .selectFrom('ingests')
    .select(['id', 'alias', 'deleted_ms'])
    .where('entity_id', '=', entityId)
    .orderBy('alias')
    .execute()
  const others = feeding.filter(({ id, deleted_ms }) => deleted_ms === null && id !== ingest.id)
  if (others.length > 0)
    throw isFed(
      ingest,
      others.map(({ alias }) => alias),
    )
  await transaction
    .insertInto('dropped_entities')
    .values({ entity_id: entityId, dropped_ms: droppedMs, removed: 0 })
    .execute()
  for (const { id } of feeding) {
    await transaction.insertInto('dropped_ingests').values({ ingest_id: id, entity_id: entityId }).execute()
    await transaction.deleteFrom('ingest_fields').where('ingest_id', '=', id).execute()
    await transaction.deleteFrom('field_places').where('ingest_id', '=', id).execute()
  }
  await transaction.deleteFrom('ingests').where('entity_id', '=', entityId).execute()
  await transaction.deleteFrom('entity_fields').where('entity_id', '=', entityId).execute()
  await transaction.deleteFrom('entities').where('id', '=', entityId).execute()
}

const namedMax = 10

function isFed({ alias, entity }: Ingest, others: readonly string[]): Problem {
  const names = others.slice(0, namedMax).map((name) => `"${name}"`)
  const more = others.length > namedMax ? ` and ${others.length - namedMax} more` : ''
  return new Problem(
    'conflict',
    `The data of "${alias}" cannot be dropped: its entity "${entity}" is also fed by ${names.join(', ')}${more}. ` +
      'Delete these first, or keep the data.',
    { errors: [{ path: 'data', message: 'another ingest feeds the entity' }] },
  )
}
