// What the core needs of sealed files: how they are read by plans and by merges, and how they are written. The folder `sealed` has
// the files themselves.
//
// Series have the numbers of the entity's registry, columns its indices (`EntityColumns.learn` by name when a file is opened). All reading
// is synchronous: small blocking reads, bounded by a page or a section of the index. A read that fails, or meets damaged bytes, throws an
// Error that names the file.
import type { Pacer } from '../../../lib/pacer.ts'
import type { Stretch } from '../head/chunk.ts'

/** What a file holds, as the manifest knows it. */
export interface SealedFileInfo {
  readonly entityId: number
  readonly kind: 'day' | 'mixed' | 'hours'
  /** Of a day file: days since 1970-01-01 in UTC; null of a mixed one. */
  readonly day: number | null
  /** Its name in the entity's folder, without an ending. */
  readonly name: string
  readonly rows: number
  readonly firstMs: number
  readonly lastMs: number
  readonly firstPosition: number
  readonly lastPosition: number
  /** Of the Parquet file, and of the index beside it. */
  readonly bytes: number
  readonly indexBytes: number
}

/** One sealed file, never changed. It is told apart by the object. */
export interface SealedFile {
  readonly info: SealedFileInfo
  /** By name of a column of doubles in which there may be values: their digits, null where they are no decimals. */
  readonly digits: ReadonlyMap<string, number | null>
  /**
   * Begins reading. The reader holds on to the index it has loaded, so that one run never loads it twice; it is dropped with the run,
   * without being closed. `columns` are the indices of the columns that are wanted: chunks may leave out all others.
   * `pass: 'once'` is for merging, which goes through the file from its first series to its last, once for each new file: such a
   * reader keeps the page at hand itself and leaves the cache of pages alone.
   */
  open(columns: readonly number[], pass: 'cached' | 'once'): SealedPages
}

/**
 * Reads one file. Series are addressed by their place in it: 0 up to `length`, in the order of the values of their tags.
 * Chunks are as of the head: their `columns` by the entity's index, strings with the dictionary that their codes are of (one array
 * for all chunks that share it, for its identity is what translations are kept by), `positions` decoded when first asked for.
 * Stretches are read as long as the run goes on that the file is pinned for.
 */
export interface SealedPages {
  /** How many series the file holds. */
  readonly length: number
  /** The number of the series at a place. */
  seriesAt(place: number): number
  /** The place of a series, -1 when the file holds no row of it. A binary search; called for each file and series of a run. */
  find(series: number): number
  /** Dates of the first and the last row of a series; exact. */
  firstMs(place: number): number
  lastMs(place: number): number
  rows(place: number): number
  /** Rows of a series with those that are not seen: the hours of the file are of all of them. */
  storedRows(place: number): number
  /**
   * The rows within the range, which holds both its ends, as stretches of at most a page, oldest first (`forward`) or newest first
   * (`backward`). Rows of a stretch are always ordered by time and position, `start` the oldest. Lazy: a page is read when its stretch
   * is taken, and only pages that overlap the range are. Stretches are never empty.
   */
  forward(place: number, fromMs: number, toMs: number): Iterable<Stretch>
  backward(place: number, fromMs: number, toMs: number): Iterable<Stretch>
  /** Rows of a series by their numbers in the file, from 0 on, in the order of time, but for those that are not seen. */
  rowsAt(place: number, start: number, end: number): Iterable<Stretch>
  /** Null when the rows of a series can be read at once; else what they need is read little by little until the promise resolves. */
  prepare(place: number, pacer: Pacer): Promise<void> | null
  /** Rollups of the hours [fromMs, toMs), both of them whole UTC hours; null when the file has none of the series. */
  hours(place: number, fromMs: number, toMs: number): SeriesRollups | null
  /** The same of what is seen alone, as far as that is known: `hidden` has the other hours. Of wanted columns. */
  seenHours(place: number, fromMs: number, toMs: number): SeriesRollups | null
  /** Rollups of all series together, of the hours [fromMs, toMs); null when the file has none. */
  pooledHours(fromMs: number, toMs: number): PooledRollups | null
  /** The newest row of a series as a stretch of one row, without reading a page; null when the file keeps none. */
  tail(place: number): Stretch | null
  /**
   * A row whose values in these columns all rows of the series have, as a stretch of one row and without reading a page; null when the file
   * knows of none.
   */
  commonRow(place: number, columns: readonly number[]): Stretch | null
}

/** A file as it lies on disk, whatever was deleted of it since. */
export interface StoredFile extends SealedFile {
  open(columns: readonly number[], pass: 'cached' | 'once'): StoredPages
  /** Bounds the memory of what was worked out of files together with that of their indexes. */
  readonly worked: WorkedCache
}

/** What was used last stays; the others are to be let go of. */
export interface WorkedCache {
  use(entry: { evict(): void }, bytes: number): void
  forget(entry: { evict(): void }): void
}

export interface StoredPages extends SealedPages {
  rowsAt(place: number, start: number, end: number, direction?: 'forward' | 'backward'): Iterable<Stretch>
  /** The numbers of a series' rows within the range: from the first up to the second, which is not one of them. */
  rowsWithin(place: number, fromMs: number, toMs: number): readonly [number, number]
}

/** Sums of a series by UTC hour. Only hours in which there are rows; rising. */
export interface HourRollups {
  /** How many hours these are; the arrays may be longer. */
  readonly length: number
  /** Starts of the hours. */
  readonly hoursMs: Float64Array
  /** Of a column, by its index; null when the file has no value of the series in it. Only numeric columns (double, long). */
  column(index: number): HourSums | null
}

