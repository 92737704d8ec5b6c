// Adds hours of rollups to groups, and decides whether they are enough for each aggregate.

import { hourMs } from '../../hours/whole-hours.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { TableRollups } from '../head/table-hours.ts'
import type { BoundedRollups, PooledRollups, SeriesRollups } from '../reading/sealed-source.ts'
import type { BucketWalk } from '../run/bucket-walk.ts'
import type { ColumnHours } from './accumulator.ts'
import type { GroupRows } from './group-rows.ts'
import { type LinearValue, linearHours } from './linear-hours.ts'

/** Returned where the plan needs no row counts. */
const noCounts = new Float64Array(0)

/** A computed field that depends on one column, by the column's index. */
export interface LinearColumn extends Pick<LinearValue, 'steps'> {
  readonly index: number
}

export interface GroupHoursOptions {
  readonly groups: GroupRows
  /** Null where all rows belong to one bucket. */
  readonly walk: BucketWalk | null
  /** The column index of each aggregate, -1 where it has none. */
  readonly columns: readonly number[]
  /** For each aggregate: how its field is computed, null for a field of the entity. */
  readonly linear: readonly (LinearColumn | null)[]
  /** For each aggregate: whether it needs bounds. */
  readonly needsBounds: readonly boolean[]
  /** Columns of numbers. A column with a value in every row reveals how many rows an hour has. */
  readonly numbers: readonly number[]
  readonly countsRows: boolean
}

export class GroupHours {
  readonly #options: GroupHoursOptions
  readonly #groups: GroupRows
  readonly #walk: BucketWalk | null
  readonly #isLinear: readonly boolean[]

  constructor(options: GroupHoursOptions) {
    this.#options = options
    this.#groups = options.groups
    this.#walk = options.walk
    this.#isLinear = options.linear.map((linear) => linear !== null)
  }

  get countsRows(): boolean {
    return this.#options.countsRows
  }

  /**
   * The number of rows of each hour, from a column that has a value in every row. Empty where the plan needs no counts; null where no column
   * is known to have one in each.
   */
  rowsByHour(all: SeriesRollups | PooledRollups, rows: number): Float64Array | null {
    const { countsRows, numbers } = this.#options
    if (!countsRows) return noCounts
    for (const index of numbers) {
      const counts = all.column(index)?.counts
      if (counts === undefined) continue
      let sum = 0
      for (const count of counts) sum += count
      if (sum === rows) return counts
    }
    return null
  }

  /** The columns by aggregate. Rollups of all series of a file together have no bounds. */
  columnsOf(rollups: BoundedRollups | PooledRollups | TableRollups): ColumnHours[] {
    const { columns, linear, needsBounds } = this.#options
    return columns.map((column, place) => {
      const computed = linear[place]
      const index = computed?.index ?? column
      if (index === -1) return { sums: null, bounds: null }
      const hasBounds = needsBounds[place] && 'bounds' in rollups
      const hours = { sums: rollups.column(index), bounds: hasBounds ? rollups.bounds(index) : null }
      return computed === null ? hours : linearHours(hours, rollups.length, computed.steps)
    })
  }

  /** Whether an hour can replace its rows: it lies in one bucket, which is not certain with a zone's buckets, and each aggregate can use it. */
  holds(hours: readonly ColumnHours[], hour: number, startMs: number): boolean {
    const walk = this.#walk
    const { accumulators } = this.#groups
    if (walk?.isZoned === true) {
      walk.enter(startMs)
      if (walk.endMs < startMs + hourMs) return false
    }
    for (let place = 0; place < hours.length; place++) {
      if (!accumulators[place].canUseHour(hours[place], hour)) return false
      if (this.#isLinear[place] && Number.isNaN(hours[place].sums?.sums[hour])) return false
    }
    return true
  }

  /** Whether an hour may have the first item, where the plan needs its date. No row of the hour is before `firstMs`. */
  mayHaveFirst(hours: readonly ColumnHours[], hour: number, firstMs: number): boolean {
    return this.#groups.items?.mayHaveFirst(hours, hour, firstMs) === true
  }

  /**
   * Adds an hour of a series, or of all series together where no keys distinguish them. `keys` is a row with the keys of all its rows, null
   * where tags are the only keys.
   */
  add(
    hours: readonly ColumnHours[],
    hour: number,
    startMs: number,
    series: number,
    rows: number,
    keys: RowSlice | null = null,
  ): void {
    const walk = this.#walk
    walk?.enter(startMs)
    this.#groups.addHour(walk === null ? 0 : walk.startMs, hours, hour, rows, series, keys)
  }
}
