// The rows that hours are made of: those with given dates and positions, without deleted rows.
import { hiddenFilter } from '../../../algebra/hidden-in-druid.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { PositionRange } from '../../../model/deletion.ts'
import { type Entity, type EntityField, fieldsOfRole, timeField } from '../../../model/entity.ts'
import type { Range, Selection } from '../../../model/plan.ts'
import { type QueryTarget, type RawRows, scan } from '../druid-query.ts'
import { itemColumns } from '../druid-run.ts'
import { byTimeAndPosition } from '../items-in-order.ts'
import { intervalsOf, type NativeFilter } from '../native-query.ts'
import { replacedItems } from '../replaced-items.ts'
import { rowWindows } from '../row-windows.ts'
import { type Item, itemFields } from './hours-of-items.ts'

/** The approximate number of rows in memory at once. */
const windowRows = 200_000

export type ExpiringEntity = Pick<Entity, 'id' | 'fields' | 'duplicates'>

export interface ExpiringRows {
  readonly dates: Range
  readonly pushed: readonly PositionRange[]
}

export interface ExpiredItemsRun {
  /** Includes the deletions of the entity. */
  readonly target: QueryTarget
  readonly pacer: Pacer
}

/**
 * Items in order of time and position, in the form that `hoursOfItems` reads. Items of any quality are included, and also those whose metrics are all null.
 * Where newer rows replace older ones, each item is returned once.
 */
export async function* expiredItems(
  entity: ExpiringEntity,
  { dates, pushed }: ExpiringRows,
  { target, pacer }: ExpiredItemsRun,
): AsyncGenerator<readonly Item[]> {
  const selection = selectionOf(entity)
  const filter = pushedIn(pushed, selection.tags[0].name)
  for (const window of await rowWindows(target, dates, filter, windowRows)) {
    const items: Item[] = []
    for await (const part of read(entity, selection, { window, filter }, { target, pacer })) {
      for (const item of part) items.push(item)
      if (pacer.spend(part.length * selection.metrics.length)) await pacer.rest()
    }
    yield await byTimeAndPosition(items, { pacer })
  }
}

/** The number of rows that these items consist of. */
export async function countLeft(
  entity: ExpiringEntity,
  { dates, pushed }: ExpiringRows,
  target: QueryTarget,
): Promise<number> {
  const filter = pushedIn(pushed, selectionOf(entity).tags[0].name)
  const windows = await rowWindows(target, dates, filter, Number.MAX_SAFE_INTEGER)
  return windows.reduce((sum, { rows }) => sum + rows, 0)
}

function read(
  entity: ExpiringEntity,
  selection: Selection,
  { window, filter }: { readonly window: Range; readonly filter: NativeFilter },
  { target, pacer }: ExpiredItemsRun,
): AsyncGenerator<RawRows> {
  if (entity.duplicates === 'replace') {
    const query = { selection, ranges: [window], filter, limit: null }
    return replacedItems(query, selection.tags, { target, pacer })
  }
  const { columns, longs } = itemColumns(selection)
  return scan(target, { intervals: intervalsOf(window.fromMs, window.toMs), filter, columns, limit: null }, longs)
}

/** Metrics that hours are kept of come first. The others only matter because a value of one makes a row an item. */
function selectionOf(entity: ExpiringEntity): Selection {
  const { tags, quality, metrics } = itemFields(entity)
  const [tag, ...others] = tags
  if (tag === undefined) throw new Error('a series entity has a tag by its definition')
  const all = fieldsOfRole(entity, 'metric')
  const isKept = ({ name }: EntityField): boolean => metrics.some((metric) => metric.name === name)
  return {
    ...{
      entityId: entity.id,
      sinceMs: null,
      time: timeField(entity),
      tags: [tag, ...others],
      ids: null,
      prefixes: null,
    },
    metrics: [...all.filter(isKept), ...all.filter((metric) => !isKept(metric))],
    fields: quality === null ? [] : [quality],
  }
}

function pushedIn(pushed: readonly PositionRange[], tag: string): NativeFilter {
  const all = { tag, ids: null, prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
  return hiddenFilter({ selection: all, pushed, items: null })
}
