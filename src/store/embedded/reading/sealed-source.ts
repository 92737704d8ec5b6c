// The interface between the store and its sealed files: reading by plans and merges, and writing. The folder `sealed` implements it.
//
// Series have the numbers of the entity's registry, columns its indices (`EntityColumns.learn` by name when a file is opened). All reading
// is synchronous: small blocking reads, bounded by a page or a section of the index. A read that fails or finds damaged bytes throws an Error
// that names the file.
import type { Pacer } from '../../../lib/pacer.ts'
import type { RowSlice } from '../head/chunk.ts'

/** A file's entry in the manifest. */
export interface SealedFileInfo {
  readonly entityId: number
  readonly kind: 'day' | 'mixed' | 'hours'
  /** Days since 1970-01-01 in UTC; null unless the file is a day file. */
  readonly day: number | null
  /** The file's name in the entity's folder, without an ending. */
  readonly name: string
  readonly rows: number
  readonly firstMs: number
  readonly lastMs: number
  readonly firstPosition: number
  readonly lastPosition: number
  /** Sizes of the Parquet file and of its index. */
  readonly bytes: number
  readonly indexBytes: number
}

/** One sealed file, never changed. Files are compared by identity. */
export interface SealedFile {
  readonly info: SealedFileInfo
  /** By name of a double column that may have values: its digits after the decimal point, null when the values are not decimals. */
  readonly digits: ReadonlyMap<string, number | null>
  /**
   * Begins reading. The reader keeps the index that it has loaded, so that one run never loads it twice; it is dropped with the run and needs
   * no closing. `columns` are the indices of the columns needed: chunks may omit all others. `pass: 'once'` is for merging, which reads the
   * file from its first series to its last, once for each new file: such a reader keeps the current page itself and does not use the page cache.
   */
  open(columns: readonly number[], pass: 'cached' | 'once'): SealedPages
}

/**
 * Reads one file. Series are addressed by their place in it: 0 up to `length`, in the order of the values of their tags. Chunks are like those
 * of the head: `columns` by the entity's index, strings with the dictionary of their codes (one array for all chunks that share it, because
 * translations are cached by its identity), `positions` decoded on first use. Slices may be read while the run that pinned the file
 * continues.
 */
export interface SealedPages {
  /** The number of series in the file. */
  readonly length: number
  /** The number of the series at a place. */
  seriesAt(place: number): number
  /** The place of a series, -1 when the file has no row of it. A binary search; called for each file and series of a run. */
  find(series: number): number
  /** Dates of the first and the last row of a series; exact. */
  firstMs(place: number): number
  lastMs(place: number): number
  rows(place: number): number
  /** Rows of a series, hidden ones included: the hours of the file cover all of them. */
  storedRows(place: number): number
  /**
   * The rows within the range, both ends included, as slices of at most a page, oldest first (`forward`) or newest first (`backward`). Rows
   * within a slice are always ordered by time and position, `start` the oldest. Lazy: a page is read when its slice is taken, and only pages
   * that overlap the range are read. Slices are never empty.
   */
  forward(place: number, fromMs: number, toMs: number): Iterable<RowSlice>
  backward(place: number, fromMs: number, toMs: number): Iterable<RowSlice>
  /** Rows of a series by their numbers in the file, from 0 on, in the order of time, without hidden ones. */
  rowsAt(place: number, start: number, end: number): Iterable<RowSlice>
  /** Null when the rows of a series can be read at once; otherwise the promise resolves after the needed data was read in small steps. */
  prepare(place: number, pacer: Pacer): Promise<void> | null
  /** Rollups of the hours [fromMs, toMs), both whole UTC hours; null when the file has none of the series. */
  hours(place: number, fromMs: number, toMs: number): SeriesRollups | null
  /** As `hours`, of the visible rows only, as far as that is known: `hidden` marks the other hours. Only for the columns given to `open`. */
  visibleHours(place: number, fromMs: number, toMs: number): SeriesRollups | null
  /** Rollups of all series together for the hours [fromMs, toMs); null when the file has none. */
  pooledHours(fromMs: number, toMs: number): PooledRollups | null
  /** The newest row of a series as a slice of one row, without reading a page; null when the file does not store it. */
  tail(place: number): RowSlice | null
  /**
   * A row with the values that all rows of the series have in these columns, as a slice of one row and without reading a page; null when the
   * file knows of none.
   */
  commonRow(place: number, columns: readonly number[]): RowSlice | null
}

/** A file as it is on disk, without the effect of later deletions. */
export interface StoredFile extends SealedFile {
  open(columns: readonly number[], pass: 'cached' | 'once'): StoredPages
  /** Bounds the memory of data computed from files, together with that of their indexes. */
  readonly worked: WorkedCache
}

/** A cache that keeps the most recently used entries and evicts the others. */
export interface WorkedCache {
  use(entry: { evict(): void }, bytes: number): void
  forget(entry: { evict(): void }): void
}

export interface StoredPages extends SealedPages {
  rowsAt(place: number, start: number, end: number, direction?: 'forward' | 'backward'): Iterable<RowSlice>
  /** The numbers of a series' rows within the range: the first, and the one after the last. */
  rowsWithin(place: number, fromMs: number, toMs: number): readonly [number, number]
}

/** Sums of a series by UTC hour, ascending. Only hours with rows. */
export interface HourRollups {
  /** The number of hours; the arrays may be longer. */
  readonly length: number
  /** Starts of the hours. */
  readonly hoursMs: Float64Array
  /** The sums of a column, by its index; null when the file has no value of the series in it. Only for numeric columns (double, long). */
  column(index: number): HourSums | null
}

