// Finds the rows of an entity's sealed files that a deletion selects.
import { isMetByValues } from '../../../lib/comparison-operator.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { DeletionCondition, DeletionSelection } from '../../../model/deletion.ts'
import { partColumn } from '../../hours/hour-row.ts'
import { type Chunk, type ChunkColumn, isNullIn, type RowSlice } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import { MergedSource } from '../reading/merged-source.ts'
import { OpenFile } from '../reading/open-file.ts'
import type { SealedFile, StoredFile, StoredPages } from '../reading/sealed-source.ts'
import type { SeriesSource } from '../reading/series-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { selectSeries } from '../run/selected-series.ts'
import { RangesBuilder, type RowRanges } from './row-ranges.ts'

export interface FindParts {
  readonly registry: EntityRegistry
  readonly pacer: Pacer
}

/** By file: the rows of each series by its place. Files without such rows are left out. */
export type FoundRows = ReadonlyMap<StoredFile, ReadonlyMap<number, RowRanges>>

/** Finds rows as they are stored, including rows that other deletions hide. */
export async function findRows(
  selection: DeletionSelection,
  files: readonly StoredFile[],
  parts: FindParts,
): Promise<FoundRows> {
  const { registry, pacer } = parts
  const [fromMs, toMs] = rangeOf(selection)
  const near = files.filter(({ info }) => info.firstMs <= toMs && info.lastMs >= fromMs)
  const { where } = selection
  const found = new Map<StoredFile, Map<number, RowRanges>>()
  const columns = where === null ? [] : [registry.columns.learn(where.metric.name, where.metric.type).index]
  const readers = near.map((file) => ({ file, pages: file.open(columns, 'cached') }))
  const passes = where === null ? null : rowTest(where, columns[0]!)
  const isOfItems = passes !== null && registry.columns.replaced !== null
  const merged = isOfItems ? sourceOf(near, columnsOf(registry, columns), registry) : null
  for (const series of await selectedSeries(selection, parts)) {
    const dates = merged && (await datesOf(merged.run(series, fromMs, toMs), passes!, pacer))
    for (const { file, pages } of readers) {
      const place = pages.find(series)
      const ranges = place === -1 ? null : await rangesOf(pages, place, { fromMs, toMs, dates, passes }, pacer)
      if (ranges === null) continue
      const known = found.get(file) ?? new Map<number, RowRanges>()
      found.set(file, known.set(place, ranges))
    }
    if (pacer.spend(4 * (1 + readers.length))) await pacer.rest()
  }
  return found
}

/** The number of visible rows in a selection; with metrics, only rows in which one of them is not null. */
export function countSeen(
  selection: DeletionSelection,
  files: readonly SealedFile[],
  parts: FindParts,
): Promise<number> {
  const { columns } = parts.registry
  const indices = selection.metrics?.map(({ name, type }) => columns.learn(name, type).index) ?? null
  return count(selection, files, parts, indices, false)
}

/** The same for hours: an hour of a series counts once, even if several files have it. */
export function countSeenHours(
  selection: DeletionSelection,
  files: readonly SealedFile[],
  parts: FindParts,
): Promise<number> {
  const { columns } = parts.registry
  const counts = selection.metrics?.map(({ name }) => partColumn({ name, type: 'double' }, 'count')) ?? null
  const indices = counts?.map(({ name, type }) => columns.learn(name, type).index) ?? null
  return count(selection, files, parts, indices, true)
}

/** `indices`: a row counts if one of these columns is not null; null counts all rows. `isByDate`: rows of a series with one date count once. */
async function count(
  selection: DeletionSelection,
  files: readonly SealedFile[],
  parts: FindParts,
  indices: readonly number[] | null,
  isByDate: boolean,
): Promise<number> {
  const { registry, pacer } = parts
  const [fromMs, toMs] = rangeOf(selection)
  const near = files.filter(({ info }) => info.firstMs <= toMs && info.lastMs >= fromMs)
  const source = sourceOf(near, columnsOf(registry, indices ?? []), registry)
  let rows = 0
  for (const series of await selectedSeries(selection, parts)) {
    let lastMs = Number.NaN
    for (const { chunk, start, end } of source.run(series, fromMs, toMs)) {
      for (let row = start; row < end; row++) {
        const ms = chunk.times[row]!
        if ((isByDate && ms === lastMs) || (indices !== null && !hasValue(chunk, indices, row))) continue
        lastMs = ms
        rows++
      }
      if (pacer.spend(end - start)) await pacer.rest()
    }
    if (pacer.spend(4 * (1 + near.length))) await pacer.rest()
  }
  return rows
}

