// Sealed files kept in memory. To readers and writers they behave as the real ones, small pages included.
import type { Pacer } from '../../src/lib/pacer.ts'
import { valueAt } from '../../src/model/column.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { type Chunk, firstAfter, firstAtOrAfter, newChunk, type RowSlice } from '../../src/store/embedded/head/chunk.ts'
import { type CopiedColumn, copyRowsInto } from '../../src/store/embedded/head/copy-rows.ts'
import { Dictionary } from '../../src/store/embedded/head/dictionary.ts'
import type {
  HourBoundDates,
  HourBounds,
  HourFalls,
  HourItems,
  HourSquares,
  HourSums,
  PooledRollups,
  SealedFile,
  SealedFileInfo,
  SealedFileWriter,
  SealedFolder,
  SealedPages,
  SealedTarget,
  SeriesRollups,
} from '../../src/store/embedded/reading/sealed-source.ts'
import type { EntityRegistry } from '../../src/store/embedded/registry/entity-registry.ts'
import { sumRows } from '../../src/store/embedded/run/sum.ts'
import type { Draw } from './random-rows.ts'

const hourMs = 3_600_000

export interface MemoryFolderOptions {
  readonly pageRows: number
  readonly hasRollups: boolean
  readonly hasTails: boolean
}

interface StoredSeries {
  readonly series: number
  readonly start: number
  readonly end: number
}

interface StoredRows {
  readonly series: readonly StoredSeries[]
  readonly places: ReadonlyMap<number, number>
  /** All rows in file order, and the same rows cut into pages. */
  readonly all: Chunk
  readonly pages: readonly Chunk[]
}

export class MemoryFolder implements SealedFolder {
  /** Names of published files that were not removed. */
  readonly published = new Set<string>()
  readonly #registryOf: (entityId: number) => EntityRegistry
  readonly #options: MemoryFolderOptions
  #nextName = 1

  constructor(registryOf: (entityId: number) => EntityRegistry, options: MemoryFolderOptions) {
    this.#registryOf = registryOf
    this.#options = options
  }

  async create(target: SealedTarget, _pacer: Pacer): Promise<SealedFileWriter> {
    const name = `f${this.#nextName++}`
    return new MemoryFileWriter(target, name, this.#registryOf(target.entityId), this.#options, this.published)
  }

  async sync(): Promise<void> {}
}

/** A folder whose files have a random shape. */
export function randomMemoryFolder(store: EmbeddedStore, draw: Draw): SealedFolder {
  return new MemoryFolder((entityId) => store.registry(entityId), {
    pageRows: 1 + draw(12),
    hasRollups: draw(3) > 0,
    hasTails: draw(2) === 0,
  })
}

class MemoryFileWriter implements SealedFileWriter {
  readonly #target: SealedTarget
  readonly #name: string
  readonly #registry: EntityRegistry
  readonly #options: MemoryFolderOptions
  readonly #published: Set<string>
  readonly #series: StoredSeries[] = []
  readonly #columns: CopiedColumn[]
  #chunks: { chunk: Chunk; rows: number }[] = []
  #rows = 0

  constructor(
    target: SealedTarget,
    name: string,
    registry: EntityRegistry,
    options: MemoryFolderOptions,
    published: Set<string>,
  ) {
    this.#target = target
    this.#name = name
    this.#registry = registry
    this.#options = options
    this.#published = published
    this.#columns = registry.columns.all.map(({ index, type }) => ({ index, type, dictionary: new Dictionary() }))
  }

