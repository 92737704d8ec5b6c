import { hourMs } from '../../hours/whole-hours.ts'
import { firstAtOrAfter, type RowSlice } from '../head/chunk.ts'
import type { SealedPages, SeriesRollups } from '../reading/sealed-source.ts'
import type { ColumnHours } from './accumulator.ts'
import { type ColumnBounds, unknownRows } from './hour-ranges.ts'

/** All hours of a series, and the number of rows of each. */
export interface CountedHours {
  readonly all: SeriesRollups
  readonly rows: Float64Array
}

interface SeriesHoursOptions {
  readonly reader: SealedPages
  readonly place: number
  readonly rollups: SeriesRollups
  /** One for each aggregate. */
  readonly columns: readonly ColumnHours[]
  /** The bounds of the numbers that the filter compares. */
  readonly bounded: ColumnBounds
  /** Null where counts are not needed or not known. */
  readonly counted: CountedHours | null
  /** A row with the keys of all rows, null where tags are the only keys. */
  readonly keys: RowSlice | null
}

/** The whole hours within a range of a series of a file. */
export class SeriesHours {
  readonly rollups: SeriesRollups
  readonly columns: readonly ColumnHours[]
  readonly bounded: ColumnBounds
  readonly keys: RowSlice | null
  /** The date of the first row of the series. */
  readonly firstMs: number
  readonly #options: SeriesHoursOptions
  /** The index of the first of these hours among all hours of the series. */
  readonly #first: number
  /** The number of the first row of each hour of the series. */
  #firstRows: Float64Array | null = null

  constructor(options: SeriesHoursOptions) {
    const { reader, place, rollups, columns, bounded, counted, keys } = options
    this.rollups = rollups
    this.columns = columns
    this.bounded = bounded
    this.keys = keys
    this.firstMs = reader.firstMs(place)
    this.#options = options
    const isNone = counted === null || rollups.length === 0
    this.#first = isNone ? 0 : firstAtOrAfter(counted.all.hoursMs, 0, counted.all.length, rollups.hoursMs[0])
  }

  /** The number of rows of an hour; `unknownRows` where it is not needed or not known. */
  rowsOf(hour: number): number {
    return this.#options.counted?.rows[this.#first + hour] ?? unknownRows
  }

  /** The rows of hours [start, end). Where row counts are known, they are read by number, so that their times need not be decoded. */
  slices(start: number, end: number): Iterable<RowSlice> {
    const { reader, place, counted, rollups } = this.#options
    if (counted === null) {
      return reader.forward(place, rollups.hoursMs[start], rollups.hoursMs[end - 1] + hourMs - 1)
    }
    this.#firstRows ??= firstRows(counted.rows)
    return reader.rowsAt(place, this.#firstRows[this.#first + start], this.#firstRows[this.#first + end])
  }
}

/** The last entry is the number of rows of the series. */
function firstRows(rows: Float64Array): Float64Array {
  const first = new Float64Array(rows.length + 1)
  for (let hour = 0; hour < rows.length; hour++) first[hour + 1] = first[hour] + rows[hour]
  return first
}
