import type { Pacer } from '../../../lib/pacer.ts'
import { type Chunk, type ChunkColumn, newColumn, type Stretch } from '../head/chunk.ts'
import type { PooledRollups, SealedPages, SeriesRollups, StoredPages } from '../reading/sealed-source.ts'
import type { HiddenOfSeries, HiddenRows } from './deletion-vector.ts'
import { countRows, type RowRanges, within, without } from './row-ranges.ts'

export interface VisiblePlaces {
  readonly hidden: HiddenRows
  /** The places of the series of which a row is seen. */
  readonly places: Uint32Array
  /** By place in the file: dates of the first and last row that is seen, of the series of which rows are not. */
  readonly ends: ReadonlyMap<number, { readonly firstMs: number; readonly lastMs: number }>
}

/** The pages of a file without the rows that were deleted. Of series that miss some there are no rollups: their rows are read. */
export class VisiblePages implements SealedPages {
  readonly #pages: StoredPages
  readonly #visible: VisiblePlaces
  readonly #columnsOf: (metric: string) => readonly number[]

  /** `columnsOf`: the indices of the columns of the entity that a metric has. */
  constructor(pages: StoredPages, visible: VisiblePlaces, columnsOf: (metric: string) => readonly number[]) {
    this.#pages = pages
    this.#visible = visible
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

  forward(place: number, fromMs: number, toMs: number): Iterable<Stretch> {
    return this.#within(place, fromMs, toMs, 'forward')
  }

  backward(place: number, fromMs: number, toMs: number): Iterable<Stretch> {
    return this.#within(place, fromMs, toMs, 'backward')
  }

  *rowsAt(place: number, start: number, end: number): Generator<Stretch> {
    const of = this.#placeOf(place)
    const hidden = this.#visible.hidden.get(of)
    if (hidden === undefined) yield* this.#pages.rowsAt(of, start, end)
    else throw new Error('rows by their numbers are of series with rollups')
  }

  prepare(place: number, pacer: Pacer): Promise<void> | null {
    return this.#pages.prepare(this.#placeOf(place), pacer)
  }

  hours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    const of = this.#placeOf(place)
    return this.#visible.hidden.has(of) ? null : this.#pages.hours(of, fromMs, toMs)
  }

  pooledHours(): PooledRollups | null {
    return null
  }

  tail(place: number): Stretch | null {
    const of = this.#placeOf(place)
    return this.#visible.hidden.has(of) ? null : this.#pages.tail(of)
  }

  commonRow(place: number, columns: readonly number[]): Stretch | null {
    const of = this.#placeOf(place)
    return this.#visible.hidden.has(of) ? null : this.#pages.commonRow(of, columns)
  }

  #placeOf(place: number): number {
    return this.#visible.places[place]!
  }

  *#within(place: number, fromMs: number, toMs: number, direction: 'forward' | 'backward'): Generator<Stretch> {
    const of = this.#placeOf(place)
    const hidden = this.#visible.hidden.get(of)
    if (hidden === undefined) {
      yield* direction === 'forward' ? this.#pages.forward(of, fromMs, toMs) : this.#pages.backward(of, fromMs, toMs)
      return
    }
    const [start, end] = this.#pages.rowsWithin(of, fromMs, toMs)
    const seen = without(hidden.rows, start, end)
    for (const [from, to] of direction === 'forward' ? seen : [...seen].reverse()) {
      yield* this.#masked(of, from, to, direction, hidden)
    }
  }

  /** Rows that are seen, with nulls for the metrics that are not. */
  *#masked(
    place: number,
    from: number,
    to: number,
    direction: 'forward' | 'backward',
    { metrics }: HiddenOfSeries,
  ): Generator<Stretch> {
    let next = direction === 'forward' ? from : to
    for (const stretch of this.#pages.rowsAt(place, from, to, direction)) {
      const rows = stretch.end - stretch.start
      const first = direction === 'forward' ? next : next - rows
      yield metrics.size === 0 ? stretch : this.#withNulls(stretch, first, metrics)
      next = direction === 'forward' ? first + rows : first
    }
  }

  #withNulls({ chunk, start, end }: Stretch, first: number, metrics: HiddenOfSeries['metrics']): Stretch {
    const columns = [...chunk.columns]
    for (const [metric, ranges] of metrics) {
      for (const index of this.#columnsOf(metric)) {
        const column = columns[index]
        if (column !== undefined) columns[index] = columnWithNulls(column, start, first, end - start, ranges)
      }
    }
    return { chunk: new MaskedChunk(chunk, columns), start, end }
  }
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

/** The column with nulls in the ranges, of which `first` is the number of the row at `start`. */
function columnWithNulls(
  column: ChunkColumn,
  start: number,
  first: number,
  rows: number,
  ranges: RowRanges,
): ChunkColumn {
  const gaps = [...within(ranges, first, first + rows)].map(([from, to]) => [from - first + start, to - first + start])
  if (gaps.length === 0) return column
  const masked = copyOf(column)
  for (const [from, to] of gaps) fillNull(masked, from!, to!)
  return masked
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
