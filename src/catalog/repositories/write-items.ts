import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import type { ItemWrite } from '../../model/item.ts'
import type { Tables } from '../schema.ts'
import { portions } from './portions.ts'

type ItemRecord = Tables['items']
type Statement = 'insert' | 'upsert'

/** Writes items. For each key the item pushed last wins, in whatever order and however often items are written. */
export class ItemWriter {
  readonly #database: Kysely<Tables>
  /** SQL by statement and number of records. Building a statement costs more than running it, so each is built once. */
  readonly #statements = new Map<string, string>()

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  async keep(transaction: Transaction<Tables>, items: readonly ItemWrite[]): Promise<void> {
    for (const [entityId, newest] of newestByEntity(items)) {
      await addToCount(transaction, entityId, 0)
      const records = [...(await withoutDeleted(transaction, entityId, newest)).values()]
      let added = 0
      for (const portion of portions(records)) {
        const fresh = await this.#run(transaction, 'insert', portion)
        added += fresh
        if (fresh < portion.length) await this.#run(transaction, 'upsert', portion)
        // Lets queries to the store run in between.
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (added > 0) await addToCount(transaction, entityId, added)
    }
  }

  async #run(transaction: Transaction<Tables>, statement: Statement, records: readonly ItemRecord[]): Promise<number> {
    const parameters = records.flatMap((record) => columns.map((column) => record[column]))
    const result = await transaction.executeQuery(CompiledQuery.raw(this.#sql(statement, records), parameters))
    return Number(result.numAffectedRows ?? 0n)
  }

  #sql(statement: Statement, records: readonly ItemRecord[]): string {
    const name = `${statement} ${records.length}`
    const known = this.#statements.get(name)
    if (known !== undefined) return known
    const { sql } = this.#database
      .insertInto('items')
      .columns(columns)
      .values(records)
      .onConflict((conflict) => {
        const same = conflict.columns(['entity_id', 'item_key'])
        if (statement === 'insert') return same.doNothing()
        return same
          .doUpdateSet((column) => ({
            position: column.ref('excluded.position'),
            item_bytes: column.ref('excluded.item_bytes'),
            attributes: column.ref('excluded.attributes'),
          }))
          .whereRef('items.position', '<', 'excluded.position')
      })
      .compile()
    this.#statements.set(name, sql)
    return sql
  }
}

/** In the same order as `recordOf`, which is the order of the parameters. */
const columns = [
  'entity_id',
  'item_key',
  'position',
  'item_bytes',
  'attributes',
] as const satisfies readonly (keyof ItemRecord)[]

function recordOf({ entityId, key, position, attributes }: ItemWrite): ItemRecord {
  return {
    entity_id: entityId,
    item_key: key,
    position,
    item_bytes: key.length + Buffer.byteLength(attributes),
    attributes,
  }
}

/** The newest item of each key, by entity id (the order in which entities are locked) and by the key's characters. A statement may write a row only once. */
function newestByEntity(items: readonly ItemWrite[]): ReadonlyMap<number, Map<string, ItemRecord>> {
  const entities = new Map<number, Map<string, ItemRecord>>()
  for (const item of items) {
    const newest = entities.get(item.entityId) ?? new Map<string, ItemRecord>()
    entities.set(item.entityId, newest)
    const name = itemKeyName(item.key)
    const known = newest.get(name)
    if (known === undefined || known.position < item.position) newest.set(name, recordOf(item))
  }
  return new Map([...entities].sort(([a], [b]) => a - b))
}

export function itemKeyName(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

/** Removes items that were deleted after they were pushed, and forgets deletions of items that were pushed later. */
async function withoutDeleted(
  transaction: Transaction<Tables>,
  entityId: number,
  newest: Map<string, ItemRecord>,
): Promise<ReadonlyMap<string, ItemRecord>> {
  const deleted = transaction.selectFrom('deleted_items').where('entity_id', '=', entityId)
  if ((await deleted.select('entity_id').limit(1).executeTakeFirst()) === undefined) return newest
  for (const portion of portions([...newest.values()])) {
    const keys = portion.map(({ item_key }) => item_key)
    const found = await deleted.select(['item_key', 'before_position']).where('item_key', 'in', keys).execute()
    for (const { item_key, before_position } of found) {
      const name = itemKeyName(item_key)
      if (newest.get(name)!.position < before_position) newest.delete(name)
      else await forgetDeletion(transaction, entityId, item_key)
    }
  }
  return newest
}

/** Prevents other transactions from adding or deleting items of the entity until this one ends, if the entity has any. */
export async function lockItems(transaction: Transaction<Tables>, entityId: number): Promise<void> {
  await transaction
    .updateTable('item_counts')
    .set((column) => ({ items: column.ref('items') }))
    .where('entity_id', '=', entityId)
    .execute()
}

async function forgetDeletion(transaction: Transaction<Tables>, entityId: number, key: Uint8Array): Promise<void> {
  await transaction.deleteFrom('deleted_items').where('entity_id', '=', entityId).where('item_key', '=', key).execute()
}

/** Adds to the entity's count. Like `lockItems`, prevents other transactions from adding or deleting its items, even if 0 is added. */
async function addToCount(transaction: Transaction<Tables>, entityId: number, items: number): Promise<void> {
  await transaction
    .insertInto('item_counts')
    .values({ entity_id: entityId, items })
    .onConflict((conflict) =>
      conflict.column('entity_id').doUpdateSet((column) => ({ items: column('item_counts.items', '+', items) })),
    )
    .execute()
}
