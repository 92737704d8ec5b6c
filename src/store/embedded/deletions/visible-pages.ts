import type { Pacer } from '../../../lib/pacer.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { type Chunk, type ChunkColumn, firstAtOrAfter, newColumn, type RowSlice } from '../head/chunk.ts'
import type { PooledRollups, SealedPages, SeriesRollups, StoredPages } from '../reading/sealed-source.ts'
import type { HiddenOfSeries, HiddenRows } from './deletion-vector.ts'
import { areHidden, type HourSpans } from './hidden-hours.ts'
import { joinSlices } from './join-slices.ts'
import { countRows, type RowRanges, within, without, withoutBackward } from './row-ranges.ts'
import { learnedHourRows, learnedRowsMax, type VisibleHours } from './visible-hours.ts'

export interface VisiblePlaces {
  readonly hidden: HiddenRows
  /** The places of the series with visible rows. */
  readonly places: Uint32Array
  /** By place in the file: the dates of the first and the last visible row, for series with hidden rows. */
  readonly ends: ReadonlyMap<number, { readonly firstMs: number; readonly lastMs: number }>
  /** The hours with hidden rows or values, for a series that has some. */
  readonly hiddenHours: (place: number) => HourSpans
  /** The learned hours of a series, for the number columns among `columns`. */
  readonly visibleHours: (place: number, hours: number, columns: readonly number[]) => VisibleHours
}

/** The pages of a file without the rows that were deleted. */
export class VisiblePages implements SealedPages {
  readonly #pages: StoredPages
  readonly #visible: VisiblePlaces
  /** The wanted columns. */
  readonly #columns: readonly number[]
  readonly #columnsOf: (metric: string) => readonly number[]

  /** `columnsOf` returns the indices of the entity's columns that belong to a metric. */
  constructor(
    pages: StoredPages,
    visible: VisiblePlaces,
    columns: readonly number[],
    columnsOf: (metric: string) => readonly number[],
  ) {
    this.#pages = pages
    this.#visible = visible
    this.#columns = columns
    this.#columnsOf = columnsOf
  }

  get length(): number {
    return this.#visible.places.length
  }

  seriesAt(place: number): number {
    return this.#pages.seriesAt(this.#placeOf(place))
  }

  find(series: number): number {
    const place = this.#pages.find(series)
    if (place === -1) return -1
    const { places } = this.#visible
    const at = firstNotBelow(places, place)
    return places[at] === place ? at : -1
  }

  firstMs(place: number): number {
    const of = this.#placeOf(place)
    return this.#visible.ends.get(of)?.firstMs ?? this.#pages.firstMs(of)
  }

  lastMs(place: number): number {
    const of = this.#placeOf(place)
    return this.#visible.ends.get(of)?.lastMs ?? this.#pages.lastMs(of)
  }

  rows(place: number): number {
    const of = this.#placeOf(place)
    return this.#pages.rows(of) - countRows(this.#visible.hidden.get(of)?.rows ?? new Uint32Array(0))
  }

  forward(place: number, fromMs: number, toMs: number): Iterable<RowSlice> {
    return this.#within(place, fromMs, toMs, 'forward')
  }

  backward(place: number, fromMs: number, toMs: number): Iterable<RowSlice> {
    return this.#within(place, fromMs, toMs, 'backward')
  }

  storedRows(place: number): number {
    return this.#pages.storedRows(this.#placeOf(place))
  }

  *rowsAt(place: number, start: number, end: number): Generator<RowSlice> {
    const of = this.#placeOf(place)
    const hidden = this.#visible.hidden.get(of)
    if (hidden === undefined) yield* this.#pages.rowsAt(of, start, end)
    else yield* this.#forward(of, start, end, hidden)
  }

  prepare(place: number, pacer: Pacer): Promise<void> | null {
    return this.#pages.prepare(this.#placeOf(place), pacer)
  }

  hours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    const of = this.#placeOf(place)
    const hours = this.#pages.hours(of, fromMs, toMs)
    if (hours === null || !this.#visible.hidden.has(of)) return hours
    return { ...hours, hidden: areHidden(this.#visible.hiddenHours(of), hours.hoursMs.subarray(0, hours.length)) }
  }

  visibleHours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    const hours = this.hours(place, fromMs, toMs)
    if (hours?.hidden?.includes(1) !== true) return hours
    const of = this.#placeOf(place)
    const all = this.#pages.hours(of, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    if (all === null) return hours
    const seen = this.#visible.visibleHours(of, all.length, this.#columns)
    const first = firstAtOrAfter(all.hoursMs, 0, all.length, hours.hoursMs[0]!)
    this.#learn(seen, place, hours, first)
    return seen.over(hours, first)
  }

  /** Reads at most `learnedRowsMax` rows. The rows of the other hours are read by each query until a later one learns these hours. */
  #learn(seen: VisibleHours, place: number, { hidden, hoursMs, length }: SeriesRollups, first: number): void {
    const of = this.#placeOf(place)
    let rowsLeft = learnedRowsMax
    for (let hour = 0; hour < length && rowsLeft > 0; hour++) {
      if (hidden?.[hour] !== 1 || seen.isKnown(first + hour)) continue
      const [fromMs, toMs] = [hoursMs[hour]!, hoursMs[hour]! + hourMs - 1]
      const [start, end] = this.#pages.rowsWithin(of, fromMs, toMs)
      rowsLeft -= Math.max(learnedHourRows, end - start)
      if (rowsLeft >= 0) seen.learn(first + hour, [...this.forward(place, fromMs, toMs)])
    }
  }

  pooledHours(): PooledRollups | null {
    return null
  }