export interface BoundedRollups extends HourRollups {
  /** Null when the rows have no value in the column. */
  bounds(index: number): DigitBounds | null
}

/** Rollups of one series of a file. */
export interface SeriesRollups extends BoundedRollups {
  /** By hour: 1 when some of its rows or values are hidden, so that its rows have to be read; null when nothing is hidden. */
  readonly hidden: Uint8Array | null
  /** Null when the file has no value of the series in the column. */
  items(index: number): HourItems | null
  /** Null when the file stores none. */
  boundDates(index: number): HourBoundDates | null
  /** Null when no value is less than the one before it. */
  falls(index: number): HourFalls | null
  /** Null when the file stores none. */
  squares(index: number): HourSquares | null
}

/** Aggregates of an hour that depend on the order of its values; meaningless for an hour without values. */
export interface HourItems {
  /** Dates of the first and the last value, and these values. */
  readonly firstMs: Float64Array
  readonly lastMs: Float64Array
  readonly first: Float64Array
  readonly last: Float64Array
  /** Between neighbours. Less than 0 when rows have to be read: two of them have one date, or a long is beyond the range of exact doubles. */
  readonly longestGapMs: Float64Array
  /** Integrals from the first value to the last, in value times milliseconds: with each value held until the next, and with straight lines. */
  readonly held: Float64Array
  readonly line: Float64Array
}

/** Dates of the first occurrence of the least and of the greatest value, by hour. */
export interface HourBoundDates {
  readonly leastMs: Float64Array
  readonly greatestMs: Float64Array
}

/** Values that are less than the previous one. */
export interface HourFalls {
  /** Their number, NaN when rows have to be read. */
  readonly counts: Float64Array
  /** The total by which they are less, and the sum of the positive ones among them. */
  readonly fallen: Float64Array
  readonly restarted: Float64Array
}

/** The spread of the values of an hour. */
export interface HourSquares {
  /** The sum of squared differences from the first value; NaN when rows have to be read. */
  readonly aboutFirst: Float64Array
}

/** The least and the greatest value by hour; NaN when there is none. */
export interface HourBounds {
  readonly least: Float64Array
  readonly greatest: Float64Array
}

/** For kept hours, all digits of longs beyond 2^53; null for other values. */
export interface DigitBounds extends HourBounds {
  readonly digits?: { readonly least: readonly (bigint | null)[]; readonly greatest: readonly (bigint | null)[] }
}

/** Sums of a file's series together, except for series without rollups. */
export interface PooledRollups extends HourRollups {
  /** The places of the series without rollups, ascending. */
  readonly leftOut: Uint32Array
}

export interface HourSums {
  /** The number of values that are not null. */
  readonly counts: Float64Array
  /** `sumRows` of `sum.ts` over the hour's rows, with factor 1. NaN when the sum (or its error) is not finite: then its rows are read. */
  readonly sums: Float64Array
  /** Rounding errors of the additions, so that means are as accurate as from the rows; null when all are 0. */
  readonly errors: Float64Array | null
  /** Sums of longs with all digits, wrapped around beyond 64 bits; absent when the sums are exact, or the hour's rows are read. */
  readonly totals?: readonly bigint[]
}

/** The folder of the sealed files. */
export interface StoredFolder extends SealedFolder {
  /** A file as it is on disk, without the effect of deletions. */
  stored(file: SealedFile): StoredFile
}

/** The destination of the rows of one new file. */
export interface SealedTarget {
  readonly entityId: number
  readonly kind: 'day' | 'mixed' | 'hours'
  readonly day: number | null
  /** By name of a double column: the least digits after the decimal point, null when its values are not decimals. Others are detected. */
  readonly digits?: ReadonlyMap<string, number | null>
}

/** Later rows of a file need other digits than its first rows: the file has to be rewritten. */
export class OtherDigitsError extends Error {
  override readonly name = 'OtherDigitsError'
  /** The digits needed, by name of each column concerned. */
  readonly digits: ReadonlyMap<string, number | null>

  constructor(digits: ReadonlyMap<string, number | null>) {
    super(`columns need other digits than their first rows: ${[...digits.keys()].join(', ')}`)
    this.digits = digits
  }
}

/**
 * Writes a file series by series, in the order of the values of their tags (`SeriesIndex.compare`). It rests with the pacer that it was
 * created with.
 */
export interface SealedFileWriter {
  /**
   * Adds the file's rows of the next series: at least one, ordered by time and position. Slices are taken lazily and belong to the caller:
   * data needed later must be copied before the next one is taken. Slices of one call may have codes of different dictionaries, and a column
   * may be absent in some of them. This and `finish` throw OtherDigitsError.
   */
  addSeries(series: number, slices: Iterable<RowSlice>): Promise<void>
  /** Completes the file (Parquet and index) under its temporary name and fsyncs it. */
  finish(): Promise<SealedFileInfo>
  /** Gives the finished file its name; durable once `SealedFolder.sync` has returned. */
  publish(): Promise<SealedFile>
  /** Removes everything written so far, in any state: begun, finished or published. */
  abandon(): Promise<void>
}

/** Creates new files. */
export interface SealedFolder {
  create(target: SealedTarget, pacer: Pacer): Promise<SealedFileWriter>
  /** Makes the names of an entity's published files durable. */
  sync(entityId: number): Promise<void>
}
