import { hourMs } from '../../hours/whole-hours.ts'
import type { ChunkColumn } from '../head/chunk.ts'
import type {
  HourBoundDates,
  HourBounds,
  HourFalls,
  HourItems,
  HourSquares,
  HourSums,
} from '../reading/sealed-source.ts'
import type { CacheEntry } from './byte-cache.ts'
import type { FileIndex } from './file-index.ts'
import { type Hours, readBoundDates, readFalls, readItems, readSquares } from './hour-items.ts'
import type { SectionKind } from './index-layout.ts'
import { Arrays } from './section-arrays.ts'
import { decodeTails } from './tails.ts'

/** The hours of all series together. */
export interface PooledHours {
  readonly hoursMs: Float64Array
  /** Places of the series that the sums do not include. */
  readonly leftOut: Uint32Array
}

export interface TailRows {
  readonly times: Float64Array
  readonly positions: Float64Array
}

/** Sections that are read on demand. */
type LoadedKind = Exclude<SectionKind, 'columns' | 'series' | 'pages' | 'chunks' | 'places'>

/** An index with the sections that were needed so far. */
export class LoadedIndex implements CacheEntry {
  readonly index: FileIndex
  /** Approximate memory in bytes. */
  bytes: number
  readonly #grown: (loaded: LoadedIndex) => void
  readonly #evicted: () => void
  #hours: Hours | null | undefined
  #tails: TailRows | null | undefined
  #pooled: PooledHours | null | undefined
  readonly #sums = new Map<number, HourSums | null>()
  readonly #bounds = new Map<number, HourBounds | null>()
  readonly #items = new Map<number, HourItems | null>()
  readonly #boundDates = new Map<number, HourBoundDates | null>()
  readonly #falls = new Map<number, HourFalls | null>()
  readonly #squares = new Map<number, HourSquares | null>()
  readonly #pooledSums = new Map<number, HourSums | null>()
  readonly #columnTails = new Map<number, ChunkColumn | null>()
  readonly #commonValues = new Map<number, Uint32Array | null>()

  constructor(
    index: FileIndex,
    cache: { readonly grown: (loaded: LoadedIndex) => void; readonly evicted: () => void },
  ) {
    this.index = index
    this.bytes = index.bytes
    this.#grown = cache.grown
    this.#evicted = cache.evicted
  }

  /** Null when no series of the file has rollups. */
  get hours(): Hours | null {
    if (this.#hours === undefined) this.#hours = this.#load('hours', 0, (arrays) => this.#readHours(arrays))
    return this.#hours
  }

  /** The sums of a column, by its place in the file; null when no row of the file has a value in it. */
  sums(place: number): HourSums | null {
    return this.#kept(this.#sums, 'sums', place, (arrays) => this.#readSums(arrays, this.hours?.hoursMs.length ?? 0))
  }

  /** Null when the file has no sums of all series together. */
  get pooled(): PooledHours | null {
    if (this.#pooled === undefined) this.#pooled = this.#load('pooledHours', 0, (arrays) => this.#readPooled(arrays))
    return this.#pooled
  }

  /** The sums of all series together, by hour of `pooled`; null when none of them has a value in the column. */
  pooledSums(place: number): HourSums | null {
    return this.#kept(this.#pooledSums, 'pooledSums', place, (arrays) =>
      this.#readSums(arrays, this.pooled?.hoursMs.length ?? 0),
    )
  }

  /** The bounds of a column by hour; null when no row of the file has a value in it. */
  bounds(place: number): HourBounds | null {
    return this.#kept(this.#bounds, 'bounds', place, (arrays) =>
      this.#readBounds(arrays, this.hours?.hoursMs.length ?? 0),
    )
  }