export interface BoundedRollups extends HourRollups {
  /** Null when no value of the column is in the rows. */
  bounds(index: number): DigitBounds | null
}

/** Rollups of one series of a file. */
export interface SeriesRollups extends BoundedRollups {
  /** By hour, 1 where something of it is not seen, so that its rows have to be read; null where all is seen. */
  readonly hidden: Uint8Array | null
  /** Null when the file has no value of the series in the column. */
  items(index: number): HourItems | null
  /** Null when the file keeps none. */
  boundDates(index: number): HourBoundDates | null
  /** Null when no value is less than the one before it. */
  falls(index: number): HourFalls | null
  /** Null when the file keeps none. */
  squares(index: number): HourSquares | null
}

/** What the values of an hour say in their order; of an hour without any, nothing that means something. */
export interface HourItems {
  /** Dates of the first and the last one, and these. */
  readonly firstMs: Float64Array
  readonly lastMs: Float64Array
  readonly first: Float64Array
  readonly last: Float64Array
  /** Between neighbours; less than 0 where rows have to be read: two of them have one date, or a long is beyond what a double holds. */
  readonly longestGapMs: Float64Array
  /** From the first to the last, in value times milliseconds: of values that hold, and of values on the line. */
  readonly held: Float64Array
  readonly line: Float64Array
}

/** Dates of the first least and the first greatest value by hour. */
export interface HourBoundDates {
  readonly leastMs: Float64Array
  readonly greatestMs: Float64Array
}

/** Values that are less than the one before. */
export interface HourFalls {
  /** How many, NaN where rows have to be read. */
  readonly counts: Float64Array
  /** By how much they are less in all, and the sum of those that are positive. */
  readonly fallen: Float64Array
  readonly restarted: Float64Array
}

/** How far the values of an hour are apart. */
export interface HourSquares {
  /** The sum of the squares of how far they are from the first one; NaN where rows have to be read. */
  readonly aboutFirst: Float64Array
}

/** The least and the greatest value by hour; NaN where there is none. */
export interface HourBounds {
  readonly least: Float64Array
  readonly greatest: Float64Array
}

/** Of kept hours, all digits of longs beyond 2^53; null of others. */
export interface DigitBounds extends HourBounds {
  readonly digits?: { readonly least: readonly (bigint | null)[]; readonly greatest: readonly (bigint | null)[] }
}

/** Sums of a file's series together, but for those that have no rollups. */
export interface PooledRollups extends HourRollups {
  /** Their places, rising. */
  readonly leftOut: Uint32Array
}

export interface HourSums {
  /** How many values are not null. */
  readonly counts: Float64Array
  /** `sumRows` of `sum.ts` over the hour's rows, with factor 1. NaN where the sum (or its error) is not finite: then its rows are read. */
  readonly sums: Float64Array
  /** What the additions lost, so that means are as right as from the rows; null when all are 0. */
  readonly errors: Float64Array | null
  /** Of longs, digit for digit, gone round past 64 bits; absent where the sums are exact, or the hour's rows are read. */
  readonly totals?: readonly bigint[]
}

/** The folder that sealed files lie in. */
export interface StoredFolder extends SealedFolder {
  /** A file as it lies on disk, whatever was deleted of it. */
  stored(file: SealedFile): StoredFile
}

/** Where the rows of one new file go. */
export interface SealedTarget {
  readonly entityId: number
  readonly kind: 'day' | 'mixed' | 'hours'
  readonly day: number | null
  /** By name of a column of doubles: how many digits behind the point it needs at least, null where they are no decimals. Found out where it is not told. */
  readonly digits?: ReadonlyMap<string, number | null>
}

/** Rows of a file need other digits than its first rows: it is to be written anew. */
export class OtherDigitsError extends Error {
  override readonly name = 'OtherDigitsError'
  /** By name of each column that does. */
  readonly digits: ReadonlyMap<string, number | null>

  constructor(digits: ReadonlyMap<string, number | null>) {
    super(`columns need other digits than their first rows: ${[...digits.keys()].join(', ')}`)
    this.digits = digits
  }
}

/**
 * A file that is written: series by series, in the order of the values of their tags (`SeriesIndex.compare`). It rests by the pacer it was
 * made with.
 */
export interface SealedFileWriter {
  /**
   * Takes the file's rows of the next series: at least one, ordered by time and position. Stretches are taken lazily and belong to the caller:
   * what is needed of them later has to be copied before the next is taken. Stretches of one call may have codes of different dictionaries,
   * and a column may be absent in some of them. This and `finish` throw OtherDigitsError.
   */
  addSeries(series: number, stretches: Iterable<Stretch>): Promise<void>
  /** Completes the file (Parquet and index) under its temporary name, fsynced. */
  finish(): Promise<SealedFileInfo>
  /** Gives the finished file its name; durable once `SealedFolder.sync` has returned. */
  publish(): Promise<SealedFile>
  /** Removes what was written so far, in whatever state: begun, finished or published. */
  abandon(): Promise<void>
}

/** Makes new files. */
export interface SealedFolder {
  create(target: SealedTarget, pacer: Pacer): Promise<SealedFileWriter>
  /** Makes the names of an entity's published files durable. */
  sync(entityId: number): Promise<void>
}