  tail(place: number): RowSlice | null {
    const of = this.#placeOf(place)
    const hidden = this.#visible.hidden.get(of)
    const last = this.#pages.rows(of) - 1
    return hidden === undefined || isWhole(hidden, last) ? this.#pages.tail(of) : null
  }

  commonRow(place: number, columns: readonly number[]): RowSlice | null {
    const of = this.#placeOf(place)
    const isMissed = (metric: string): boolean => this.#columnsOf(metric).some((index) => columns.includes(index))
    // If only whole rows are hidden, the other rows still have these values.
    const missed = [...(this.#visible.hidden.get(of)?.metrics.keys() ?? [])].some(isMissed)
    return missed ? null : this.#pages.commonRow(of, columns)
  }

  #placeOf(place: number): number {
    return this.#visible.places[place]!
  }

  *#within(place: number, fromMs: number, toMs: number, direction: 'forward' | 'backward'): Generator<RowSlice> {
    const of = this.#placeOf(place)
    const hidden = this.#visible.hidden.get(of)
    if (hidden === undefined) {
      yield* direction === 'forward' ? this.#pages.forward(of, fromMs, toMs) : this.#pages.backward(of, fromMs, toMs)
      return
    }
    const [start, end] = this.#pages.rowsWithin(of, fromMs, toMs)
    yield* direction === 'forward' ? this.#forward(of, start, end, hidden) : this.#backward(of, start, end, hidden)
  }

  /** The visible rows of a range of row numbers, with nulls for hidden values. Each page is read once. */
  *#forward(place: number, start: number, end: number, { rows: hidden, metrics }: HiddenOfSeries): Generator<RowSlice> {
    for (let next = firstSeen(hidden, start, end); next < end; ) {
      const page = firstOf(this.#pages.rowsAt(place, next, end))
      const at = page.start - next
      const behind = next + page.end - page.start
      const chunk = this.#masked(page.chunk, at, this.#pages.rows(place), metrics) ?? page.chunk
      const seen = [...without(hidden, next, behind)].map(([from, to]) => ({ start: from + at, end: to + at }))
      yield* joinSlices(chunk, seen, this.#columns)
      next = firstSeen(hidden, behind, end)
    }
  }

  /** The same from the last row on. Callers often need only a row or two, so rows are read only as they are consumed. */
  *#backward(
    place: number,
    start: number,
    end: number,
    { rows: hidden, metrics }: HiddenOfSeries,
  ): Generator<RowSlice> {
    let page: Chunk | null = null
    let masked: Chunk | null = null
    for (const [from, to] of withoutBackward(hidden, start, end)) {
      let next = to
      for (const slice of this.#pages.rowsAt(place, from, to, 'backward')) {
        next -= slice.end - slice.start
        // The same page comes repeatedly if some of its rows are hidden.
        if (slice.chunk !== page) {
          page = slice.chunk
          masked = this.#masked(page, slice.start - next, this.#pages.rows(place), metrics)
        }
        yield masked === null ? slice : { chunk: masked, start: slice.start, end: slice.end }
      }
    }
  }

  /**
   * A page with nulls for hidden values; null if the series has none. `at` is the place of the first row of the series in the page, negative if
   * that row is in an earlier page.
   */
  #masked(chunk: Chunk, at: number, rows: number, metrics: HiddenOfSeries['metrics']): Chunk | null {
    if (metrics.size === 0) return null
    const columns = [...chunk.columns]
    const from = Math.max(0, -at)
    const to = Math.min(rows, chunk.times.length - at)
    for (const [metric, ranges] of metrics) {
      for (const index of this.#columnsOf(metric)) {
        const column = this.#columns.includes(index) ? columns[index] : undefined
        if (column === undefined) continue
        const masked = copyOf(column)
        for (const [start, end] of within(ranges, from, to)) fillNull(masked, start + at, end + at)
        columns[index] = masked
      }
    }
    return new MaskedChunk(chunk, columns)
  }
}

/** The number of the first visible row; `end` if there is none. */
function firstSeen(hidden: RowRanges, start: number, end: number): number {
  for (const [from] of without(hidden, start, end)) return from
  return end
}

function firstOf(slices: Iterable<RowSlice>): RowSlice {
  for (const slice of slices) return slice
  throw new Error('a file has fewer rows of a series than its index says')
}

/** Whether a row is visible with all its values. */
function isWhole({ rows, metrics }: HiddenOfSeries, row: number): boolean {
  return [rows, ...metrics.values()].every((ranges) => within(ranges, row, row + 1).next().done)
}

class MaskedChunk implements Chunk {
  readonly times: Float64Array
  readonly columns: (ChunkColumn | undefined)[]
  readonly #chunk: Chunk

  constructor(chunk: Chunk, columns: (ChunkColumn | undefined)[]) {
    this.times = chunk.times
    this.columns = columns
    this.#chunk = chunk
  }

  get positions(): Float64Array {
    return this.#chunk.positions
  }
}

function copyOf(column: ChunkColumn): ChunkColumn {
  switch (column.type) {
    case 'string':
      return { ...column, codes: column.codes.slice() }
    case 'boolean':
      return { ...column, values: column.values.slice() }
    default:
      return { ...column, values: column.values.slice() }
  }
}

function fillNull(column: ChunkColumn, from: number, to: number): void {
  const nulls = newColumn(column.type, 1, [])
  if (column.type === 'string' && nulls.type === 'string') column.codes.fill(nulls.codes[0]!, from, to)
  else if (column.type !== 'string' && nulls.type !== 'string') column.values.fill(nulls.values[0]!, from, to)
}

function firstNotBelow(places: Uint32Array, place: number): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (places[middle]! < place) low = middle + 1
    else high = middle
  }
  return low
}
