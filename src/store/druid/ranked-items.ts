import { addTo } from '../../lib/add-to.ts'
import type { Range, Selection } from '../../model/plan.ts'
import { groupBy } from './druid-query.ts'
import { type DruidRun, itemColumns } from './druid-run.ts'
import { allOf, intervalsOf } from './native-query.ts'
import { items } from './selected-items.ts'
import { selectionFilter } from './selection-filter.ts'
import { type TagKey, TagKeys } from './tag-keys.ts'
import type { Direction } from './time-windows.ts'

/** For each tag the rank of the wanted item, which is the number of the tag's items in the range that are nearer, and their total number. */
export type Ranks = ReadonlyMap<TagKey, { readonly rank: number; readonly items: number }>

/** The most items that are read at once. With more, the items in parts of the range are counted first. */
const readAtOnce = 100_000
/** The number of parts that a range is divided into for counting. */
const parts = 64

type Row = readonly unknown[]

/** Finds the item at the given rank of each tag in a bounded range. Returns raw rows with all item columns. */
export async function rankedItems(
  selection: Selection,
  range: Range,
  direction: Direction,
  ranks: Ranks,
  run: DruidRun,
): Promise<Row[]> {
  let count = 0
  for (const tag of ranks.values()) count += tag.items
  if (count <= readAtOnce || range.fromMs >= range.toMs || run.replacedBy !== null) {
    return readRanked(selection, range, direction, ranks, run)
  }
  const found: Row[] = []
  for (const part of await rankedParts(selection, range, direction, ranks, run)) {
    for (const row of await rankedItems(selection, part.range, direction, part.ranks, run)) found.push(row)
  }
  return found
}

interface RankedPart {
  readonly range: Range
  readonly ranks: Map<TagKey, { rank: number; items: number }>
}

/** The parts of the range that contain the wanted items. */
async function rankedParts(
  selection: Selection,
  { fromMs, toMs }: Range,
  direction: Direction,
  ranks: Ranks,
  { target, pacer }: DruidRun,
): Promise<RankedPart[]> {
  const tags = new TagKeys(selection)
  const width = Math.ceil((toMs - fromMs + 1) / parts)
  const part = {
    type: 'expression',
    name: ':part',
    expression: `("__time" - ${fromMs}) / ${width}`,
    outputType: 'LONG',
  } as const
  const query = {
    intervals: intervalsOf(fromMs, toMs),
    filter: allOf([tags.among(ranks.keys()), selectionFilter(selection)]),
    virtualColumns: [part],
    dimensions: [
      ...tags.dimensions,
      { type: 'default', dimension: ':part', outputName: ':p', outputType: 'LONG' } as const,
    ],
    aggregations: [{ type: 'count', name: ':items' }],
    limit: null,
  }
  const counts = new Map<TagKey, Float64Array>()
  for await (const rows of groupBy(target, query, [])) {
    for (const row of rows) {
      const tag = tags.at(row, 0)
      const [at, items] = row.slice(tags.columns)
      const ofTag = counts.get(tag) ?? new Float64Array(parts)
      ofTag[Number(at)] = Number(items)
      counts.set(tag, ofTag)
    }
    if (pacer.spend(rows.length)) await pacer.rest()
  }
  const found = new Map<number, RankedPart>()
  for (const [tag, { rank }] of ranks) {
    const place = placeOf(counts.get(tag) ?? new Float64Array(parts), rank, direction)
    if (place === null) continue
    const start = fromMs + place.part * width
    const entry = found.get(place.part) ?? {
      range: { fromMs: start, toMs: Math.min(toMs, start + width - 1) },
      ranks: new Map(),
    }
    entry.ranks.set(tag, { rank: place.rank, items: place.items })
    found.set(place.part, entry)
  }
  return [...found.values()]
}

function placeOf(
  counts: Float64Array,
  rank: number,
  direction: Direction,
): { part: number; rank: number; items: number } | null {
  let left = rank
  for (let step = 0; step < counts.length; step++) {
    const part = direction === 'backwards' ? counts.length - 1 - step : step
    if (left < counts[part]) return { part, rank: left, items: counts[part] }
    left -= counts[part]
  }
  return null
}

async function readRanked(
  selection: Selection,
  range: Range,
  direction: Direction,
  ranks: Ranks,
  run: DruidRun,
): Promise<Row[]> {
  const { columns } = itemColumns(selection)
  const tags = new TagKeys(selection)
  const query = { selection, ranges: [range], filter: tags.among(ranks.keys()), limit: null }
  const byTag = new Map<TagKey, Row[]>()
  for await (const rows of items(query, run)) {
    for (const row of rows) {
      const tag = tags.at(row, 1)
      if (!ranks.has(tag)) continue
      addTo(byTag, tag, row)
    }
  }
  const position = columns.length - 1
  const sign = direction === 'backwards' ? -1 : 1
  const nearerFirst = (left: Row, right: Row): number =>
    sign * (Number(left[0]) - Number(right[0]) || Number(left[position]) - Number(right[position]))
  const found: Row[] = []
  for (const [tag, { rank }] of ranks) {
    const row = byTag.get(tag)?.sort(nearerFirst)[rank]
    if (row !== undefined) found.push(row)
  }
  return found
}