  async addSeries(series: number, slices: Iterable<RowSlice>): Promise<void> {
    const before = this.#series.at(-1)
    if (before !== undefined && this.#registry.series.compare(before.series, series) >= 0) {
      throw new Error('series come in the order of their tags')
    }
    const start = this.#rows
    for (const slice of slices) this.#take(slice)
    if (this.#rows === start) throw new Error('a series has rows')
    this.#series.push({ series, start, end: this.#rows })
  }

  async finish(): Promise<SealedFileInfo> {
    const all = newChunk(this.#rows)
    let place = 0
    for (const { chunk, rows } of this.#chunks) {
      copyRowsInto(all, place, chunk, 0, rows, this.#columns)
      all.positions.set(chunk.positions, place)
      place += rows
    }
    this.#chunks = [{ chunk: all, rows: this.#rows }]
    const { times, positions } = all
    for (const { start, end } of this.#series) {
      for (let row = start + 1; row < end; row++) {
        if (times[row - 1] > times[row] || (times[row - 1] === times[row] && positions[row - 1] >= positions[row]))
          throw new Error('rows come ordered by time and position')
      }
    }
    return this.#info(all)
  }

  async publish(): Promise<SealedFile> {
    const all = this.#chunks[0].chunk
    const pages: Chunk[] = []
    for (let start = 0; start < this.#rows; start += this.#options.pageRows) {
      const end = Math.min(this.#rows, start + this.#options.pageRows)
      const page = newChunk(end - start)
      copyRowsInto(page, 0, all, start, end, this.#columns)
      page.positions.set(all.positions.subarray(start, end))
      pages.push(page)
    }
    this.#published.add(this.#name)
    const places = new Map(this.#series.map(({ series }, place) => [series, place]))
    return new MemoryFile(this.#info(all), { series: this.#series, places, all, pages }, this.#options)
  }

  async abandon(): Promise<void> {
    this.#published.delete(this.#name)
  }

  #take({ chunk, start, end }: RowSlice): void {
    if (end <= start) throw new Error('slices are never empty')
    const copy = newChunk(end - start)
    copyRowsInto(copy, 0, chunk, start, end, this.#columns)
    copy.positions.set(chunk.positions.subarray(start, end))
    this.#chunks.push({ chunk: copy, rows: end - start })
    this.#rows += end - start
  }

  #info({ times, positions }: Chunk): SealedFileInfo {
    return {
      ...this.#target,
      name: this.#name,
      rows: this.#rows,
      firstMs: times.reduce((left, right) => Math.min(left, right)),
      lastMs: times.reduce((left, right) => Math.max(left, right)),
      firstPosition: positions.reduce((left, right) => Math.min(left, right)),
      lastPosition: positions.reduce((left, right) => Math.max(left, right)),
      bytes: this.#rows * 8,
      indexBytes: this.#series.length * 8,
    }
  }
}

class MemoryFile implements SealedFile {
  readonly info: SealedFileInfo
  readonly digits = new Map<string, number | null>()
  readonly #rows: StoredRows
  readonly #options: MemoryFolderOptions

  constructor(info: SealedFileInfo, rows: StoredRows, options: MemoryFolderOptions) {
    this.info = info
    this.#rows = rows
    this.#options = options
  }

  open(columns: readonly number[]): SealedPages {
    return new MemoryPages(this.#rows, this.#options, new Set(columns))
  }
}

class MemoryPages implements SealedPages {
  readonly #rows: StoredRows
  readonly #options: MemoryFolderOptions
  readonly #columns: ReadonlySet<number>
  readonly #shown = new Map<Chunk, Chunk>()

  constructor(rows: StoredRows, options: MemoryFolderOptions, columns: ReadonlySet<number>) {
    this.#rows = rows
    this.#options = options
    this.#columns = columns
  }

  get length(): number {
    return this.#rows.series.length
  }

  seriesAt(place: number): number {
    return this.#rows.series[place].series
  }

  find(series: number): number {
    return this.#rows.places.get(series) ?? -1
  }

  firstMs(place: number): number {
    return this.#rows.all.times[this.#rows.series[place].start]
  }

  lastMs(place: number): number {
    return this.#rows.all.times[this.#rows.series[place].end - 1]
  }

  rows(place: number): number {
    return this.#rows.series[place].end - this.#rows.series[place].start
  }

  storedRows(place: number): number {
    return this.rows(place)
  }

  prepare(): null {
    return null
  }

  *forward(place: number, fromMs: number, toMs: number): Generator<RowSlice> {
    const { all } = this.#rows
    const { start, end } = this.#rows.series[place]
    const from = firstAtOrAfter(all.times, start, end, fromMs)
    yield* this.rowsAt(place, from - start, firstAfter(all.times, start, end, toMs) - start)
  }

  *rowsAt(place: number, start: number, end: number): Generator<RowSlice> {
    const { pages, series } = this.#rows
    const { pageRows } = this.#options
    const to = series[place].start + end
    for (let row = series[place].start + start; row < to; ) {
      const page = Math.floor(row / pageRows)
      const next = Math.min(to, (page + 1) * pageRows)
      yield { chunk: this.#show(pages[page]), start: row - page * pageRows, end: next - page * pageRows }
      row = next
    }
  }

  *backward(place: number, fromMs: number, toMs: number): Generator<RowSlice> {
    const { all, pages } = this.#rows
    const { start, end } = this.#rows.series[place]
    const { pageRows } = this.#options
    const from = firstAtOrAfter(all.times, start, end, fromMs)
    for (let to = firstAfter(all.times, start, end, toMs); to > from; ) {
      const page = Math.floor((to - 1) / pageRows)
      const first = Math.max(from, page * pageRows)
      yield { chunk: this.#show(pages[page]), start: first - page * pageRows, end: to - page * pageRows }
      to = first
    }
  }

  hours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    if (!this.#options.hasRollups) return null
    const { all } = this.#rows
    const { start, end } = this.#rows.series[place]
    const hours: { start: number; end: number }[] = []
    const to = firstAtOrAfter(all.times, start, end, toMs)
    for (let row = firstAtOrAfter(all.times, start, end, fromMs); row < to; ) {
      const hour = Math.floor(all.times[row] / hourMs)
      const next = firstAtOrAfter(all.times, row, to, (hour + 1) * hourMs)
      hours.push({ start: row, end: next })
      row = next
    }
    return {
      length: hours.length,
      hoursMs: Float64Array.from(hours, (hour) => Math.floor(all.times[hour.start] / hourMs) * hourMs),
      hidden: null,
      column: (index) => sumsOf(all, index, hours),
      bounds: (index) => boundsOf(all, index, hours),
      items: (index) => itemsOf(all, index, hours),
      boundDates: (index) => boundDatesOf(all, index, hours),
      falls: (index) => fallsOf(all, index, hours),
      squares: (index) => squaresOf(all, index, hours),
    }
  }

  visibleHours(place: number, fromMs: number, toMs: number): SeriesRollups | null {
    return this.hours(place, fromMs, toMs)
  }

  /** Covers two of every three series. */
  pooledHours(fromMs: number, toMs: number): PooledRollups | null {
    if (!this.#options.hasRollups) return null
    const { all, series } = this.#rows
    const hours = new Map<number, number[]>()
    for (const [place, { start, end }] of series.entries()) {
      if (place % 3 === 1) continue
      for (let row = start; row < end; row++) {
        const startMs = Math.floor(all.times[row] / hourMs) * hourMs
        if (startMs < fromMs || startMs >= toMs) continue
        const rows = hours.get(startMs) ?? []
        rows.push(row)
        hours.set(startMs, rows)
      }
    }
    const hoursMs = Float64Array.from(hours.keys()).sort()
    return {
      length: hoursMs.length,
      hoursMs,
      leftOut: Uint32Array.from([...series.keys()].filter((place) => place % 3 === 1)),
      column: (index) => {
        const column = all.columns[index]
        if (column?.type !== 'double' && column?.type !== 'long') return null
        return hourSums(
          Array.from(hoursMs, (ms) => Float64Array.from(hours.get(ms) ?? [], (row) => column.values[row])),
        )
      },
    }
  }

  tail(place: number): RowSlice | null {
    if (!this.#options.hasTails) return null
    const row = this.#rows.series[place].end - 1
    return { chunk: this.#rows.all, start: row, end: row + 1 }
  }

  commonRow(place: number, columns: readonly number[]): RowSlice | null {
    const { all, series } = this.#rows
    const { start, end } = series[place]
    const isCommon = (index: number): boolean => {
      const column = all.columns[index]
      if (column === undefined) return true
      const values = Array.from({ length: end - start }, (_, row) => valueAt(column, start + row))
      return values.every((value) => value === values[0])
    }
    return columns.every(isCommon) ? this.tail(place) : null
  }

  /** A page with only the requested columns. */
  #show(page: Chunk): Chunk {
    const known = this.#shown.get(page)
    if (known !== undefined) return known
    const columns = page.columns.map((column, index) => (this.#columns.has(index) ? column : undefined))
    const shown = { times: page.times, positions: page.positions, columns }
    this.#shown.set(page, shown)
    return shown
  }
}

interface Hour {
  readonly start: number
  readonly end: number
}

interface Item {
  readonly ms: number
  readonly value: number
}

/** The items of each hour; null for a column without numbers. */
function itemsByHour({ times, columns }: Chunk, index: number, hours: readonly Hour[]): Item[][] | null {
  const column = columns[index]
  if (column?.type !== 'double' && column?.type !== 'long') return null
  return hours.map(({ start, end }) =>
    Array.from({ length: end - start }, (_, at) => ({
      ms: times[start + at],
      value: column.values[start + at],
    })).filter(({ value }) => !Number.isNaN(value)),
  )
}

const neighbours = (items: readonly Item[]): (readonly [Item, Item])[] =>
  items.slice(1).map((item, place) => [items[place], item])

function itemsOf(all: Chunk, index: number, hours: readonly Hour[]): HourItems | null {
  const found = itemsByHour(all, index, hours)
  if (found === null) return null
  const isLong = all.columns[index]?.type === 'long'
  const of = (told: (items: readonly Item[]) => number): Float64Array => Float64Array.from(found, told)
  const gapOf = (items: readonly Item[]): number => {
    const gaps = neighbours(items).map(([from, to]) => to.ms - from.ms)
    const isSound = !gaps.includes(0) && !(isLong && items.some(({ value }) => Math.abs(value) >= 2 ** 53))
    return isSound ? Math.max(0, ...gaps) : -1
  }
  const integral = (meanOf: (from: number, to: number) => number) => (items: readonly Item[]) =>
    neighbours(items).reduce((sum, [from, to]) => sum + meanOf(from.value, to.value) * (to.ms - from.ms), 0)
  return {
    firstMs: of((items) => items[0]?.ms ?? 0),
    lastMs: of((items) => items.at(-1)?.ms ?? 0),
    first: of((items) => items[0]?.value ?? 0),
    last: of((items) => items.at(-1)?.value ?? 0),
    longestGapMs: of(gapOf),
    held: of(integral((from) => from)),
    line: of(integral((from, to) => from / 2 + to / 2)),
  }
}

function boundDatesOf(all: Chunk, index: number, hours: readonly Hour[]): HourBoundDates | null {
  const found = itemsByHour(all, index, hours)
  const dates = (pick: (...values: number[]) => number): Float64Array =>
    Float64Array.from(found ?? [], (items) => {
      const bound = pick(...items.map(({ value }) => value))
      return items.find(({ value }) => value === bound)?.ms ?? 0
    })
  return found && { leastMs: dates(Math.min), greatestMs: dates(Math.max) }
}

function fallsOf(all: Chunk, index: number, hours: readonly Hour[]): HourFalls | null {
  const found = itemsByHour(all, index, hours)
  const falls = (found ?? []).map((items) => neighbours(items).filter(([from, to]) => to.value < from.value))
  return (
    found && {
      counts: Float64Array.from(falls, ({ length }) => (length > 2 ? Number.NaN : length)),
      fallen: Float64Array.from(falls, (one) => one.reduce((sum, [from, to]) => sum + from.value - to.value, 0)),
      restarted: Float64Array.from(falls, (one) => one.reduce((sum, [, to]) => sum + Math.max(0, to.value), 0)),
    }
  )
}

function squaresOf(all: Chunk, index: number, hours: readonly Hour[]): HourSquares | null {
  const found = itemsByHour(all, index, hours)
  const squares = (items: readonly Item[]): number =>
    items.reduce((sum, { value }) => sum + (value - items[0].value) ** 2, 0)
  return found && { aboutFirst: Float64Array.from(found, squares) }
}

function boundsOf(all: Chunk, index: number, hours: readonly { start: number; end: number }[]): HourBounds | null {
  const column = all.columns[index]
  if (column?.type !== 'double' && column?.type !== 'long') return null
  const valuesOf = ({ start, end }: { start: number; end: number }): number[] =>
    [...column.values.subarray(start, end)].filter((value) => !Number.isNaN(value))
  const bound = (pick: (values: number[]) => number): Float64Array =>
    Float64Array.from(hours, (hour) => {
      const values = valuesOf(hour)
      return values.length === 0 ? Number.NaN : pick(values)
    })
  return { least: bound((values) => Math.min(...values)), greatest: bound((values) => Math.max(...values)) }
}

function sumsOf(
  chunk: Chunk,
  index: number,
  hours: readonly { readonly start: number; readonly end: number }[],
): HourSums | null {
  const column = chunk.columns[index]
  if (column?.type !== 'double' && column?.type !== 'long') return null
  return hourSums(hours.map(({ start, end }) => column.values.subarray(start, end)))
}

/** One sum for each list of values. */
function hourSums(hours: readonly Float64Array[]): HourSums {
  const sums = hours.map((values) => {
    const sum = { sum: 0, error: 0, count: 0 }
    sumRows(values, 0, values.length, 1, sum)
    return Number.isFinite(sum.sum + sum.error) ? sum : { ...sum, sum: Number.NaN, error: 0 }
  })
  return {
    counts: Float64Array.from(sums, ({ count }) => count),
    sums: Float64Array.from(sums, ({ sum }) => sum),
    errors: Float64Array.from(sums, ({ error }) => error),
  }
}
