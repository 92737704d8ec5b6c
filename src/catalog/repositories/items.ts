import type { Transaction } from 'kysely'
import { howManyFit } from '../../lib/how-many-fit.ts'
import type { Item } from '../../model/item.ts'
import type { KeyRange } from '../../model/item-key.ts'
import type { ItemCatalog, ItemLimits, ItemPage } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { auditedTransaction } from './audited.ts'
import { Repository } from './transactions.ts'
import { itemKeyName, lockItems } from './write-items.ts'

export class ItemRepository extends Repository implements ItemCatalog {
  list(entityId: number, range: KeyRange, limits: ItemLimits): Promise<ItemPage> {
    return this.inOneState((list) => list(entityId, range, limits))
  }

  inOneState<Result>(read: (list: ItemCatalog['list']) => Promise<Result>): Promise<Result> {
    return this.reading((transaction) => {
      return read((entityId, range, limits) => pageIn(transaction, entityId, range, limits))
    })
  }

  find(
    entityId: number,
    keys: readonly Uint8Array[],
    bytesMax: number,
  ): Promise<{ items: readonly Item[]; keysRead: number }> {
    return this.reading(async (transaction) => {
      const among = (some: readonly Uint8Array[]) =>
        transaction
          .selectFrom('items')
          .where('entity_id', '=', entityId)
          .where('item_key', 'in', [...some])
      const all = await among(keys)
        .select(({ fn }) => fn.sum<number | null>('item_bytes').as('bytes'))
        .executeTakeFirstOrThrow()
      let keysRead = keys.length
      if (Number(all.bytes) > bytesMax) {
        const sizes = await among(keys).select(['item_key', 'item_bytes']).execute()
        const sizeOf = new Map(sizes.map(({ item_key, item_bytes }) => [itemKeyName(item_key), item_bytes]))
        const bytes = keys.map((key) => sizeOf.get(itemKeyName(key)) ?? 0)
        keysRead = howManyFit(bytes, bytesMax)
      }
      const read = keys.slice(0, keysRead)
      const rows = await among(read).select(['item_key', 'attributes']).execute()
      const items = new Map(rows.map((row) => [itemKeyName(row.item_key), itemOf(row)]))
      return { items: read.flatMap((key) => items.get(itemKeyName(key)) ?? []), keysRead }
    })
  }

  async counts(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.selectFrom('item_counts').selectAll().execute()
    return new Map(rows.map(({ entity_id, items }) => [entity_id, items]))
  }

  delete(entityId: number, key: Uint8Array, beforePosition: number): Promise<boolean> {
    return auditedTransaction(this.database, async (transaction) => {
      await lockItems(transaction, entityId)
      const item = await transaction
        .selectFrom('items')
        .select('position')
        .where('entity_id', '=', entityId)
        .where('item_key', '=', key)
        .executeTakeFirst()
      if (item === undefined) return false
      // Rows pushed after the deletion was requested are not deleted.
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
  const sizes = itemsIn(transaction, entityId, range)
    .select('item_bytes')
    .limit(itemsMax + 1)
  const ahead = await transaction
    .selectFrom(sizes.as('ahead'))
    .select(({ fn }) => [fn.countAll<number>().as('items'), fn.sum<number | null>('item_bytes').as('bytes')] as const)
    .executeTakeFirstOrThrow()
  const there = Number(ahead.items)
  // Reading each size separately costs as much as reading its item.
  const count =
    Number(ahead.bytes) <= bytesMax
      ? Math.min(there, itemsMax)
      : howManyFit(
          (await sizes.limit(itemsMax).execute()).map(({ item_bytes }) => item_bytes),
          bytesMax,
        )
  if (count === 0) return { items: [], more: false }
  const rows = await itemsIn(transaction, entityId, range).select(['item_key', 'attributes']).limit(count).execute()
  return { items: rows.map(itemOf), more: there > count }
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
