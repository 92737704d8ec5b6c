import type { SlotWaitCatalog } from '../cluster-catalog.ts'
import { Repository } from './transactions.ts'

export class SlotWaitRepository extends Repository implements SlotWaitCatalog {
  async list(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.selectFrom('slot_waits').selectAll().execute()
    return new Map(rows.map(({ entity_id, since_ms }) => [entity_id, since_ms]))
  }

  async put(entityIds: readonly number[], nowMs: number): Promise<boolean> {
    const before = await this.list()
    const added = entityIds.filter((id) => !before.has(id))
    const waiting = new Set(entityIds)
    const removed = [...before.keys()].filter((id) => !waiting.has(id))
    if (added.length + removed.length === 0) return false
    await this.changing(async (transaction) => {
      if (removed.length > 0) await transaction.deleteFrom('slot_waits').where('entity_id', 'in', removed).execute()
      // All transactions lock rows in the same order, to avoid deadlocks.
      for (const id of added.toSorted((a, b) => a - b)) {
        await transaction
          .insertInto('slot_waits')
          .values({ entity_id: id, since_ms: nowMs })
          .onConflict((conflict) => conflict.column('entity_id').doNothing())
          .execute()
      }
    })
    return true
  }
}
