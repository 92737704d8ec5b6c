import type { Pacer } from '../../../lib/pacer.ts'
import { type Chunk, firstAfter, firstAtOrAfter, type RowSlice } from '../head/chunk.ts'
import type { HourSums, PooledRollups, SeriesRollups, StoredPages } from '../reading/sealed-source.ts'
import type { Pages } from './cached-pages.ts'
import type { FileIndex } from './file-index.ts'
import type { LoadedIndex } from './loaded-index.ts'
import type { WantedColumns } from './page-chunk.ts'

/** The rows of a series in one page, by their numbers in the page, and dates between which they lie. */
interface PagePart {
  readonly page: number
  readonly start: number
  readonly end: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Reads one file for one run. */
export class LocalPages implements StoredPages {
  readonly #loaded: LoadedIndex
  readonly #index: FileIndex
  readonly #places: ReadonlyMap<number, number>
  readonly #wanted: WantedColumns
  readonly #pages: Pages
  #tails: Chunk | null | undefined

  /** `places` are the places in the file of all its columns, by the entity's index. */
  constructor(loaded: LoadedIndex, places: ReadonlyMap<number, number>, columns: readonly number[], pages: Pages) {
    this.#loaded = loaded
    this.#index = loaded.index
    this.#places = places
    this.#pages = pages
    const wanted = columns.flatMap((index) => {
      const place = places.get(index)
      return place === undefined ? [] : [{ index, place }]
    })
    this.#wanted = { index: loaded.index, columns: wanted }
  }

  get length(): number {
    return this.#index.numbers.length
  }

  seriesAt(place: number): number {
    return this.#index.numbers[place]
  }

  find(series: number): number {
    return this.#index.find(series)
  }

  firstMs(place: number): number {
    return this.#index.seriesFirstMs[place]
  }

  lastMs(place: number): number {
    return this.#index.seriesLastMs[place]
  }

  rows(place: number): number {
    return this.#index.rowEnds[place] - this.#rowStart(place)
  }

  storedRows(place: number): number {
    return this.rows(place)
  }

  prepare(place: number, pacer: Pacer): Promise<void> | null {
    return this.#pages.prepare(this.#pagesOf(place).first, this.#wanted, pacer)
  }

  *forward(place: number, fromMs: number, toMs: number): Generator<RowSlice> {
    const { first, last } = this.#pagesOf(place)
    for (let page = first; page <= last; page++) {
      const part = this.#partOf(place, page)
      if (part.lastMs < fromMs) continue
      if (part.firstMs > toMs) return
      const slice = this.#sliceOf(part, fromMs, toMs)
      if (slice !== null) yield slice
    }
  }

  *backward(place: number, fromMs: number, toMs: number): Generator<RowSlice> {
    const { first, last } = this.#pagesOf(place)
    for (let page = last; page >= first; page--) {
      const part = this.#partOf(place, page)
      if (part.firstMs > toMs) continue
      if (part.lastMs < fromMs) return
      const slice = this.#sliceOf(part, fromMs, toMs)
      if (slice !== null) yield slice
    }
  }

  *rowsAt(
    place: number,
    start: number,
    end: number,
    direction: 'forward' | 'backward' = 'forward',
  ): Generator<RowSlice> {
    if (start >= end) return
    const { pageEnds } = this.#index
    const from = this.#rowStart(place) + start
    const to = this.#rowStart(place) + end
    const first = this.#index.pageOf(from)
    const last = this.#index.pageOf(to - 1)
    const step = direction === 'forward' ? 1 : -1
    for (let page = step === 1 ? first : last; page >= first && page <= last; page += step) {
      const pageStart = page === 0 ? 0 : pageEnds[page - 1]
      const chunk = this.#pages.chunk(page, this.#wanted)
      yield { chunk, start: Math.max(from, pageStart) - pageStart, end: Math.min(to, pageEnds[page]) - pageStart }
    }
  }

  rowsWithin(place: number, fromMs: number, toMs: number): readonly [number, number] {
    return [this.#rowsBefore(place, fromMs, firstAtOrAfter), this.#rowsBefore(place, toMs, firstAfter)]
  }

  /** The number of a series' rows before a date (`firstAtOrAfter`), or up to and including it (`firstAfter`). Reads at most a page. */
  #rowsBefore(place: number, ms: number, search: typeof firstAfter): number {
    const rowStart = this.#rowStart(place)
    const { first, last } = this.#pagesOf(place)
    for (let page = first; page <= last; page++) {
      const part = this.#partOf(place, page)
      if (part.lastMs < ms || (part.lastMs === ms && search === firstAfter)) continue
      const before = (page === 0 ? 0 : this.#index.pageEnds[page - 1]) - rowStart
      const isAtStart = part.firstMs > ms || (part.firstMs === ms && search === firstAtOrAfter)
      if (isAtStart) return before + part.start
      return before + search(this.#pages.chunk(page, this.#wanted).times, part.start, part.end, ms)
    }
    return this.rows(place)
  }

  hours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    const { hours } = this.#loaded
    if (hours === null) return null
    const seriesStart = place === 0 ? 0 : hours.ends[place - 1]
    const seriesEnd = hours.ends[place]
    if (seriesStart === seriesEnd) return null
    const { hoursMs } = hours
    const start = hoursMs[seriesStart] >= fromMs ? seriesStart : firstAtOrAfter(hoursMs, seriesStart, seriesEnd, fromMs)
    const end = hoursMs[seriesEnd - 1] < toMs ? seriesEnd : firstAtOrAfter(hoursMs, start, seriesEnd, toMs)
    return {
      length: end - start,
      hoursMs: hoursMs.subarray(start, end),
      hidden: null,
      column: (index) => this.#sums(index, start, end, (place) => this.#loaded.sums(place)),
      bounds: (index) => this.#hourly(index, start, end, (place) => this.#loaded.bounds(place)),
      items: (index) => this.#hourly(index, start, end, (place) => this.#loaded.items(place)),
      boundDates: (index) => this.#hourly(index, start, end, (place) => this.#loaded.boundDates(place)),
      falls: (index) => this.#hourly(index, start, end, (place) => this.#loaded.falls(place)),
      squares: (index) => this.#hourly(index, start, end, (place) => this.#loaded.squares(place)),
    }
  }

  visibleHours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    return this.hours(place, fromMs, toMs)
  }