function hasValue({ columns }: Chunk, indices: readonly number[], row: number): boolean {
  for (const index of indices) {
    const column = columns[index]
    if (column !== undefined && !isNullIn(column, row)) return true
  }
  return false
}

const rangeOf = ({ fromMs, toMs }: DeletionSelection): readonly [number, number] => [
  fromMs ?? Number.NEGATIVE_INFINITY,
  toMs ?? Number.POSITIVE_INFINITY,
]

async function selectedSeries(
  { tag: name, ids, prefixes }: DeletionSelection,
  { registry, pacer }: FindParts,
): Promise<Int32Array> {
  const tag = await registry.series.tagOrNullsPaced(name, pacer)
  return (await selectSeries(registry.series, tag, [tag], { ids, prefixes }, pacer)).series
}

/** The columns to read. Where rows of one date replace each other, combining them to one item needs the origins of the columns, too. */
function columnsOf({ columns: { replaced } }: EntityRegistry, indices: readonly number[]): readonly number[] {
  const origins = (replaced ?? []).filter(({ index }) => indices.includes(index)).map(({ originIndex }) => originIndex)
  return [...indices, ...origins]
}

function sourceOf(files: readonly SealedFile[], columns: readonly number[], registry: EntityRegistry): SeriesSource {
  const open = files.map((file) => new OpenFile(file, columns, 'cached'))
  const replaced = registry.columns.replaced?.filter(({ index }) => columns.includes(index)) ?? null
  const copied = registry.columns.all
    .filter(({ index }) => columns.includes(index))
    .map(({ index, type }) => ({ index, type, dictionary: new Dictionary() }))
  return new MergedSource([], open, () => copied, replaced)
}

/** The dates of the items that pass. */
async function datesOf(slices: Iterable<RowSlice>, passes: RowTest, pacer: Pacer): Promise<readonly number[]> {
  const dates: number[] = []
  for (const { chunk, start, end } of slices) {
    for (let row = start; row < end; row++) if (passes(chunk, row)) dates.push(chunk.times[row]!)
    if (pacer.spend(end - start)) await pacer.rest()
  }
  return dates
}

interface Asked {
  readonly fromMs: number
  readonly toMs: number
  /** Ascending; null where the condition is tested on rows instead of items. */
  readonly dates: readonly number[] | null
  readonly passes: RowTest | null
}

/** Null if there is no such row. */
async function rangesOf(
  pages: StoredPages,
  place: number,
  { fromMs, toMs, dates, passes }: Asked,
  pacer: Pacer,
): Promise<RowRanges | null> {
  if (pages.firstMs(place) > toMs || pages.lastMs(place) < fromMs) return null
  const builder = new RangesBuilder()
  if (dates !== null) for (const ms of dates) addRange(builder, pages.rowsWithin(place, ms, ms))
  else if (passes === null) addRange(builder, pages.rowsWithin(place, fromMs, toMs))
  else {
    let [next, end] = pages.rowsWithin(place, fromMs, toMs)
    for (const slice of pages.rowsAt(place, next, end)) {
      for (let row = slice.start; row < slice.end; row++, next++) {
        if (passes(slice.chunk, row)) builder.add(next, next + 1)
      }
      if (pacer.spend(slice.end - slice.start)) await pacer.rest()
    }
  }
  return builder.length === 0 ? null : builder.ranges
}

function addRange(builder: RangesBuilder, [start, end]: readonly [number, number]): void {
  if (start < end) builder.add(start, end)
}

type RowTest = (chunk: Chunk, row: number) => boolean

function rowTest({ operator, value }: DeletionCondition, index: number): RowTest {
  return ({ columns }, row) => {
    const column = columns[index]
    if (column === undefined || isNullIn(column, row)) return false
    return isMetByValues(operator === '!=' ? '<>' : operator, valueAt(column, row), value)
  }
}

function valueAt(column: ChunkColumn, row: number): number | bigint | string | boolean {
  switch (column.type) {
    case 'string':
      return column.dictionary[column.codes[row]!]!
    case 'boolean':
      return column.values[row] === 1
    default:
      return column.exact !== null && Math.abs(column.values[row]!) >= 2 ** 53
        ? column.exact[row]!
        : column.values[row]!
  }
}
