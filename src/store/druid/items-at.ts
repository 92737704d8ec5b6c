// Reads items by tags and dates that an earlier query has found.
import { timeColumn } from '../../model/druid-row.ts'
import { msPerDay } from '../../model/instant.ts'
import type { Selection } from '../../model/plan.ts'
import { type DruidRun, itemColumns } from './druid-run.ts'
import type { NativeFilter } from './native-query.ts'
import { items } from './selected-items.ts'
import { type TagKey, TagKeys } from './tag-keys.ts'

/** The most dates that are read as separate ranges: each range costs Druid as much as reading tens of thousands of rows. */
const exactRangesMax = 16
/** With more dates, those closer together than this are read as one range, with the rows between them: a segment covers a day. */
const apartMs = msPerDay
/** The most ranges of time in one query. */
const rangesMax = 100

/** The dates to read for each tag. */
export type DatesOfTag = ReadonlyMap<TagKey, ReadonlySet<number>>

/** An item as Druid returns it, with all item columns. */
export interface PlacedItem {
  readonly tag: TagKey
  readonly ms: number
  readonly position: number
  readonly row: readonly unknown[]
}

/**
 * Reads the items of these tags and dates. If a tag has several at one date, the one pushed last, or first, is returned. Druid also returns rows of other
 * tags at these dates; they are skipped.
 */
export async function itemsAt(
  selection: Selection,
  wanted: DatesOfTag,
  which: 'newest' | 'oldest',
  run: DruidRun,
): Promise<PlacedItem[]> {
  const { columns } = itemColumns(selection)
  const times = [...new Set([...wanted.values()].flatMap((dates) => [...dates]))].sort((left, right) => left - right)
  const { ranges, areExact } = rangesAround(times)
  const query = { selection, ranges, filter: areExact ? null : atTimes(times), limit: null }
  const tags = new TagKeys(selection)
  const found = new Map<TagKey, Map<number, PlacedItem>>()
  for await (const part of items(query, run)) {
    for (const row of part) {
      const item = { tag: tags.at(row, 1), ms: Number(row[0]), position: Number(row[columns.length - 1]), row }
      if (wanted.get(item.tag)?.has(item.ms) === true) keep(found, item, which)
    }
  }
  return [...found.values()].flatMap((ofTag) => [...ofTag.values()])
}

function keep(found: Map<TagKey, Map<number, PlacedItem>>, item: PlacedItem, which: 'newest' | 'oldest'): void {
  const ofTag = found.get(item.tag) ?? new Map<number, PlacedItem>()
  const known = ofTag.get(item.ms)
  const isBetter = known === undefined || item.position > known.position === (which === 'newest')
  if (isBetter) found.set(item.tag, ofTag.set(item.ms, item))
}

function atTimes(times: readonly number[]): NativeFilter {
  return { type: 'inType', column: timeColumn, matchValueType: 'LONG', sortedValues: times }
}

/** A few ranges that cover all of these ascending times, split at the widest gaps. */
export function rangesAround(times: readonly number[]): {
  readonly ranges: readonly { readonly fromMs: number; readonly toMs: number }[]
  /** Whether the ranges contain no other times. */
  readonly areExact: boolean
} {
  const gaps = times.slice(1).map((ms, index) => ({ at: index + 1, width: ms - times[index] }))
  const wide = gaps.filter(({ width }) => width > 1)
  const apart = wide.length < exactRangesMax ? wide : wide.filter(({ width }) => width > apartMs)
  const cuts =
    apart.length < rangesMax ? apart : apart.sort((left, right) => right.width - left.width).slice(0, rangesMax - 1)
  const starts = [0, ...cuts.map(({ at }) => at)].sort((left, right) => left - right)
  const ranges = starts.map((start, index) => {
    const end = starts[index + 1] ?? times.length
    return { fromMs: times[start], toMs: times[end - 1] }
  })
  return { ranges: times.length === 0 ? [] : ranges, areExact: cuts.length === wide.length }
}