  pooledHours(fromMs: number, toMs: number): PooledRollups | null {
    const { pooled } = this.#loaded
    if (pooled === null) return null
    const { hoursMs, leftOut } = pooled
    const start = firstAtOrAfter(hoursMs, 0, hoursMs.length, fromMs)
    const end = firstAtOrAfter(hoursMs, start, hoursMs.length, toMs)
    return {
      length: end - start,
      hoursMs: hoursMs.subarray(start, end),
      leftOut,
      column: (index) => this.#sums(index, start, end, (place) => this.#loaded.pooledSums(place)),
    }
  }

  tail(place: number): RowSlice | null {
    if (this.#tails === undefined) this.#tails = this.#loadTails()
    return this.#tails === null ? null : { chunk: this.#tails, start: place, end: place + 1 }
  }

  commonRow(place: number, columns: readonly number[]): RowSlice | null {
    const isCommon = (index: number): boolean => {
      const column = this.#places.get(index)
      // A column that the file does not have is null in all rows.
      return column === undefined || this.#loaded.commonValues(column)?.[place] === 1
    }
    return columns.every(isCommon) ? this.tail(place) : null
  }

  #sums(index: number, start: number, end: number, load: (place: number) => HourSums | null): HourSums | null {
    const place = this.#places.get(index)
    const sums = place === undefined ? null : load(place)
    if (sums === null) return null
    return {
      counts: sums.counts.subarray(start, end),
      sums: sums.sums.subarray(start, end),
      errors: sums.errors?.subarray(start, end) ?? null,
    }
  }

  /** A range of hours from the arrays of a column. */
  #hourly<Name extends string>(
    index: number,
    start: number,
    end: number,
    load: (place: number) => Readonly<Record<Name, Float64Array>> | null,
  ): Readonly<Record<Name, Float64Array>> | null {
    const place = this.#places.get(index)
    const all = place === undefined ? null : load(place)
    if (all === null) return null
    const some: Record<Name, Float64Array> = { ...all }
    for (const name in some) some[name] = some[name].subarray(start, end)
    return some
  }

  #loadTails(): Chunk | null {
    const { tails } = this.#loaded
    if (tails === null) return null
    const chunk: Chunk = { columns: [], ...tails }
    for (const { index, place } of this.#wanted.columns) {
      const column = this.#loaded.columnTails(place)
      if (column !== null) chunk.columns[index] = column
    }
    return chunk
  }

  #rowStart(place: number): number {
    return place === 0 ? 0 : this.#index.rowEnds[place - 1]
  }

  #pagesOf(place: number): { readonly first: number; readonly last: number } {
    const first = this.#index.pageOf(this.#rowStart(place))
    const end = this.#index.rowEnds[place]
    return { first, last: this.#index.pageEnds[first] >= end ? first : this.#index.pageOf(end - 1) }
  }

  #partOf(place: number, page: number): PagePart {
    const { pageEnds, pageFirstMs, pageLastMs, seriesFirstMs, seriesLastMs, rowEnds } = this.#index
    const pageStart = page === 0 ? 0 : pageEnds[page - 1]
    const pageEnd = pageEnds[page]
    const rowStart = this.#rowStart(place)
    const rowEnd = rowEnds[place]
    return {
      page,
      start: Math.max(pageStart, rowStart) - pageStart,
      end: Math.min(pageEnd, rowEnd) - pageStart,
      firstMs: pageStart > rowStart ? pageFirstMs[page] : seriesFirstMs[place],
      lastMs: pageEnd < rowEnd ? pageLastMs[page] : seriesLastMs[place],
    }
  }

  #sliceOf({ page, start, end, firstMs, lastMs }: PagePart, fromMs: number, toMs: number): RowSlice | null {
    const chunk = this.#pages.chunk(page, this.#wanted)
    const from = firstMs >= fromMs ? start : firstAtOrAfter(chunk.times, start, end, fromMs)
    const to = lastMs <= toMs ? end : firstAfter(chunk.times, from, end, toMs)
    return from === to ? null : { chunk, start: from, end: to }
  }
}
