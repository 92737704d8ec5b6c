import { compareCodePoints } from '../../lib/compare-code-points.ts'
import { Problem } from '../../model/problem.ts'
import type { Tables } from '../schema.ts'
import type { PutViewOptions, SavedView, ViewCatalog, ViewHead } from '../views.ts'
import { versionedChange } from './audited.ts'
import { fromTextColumn, toTextColumn } from './text-column.ts'
import { Repository } from './transactions.ts'

const headColumns = ['name', 'subscriber_id', 'subscriber', 'entities', 'cells', 'changed_ms'] as const

export class ViewRepository extends Repository implements ViewCatalog {
  async list(): Promise<readonly ViewHead[]> {
    const rows = await this.database.selectFrom('views').select(headColumns).execute()
    return rows.map(headOf).sort((a, b) => compareCodePoints(a.name, b.name))
  }

  async find(name: string): Promise<SavedView | null> {
    const row = await this.database
      .selectFrom('views')
      .selectAll()
      .where('name', '=', toTextColumn(name))
      .executeTakeFirst()
    return row === undefined ? null : { ...headOf(row), definition: row.definition }
  }

  put(
    { name, subscriberId, subscriber, entities, cells, definition, changedMs }: SavedView,
    { viewsMax, isAnyones, knownMs }: PutViewOptions,
  ): Promise<boolean> {
    const key = toTextColumn(name)
    const columns = { entities: JSON.stringify(entities), cells, definition }
    return versionedChange(this.database, 'views_version', async (transaction) => {
      const all = await transaction.selectFrom('views').select(['name', 'subscriber_id', 'changed_ms']).execute()
      const before = all.find((row) => row.name === key)
      if (knownMs !== undefined && knownMs !== (before?.changed_ms ?? null)) {
        throw new Problem('conflict', otherName(name, { isThere: before !== undefined, isNew: knownMs === null }))
      }
      if (before !== undefined) {
        if (!isAnyones && before.subscriber_id !== subscriberId) throw new Problem('conflict', foreignName(name))
        const changed = { ...columns, changed_ms: Math.max(changedMs, before.changed_ms + 1) }
        await transaction.updateTable('views').set(changed).where('name', '=', key).execute()
        return false
      }
      if (all.length >= viewsMax) {
        throw new Problem('conflict', `There are already ${viewsMax} views, the most allowed. Delete one first.`)
      }
      const maker = { subscriber_id: subscriberId, subscriber: toTextColumn(subscriber) }
      await transaction
        .insertInto('views')
        .values({ name: key, ...maker, ...columns, changed_ms: changedMs })
        .execute()
      return true
    })
  }

  delete(name: string, subscriberId: number | null): Promise<boolean> {
    return versionedChange(this.database, 'views_version', async (transaction) => {
      const named = transaction.deleteFrom('views').where('name', '=', toTextColumn(name))
      const own = subscriberId === null ? named : named.where('subscriber_id', '=', subscriberId)
      const { numDeletedRows } = await own.executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    })
  }
}

function otherName(name: string, { isThere, isNew }: { readonly isThere: boolean; readonly isNew: boolean }): string {
  if (isNew) return `There is already a view "${name}". Choose another name.`
  return `The view "${name}" was ${isThere ? 'saved' : 'deleted'} by someone else meanwhile. Reload it.`
}

const foreignName = (name: string): string =>
  `The view "${name}" belongs to another subscriber. Only its owner or an operator may change it. Save yours under another name.`

function headOf(row: Pick<Tables['views'], (typeof headColumns)[number]>): ViewHead {
  return {
    name: fromTextColumn(row.name),
    subscriberId: row.subscriber_id,
    subscriber: fromTextColumn(row.subscriber),
    entities: JSON.parse(row.entities),
    cells: row.cells,
    changedMs: row.changed_ms,
  }
}
