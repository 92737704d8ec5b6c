import type { Kysely, Transaction } from 'kysely'
import { howManyFit } from '../../lib/how-many-fit.ts'
import type { Item } from '../../model/item.ts'
import { type KeyRange, keyAfter } from '../../model/item-key.ts'
import type { ItemCatalog, ItemLimits, ItemPage } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { auditedTransaction } from './audited.ts'
import { readConsistently } from './read-consistently.ts'
import { itemKeyName, lockItems } from './write-items.ts'

export class ItemRepository implements ItemCatalog {
  readonly #database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  list(entityId: number, range: KeyRange, limits: ItemLimits): Promise<ItemPage> {
    return this.inOneState((list) => list(entityId, range, limits))
  }

  inOneState<Result>(read: (list: ItemCatalog['list']) => Promise<Result>): Promise<Result> {
    return readConsistently(this.#database, (transaction) => {
      return read((entityId, range, limits) => pageIn(transaction, entityId, range, limits))
    })
  }

  find(
    entityId: number,
    keys: readonly Uint8Array[],
    bytesMax: number,
  ): Promise<{ items: readonly Item[]; keysRead: number }> {
    return readConsistently(this.#database, async (transaction) => {
      const select = transaction.selectFrom('items').where('entity_id', '=', entityId)
      const sizes = await select
        .select(['item_key', 'item_bytes'])
        .where('item_key', 'in', [...keys])
        .execute()
      const sizeOf = new Map(sizes.map(({ item_key, item_bytes }) => [itemKeyName(item_key), item_bytes]))
      const bytes = keys.map((key) => sizeOf.get(itemKeyName(key)) ?? 0)
      const keysRead = howManyFit(bytes, bytesMax)
      const wanted = keys.slice(0, keysRead).filter((key) => sizeOf.has(itemKeyName(key)))
      if (wanted.length === 0) return { items: [], keysRead }
      const rows = await select.select(['item_key', 'attributes']).where('item_key', 'in', wanted).execute()
      const items = new Map(rows.map((row) => [itemKeyName(row.item_key), itemOf(row)]))
      return { items: wanted.map((key) => items.get(itemKeyName(key))!), keysRead }
    })
  }

  async counts(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#database.selectFrom('item_counts').selectAll().execute()
    return new Map(rows.map(({ entity_id, items }) => [entity_id, items]))
  }

  delete(entityId: number, key: Uint8Array, beforePosition: number): Promise<boolean> {
    return auditedTransaction(this.#database, async (transaction) => {
      await lockItems(transaction, entityId)
      const item = await transaction
        .selectFrom('items')
        .select('position')
        .where('entity_id', '=', entityId)
        .where('item_key', '=', key)
        .executeTakeFirst()
      if (item === undefined) return false
      // What was pushed after the deletion was asked for is not meant by it.
      if (item.position < beforePosition) await remove(transaction, entityId, key, beforePosition)
      return true
    })
  }
}

async function pageIn(
  transaction: Transaction<Tables>,
  entityId: number,
  range: KeyRange,
  { itemsMax, bytesMax }: ItemLimits,
): Promise<ItemPage> {
  const sizes = await itemsIn(transaction, entityId, range)
    .select(['item_key', 'item_bytes'])
    .limit(itemsMax + 1)
    .execute()
  const bytes = sizes.slice(0, itemsMax).map(({ item_bytes }) => item_bytes)
  const count = howManyFit(bytes, bytesMax)
  if (count === 0) return { items: [], more: false }
  // One upper bound alone: SQLite would walk to the further of two, and throw away what the nearer one leaves out.
  const counted = { from: range.from, to: keyAfter(sizes[count - 1]!.item_key) }
  const rows = await itemsIn(transaction, entityId, counted).select(['item_key', 'attributes']).execute()
  return { items: rows.map(itemOf), more: sizes.length > count }
}

function itemsIn(transaction: Transaction<Tables>, entityId: number, { from, to }: KeyRange) {
  return transaction
    .selectFrom('items')
    .where('entity_id', '=', entityId)
    .where('item_key', '>=', from)
    .$if(to !== null, (query) => query.where('item_key', '<', to ?? from))
    .orderBy('item_key')
}

function itemOf({ item_key, attributes }: { item_key: Uint8Array; attributes: string }): Item {
  return { key: item_key, attributes }
}

async function remove(
  transaction: Transaction<Tables>,
  entityId: number,
  key: Uint8Array,
  beforePosition: number,
): Promise<void> {
  await transaction.deleteFrom('items').where('entity_id', '=', entityId).where('item_key', '=', key).execute()
  await transaction
    .insertInto('deleted_items')
    .values({ entity_id: entityId, item_key: key, before_position: beforePosition })
    .onConflict((conflict) =>
      conflict.columns(['entity_id', 'item_key']).doUpdateSet({ before_position: beforePosition }),
    )
    .execute()
  await transaction
    .updateTable('item_counts')
    .set((column) => ({ items: column('items', '-', 1) }))
    .where('entity_id', '=', entityId)
    .execute()
}
