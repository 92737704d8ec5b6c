import { timeColumn } from '../../model/druid-row.ts'
import type { Range, Selection } from '../../model/plan.ts'
import { resultTooLarge } from '../limits.ts'
import { groupBy } from './druid-query.ts'
import type { DruidRun } from './druid-run.ts'
import { allOf, intervalsOf, type NativeFilter } from './native-query.ts'
import { items } from './selected-items.ts'
import { selectionFilter } from './selection-filter.ts'
import { type TagKey, TagKeys } from './tag-keys.ts'
import { type Direction, TimeWindows } from './time-windows.ts'

/** The item found for a tag: its window, the number of the tag's items there that are nearer to the date, and the nearest date in the window. */
export interface FoundItem {
  readonly window: Range
  readonly rank: number
  /** The number of the tag's items in the window. */
  readonly items: number
  readonly nearestMs: number
}

interface TagItems {
  readonly tag: TagKey
  readonly items: number
  readonly nearestMs: number
}

/** The most tags that a query names. With more tags found, one query reads the rest of the range, for all tags. */
const namedTagsMax = 20_000

/**
 * For each tag its item nearest to the range's end (or start), after skipping `offset` of them. Searches the nearest window first, then wider ones for the
 * tags that are still missing.
 */
export async function nearestItems(
  selection: Selection,
  range: Range,
  direction: Direction,
  offset: number,
  run: DruidRun,
): Promise<ReadonlyMap<TagKey, FoundItem>> {
  const found = new Map<TagKey, FoundItem>()
  const bounds = await run.bounds('about')
  if (bounds === null || range.fromMs > range.toMs) return found
  const windows = new TimeWindows(range, direction, bounds)
  const skipped = new Map<TagKey, number>()
  let window = windows.next()
  while (window !== null) {
    const before = found.size
    for (const { tag, items: count, nearestMs } of await countItems(
      selection,
      window,
      direction,
      missing(selection, found),
      run,
    )) {
      if (found.has(tag)) continue
      const nearer = skipped.get(tag) ?? 0
      if (nearer + count > offset) found.set(tag, { window, rank: offset - nearer, items: count, nearestMs })
      else skipped.set(tag, nearer + count)
    }
    if (found.size > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, null)
    const isAll = selection.tags.length === 1 && selection.ids !== null && new Set(selection.ids).size === found.size
    if (isAll) break
    // If a wider window finds nothing more, the missing items are far away or do not exist.
    const isFruitless = found.size === before && found.size > 0
    window = isFruitless || found.size > namedTagsMax ? windows.widest() : windows.next()
  }
  return found
}

/** Filter for the tags that may still be found; null for all tags. */
function missing(selection: Selection, found: ReadonlyMap<TagKey, FoundItem>): NativeFilter | null {
  if (found.size === 0 || found.size > namedTagsMax) return null
  const tags = new TagKeys(selection)
  const isNamed = selection.tags.length === 1 && selection.ids !== null
  if (isNamed) return tags.among(selection.ids.filter((id) => !found.has(id)))
  return tags.except(new Set(found.keys()))
}

async function countItems(
  selection: Selection,
  window: Range,
  direction: Direction,
  among: NativeFilter | null,
  run: DruidRun,
): Promise<TagItems[]> {
  if (run.replacedBy !== null) return countReplaced(selection, window, direction, among, run)
  const tags = new TagKeys(selection)
  const query = {
    intervals: intervalsOf(window.fromMs, window.toMs),
    filter: allOf([among, selectionFilter(selection)]),
    virtualColumns: [],
    dimensions: tags.dimensions,
    aggregations: [
      { type: 'count', name: ':items' },
      { type: direction === 'backwards' ? 'longMax' : 'longMin', name: ':nearest', fieldName: timeColumn },
    ],
    limit: null,
  }
  const counted: TagItems[] = []
  for await (const rows of groupBy(run.target, query, [])) {
    for (const row of rows) {
      const [count, nearestMs] = row.slice(tags.columns)
      counted.push({ tag: tags.at(row, 0), items: Number(count), nearestMs: Number(nearestMs) })
    }
    if (run.pacer.spend(rows.length)) await run.pacer.rest()
  }
  return counted
}

async function countReplaced(
  selection: Selection,
  window: Range,
  direction: Direction,
  among: NativeFilter | null,
  run: DruidRun,
): Promise<TagItems[]> {
  const tags = new TagKeys(selection)
  const byTag = new Map<TagKey, TagItems>()
  for await (const rows of items({ selection, ranges: [window], filter: among, limit: null }, run)) {
    for (const row of rows) {
      const tag = tags.at(row, 1)
      const ms = Number(row[0])
      const known = byTag.get(tag) ?? { tag, items: 0, nearestMs: ms }
      const nearestMs = direction === 'backwards' ? Math.max(known.nearestMs, ms) : Math.min(known.nearestMs, ms)
      byTag.set(tag, { tag, items: known.items + 1, nearestMs })
    }
  }
  return [...byTag.values()]
}
