import { hourMs } from '../../hours/whole-hours.ts'
import { firstAtOrAfter, type Stretch } from '../head/chunk.ts'
import type { SealedPages, SeriesRollups } from '../reading/sealed-source.ts'
import type { ColumnHours } from './accumulator.ts'
import { type ColumnBounds, unknownRows } from './hour-ranges.ts'

/** All hours of a series, and how many rows each has. */
export interface CountedHours {
  readonly all: SeriesRollups
  readonly rows: Float64Array
}

interface SeriesHoursOptions {
  readonly reader: SealedPages
  readonly place: number
  readonly rollups: SeriesRollups
  /** By aggregate. */
  readonly columns: readonly ColumnHours[]
  /** Of the numbers that the filter compares. */
  readonly bounded: ColumnBounds
  /** Null where nobody asks. */
  readonly counted: CountedHours | null
  /** A row with the keys of all rows, where they are not the tags alone. */
  readonly keys: Stretch | null
}

/** The whole hours of a series of a file that a range has. */
export class SeriesHours {
  readonly rollups: SeriesRollups
  readonly columns: readonly ColumnHours[]
  readonly bounded: ColumnBounds
  readonly keys: Stretch | null
  /** The date of the first row of the series. */
  readonly firstMs: number
  readonly #options: SeriesHoursOptions
  /** The place of the first of these hours among all of the series. */
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

  /** How many rows an hour has; `unknownRows` where nobody asks, or it is not known. */
  rowsOf(hour: number): number {
    return this.#options.counted?.rows[this.#first + hour] ?? unknownRows
  }

  /** The rows of hours [start, end): by their numbers where it is known how many they are, so that their times need not be decoded. */
  stretches(start: number, end: number): Iterable<Stretch> {
    const { reader, place, counted, rollups } = this.#options
    if (counted === null) {
      return reader.forward(place, rollups.hoursMs[start], rollups.hoursMs[end - 1] + hourMs - 1)
    }
    this.#firstRows ??= firstRows(counted.rows)
    return reader.rowsAt(place, this.#firstRows[this.#first + start], this.#firstRows[this.#first + end])
  }
}

/** The last one is that of the hour behind all. */
function firstRows(rows: Float64Array): Float64Array {
  const first = new Float64Array(rows.length + 1)
  for (let hour = 0; hour < rows.length; hour++) first[hour + 1] = first[hour] + rows[hour]
  return first
}