  /** Aggregates that depend on the order of values, by hour; null when no row of the file has a value in the column. */
  items(place: number): HourItems | null {
    const { hours } = this
    const sums = this.sums(place)
    if (hours === null || sums === null) return null
    return this.#kept(
      this.#items,
      'items',
      place,
      (arrays) => readItems(arrays, hours, sums) ?? this.index.fail('its items are not of its hours'),
    )
  }

  /** Null when the file stores none. */
  boundDates(place: number): HourBoundDates | null {
    const { hours } = this
    if (hours === null) return null
    return this.#kept(
      this.#boundDates,
      'boundDates',
      place,
      (arrays) => readBoundDates(arrays, hours) ?? this.index.fail('its dates of bounds are not of its hours'),
    )
  }

  /** Null when no hour has falls. */
  falls(place: number): HourFalls | null {
    const entries = this.hours?.hoursMs.length ?? 0
    return this.#kept(
      this.#falls,
      'falls',
      place,
      (arrays) => readFalls(arrays, entries) ?? this.index.fail('its falls are not of its hours'),
    )
  }

  /** Null when the file stores none. */
  squares(place: number): HourSquares | null {
    const entries = this.hours?.hoursMs.length ?? 0
    return this.#kept(
      this.#squares,
      'squares',
      place,
      (arrays) => readSquares(arrays, entries) ?? this.index.fail('its squares are not of its hours'),
    )
  }

  /** Null when the file stores none. */
  get tails(): TailRows | null {
    if (this.#tails === undefined) this.#tails = this.#load('tails', 0, (arrays) => this.#readTails(arrays))
    return this.#tails
  }

  columnTails(place: number): ChunkColumn | null {
    const { type } = this.index.columns[place]
    return this.#kept(
      this.#columnTails,
      'columnTails',
      place,
      (arrays) =>
        decodeTails(arrays, type, this.index.summary.series) ?? this.index.fail('its tails are not of its series'),
    )
  }

  /** By series: 1 when all its rows have one value in a column. Null when the file stores no such flags. */
  commonValues(place: number): Uint32Array | null {
    return this.#kept(this.#commonValues, 'commonValues', place, (arrays) => this.#readCommonValues(arrays))
  }

  evict(): void {
    this.#evicted()
  }

  /** A section of a column, which is read only once. */
  #kept<T extends object>(
    known: Map<number, T | null>,
    kind: LoadedKind,
    place: number,
    read: (arrays: Arrays) => T,
  ): T | null {
    let section = known.get(place)
    if (section === undefined) {
      section = this.#load(kind, place, read)
      known.set(place, section)
    }
    return section
  }

  #load<T extends object>(kind: LoadedKind, place: number, read: (arrays: Arrays) => T): T | null {
    const bytes = this.index.section(kind, place)
    if (bytes === null) return null
    const arrays = new Arrays(bytes)
    const section = read(arrays)
    this.bytes += Math.max(arrays.memoryBytes, bytesOf(section))
    this.#grown(this)
    return section
  }

  #readHours(arrays: Arrays): Hours {
    const { series } = this.index.summary
    const ends = arrays.uint32(series)
    const entries = ends.at(-1) ?? 0
    if (entries > this.index.summary.rows) this.index.fail('it has more rollups than rows')
    const hoursMs = msOf(arrays.int32(entries))
    const stepsMs = arrays.uint32(series)
    const firstAt = arrays.int32(entries)
    const lengths = arrays.int32(entries)
    const isRising = ends.every((end, place) => place === 0 || end >= ends[place - 1])
    if (!arrays.isAtEnd || !isRising) this.index.fail('its rollups are not of its series')
    return { ends, stepsMs, hoursMs, firstAt, lengths }
  }

  #readPooled(arrays: Arrays): PooledHours {
    const [length, without] = arrays.uint32(2)
    if (Math.max(length, without) > this.index.summary.rows) this.index.fail('it has more rollups than rows')
    const hours = arrays.int32(length)
    const leftOut = arrays.uint32(without)
    if (!arrays.isAtEnd || length === 0) this.index.fail('its hours of all series are not as the format has them')
    return { hoursMs: msOf(hours), leftOut }
  }

  #readSums(arrays: Arrays, entries: number): HourSums {
    const sums = arrays.float64(entries)
    const errors = arrays.float64(entries)
    const counts = new Float64Array(arrays.uint32(entries))
    if (!arrays.isAtEnd) this.index.fail('its sums are not of its hours')
    return { counts, sums, errors: isZero(errors) ? null : errors }
  }

  #readBounds(arrays: Arrays, entries: number): HourBounds {
    const bounds = { least: arrays.float64(entries), greatest: arrays.float64(entries) }
    if (!arrays.isAtEnd) this.index.fail('its bounds are not of its hours')
    return bounds
  }

  #readTails(arrays: Arrays): TailRows {
    const { series } = this.index.summary
    const tails = { times: arrays.float64(series), positions: arrays.float64(series) }
    if (!arrays.isAtEnd) this.index.fail('its tails are not of its series')
    return tails
  }

  #readCommonValues(arrays: Arrays): Uint32Array {
    const flags = arrays.uint32(this.index.summary.series)
    if (!arrays.isAtEnd) this.index.fail('its common values are not of its series')
    return flags
  }
}

/** The memory of a section's arrays. */
function bytesOf(section: object): number {
  const arrays: readonly unknown[] = ArrayBuffer.isView(section) ? [section] : Object.values(section)
  return arrays.reduce<number>((bytes, one) => bytes + (ArrayBuffer.isView(one) ? one.byteLength : 0), 0)
}

function msOf(hours: Int32Array): Float64Array {
  const hoursMs = new Float64Array(hours)
  for (let entry = 0; entry < hoursMs.length; entry++) hoursMs[entry] *= hourMs
  return hoursMs
}

function isZero(values: Float64Array): boolean {
  for (let index = 0; index < values.length; index++) if (values[index] !== 0) return false
  return true
}
