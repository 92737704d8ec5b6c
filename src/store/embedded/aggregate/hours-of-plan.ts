import type { Range } from '../../../model/plan.ts'
import type { SealedPages } from '../reading/sealed-source.ts'
import { type HourRange, wholeHours } from '../reading/whole-hours.ts'
import type { BucketWalk } from '../run/bucket-walk.ts'
import { GroupHours } from './group-hours.ts'
import { columnIndices, filteredColumns, holdInHours, linearOf } from './group-kinds.ts'
import type { GroupRows } from './group-rows.ts'
import { type Fields, type Grouping, needsBounds } from './grouping.ts'
import { HourRanges, type HourVerdict, partsOfFilter } from './hour-ranges.ts'
import { type FilterTests, filterTests } from './row-conditions.ts'
import { type CountedHours, SeriesHours } from './series-hours.ts'

export class HoursOfPlan {
  readonly groupHours: GroupHours
  /** Whether hours can replace rows at all. */
  readonly areUsed: boolean
  /** Whether hours have all that buckets, keys and aggregates need. */
  readonly holdInHours: boolean
  /** The number ranges among the conditions of the filter. */
  readonly #ranges: HourRanges
  /** The other conditions; null if there are none. */
  readonly #passesRest: FilterTests['passesRow']
  /** The columns of keys and of the other conditions. Where all rows of a series have the same values in them, one row is enough. */
  readonly #rowColumns: readonly number[]
  readonly #needsCounts: boolean

  constructor(plan: Grouping, fields: Fields, groups: GroupRows, walk: BucketWalk | null) {
    const { accessorOf, computedValueOf } = fields
    const { ranges, others } = partsOfFilter(plan.filter, accessorOf, (name) => computedValueOf(name) !== null)
    const linear = plan.aggregates.map((aggregate) => linearOf(aggregate, fields))
    this.#needsCounts = plan.aggregates.some(({ kind }) => kind === 'rows')
    // The number of rows of an hour can show that all of them pass.
    const countsRows = ranges.length > 0 || this.#needsCounts
    const boundsAsked = plan.aggregates.map((aggregate, place) => linear[place] !== null || needsBounds(aggregate))
    this.groupHours = new GroupHours({ groups, walk, countsRows, linear, needsBounds: boundsAsked, ...fields })
    this.#ranges = new HourRanges(ranges, accessorOf)
    this.#passesRest = filterTests(others, accessorOf).passesRow
    const filtered = this.#passesRest === null ? [] : filteredColumns(others, fields)
    this.#rowColumns = [...columnIndices(plan.keys.map(({ name }) => accessorOf(name))), ...(filtered ?? [])]
    this.holdInHours = groups.areOfSeries && holdInHours(plan, fields, linear)
    this.areUsed = filtered !== null && this.holdInHours
  }

  /** Null where all rows must be read; `none` where no row passes the filter. */
  of(reader: SealedPages, place: number, series: number, whole: HourRange): SeriesHours | 'none' | null {
    if (!this.areUsed) return null
    const needsRow = this.#rowColumns.length > 0
    const keys = needsRow ? reader.commonRow(place, this.#rowColumns) : null
    if (keys !== null && this.#passesRest?.(keys.chunk, keys.start, series) === false) return 'none'
    if ((needsRow && keys === null) || whole.fromMs >= whole.toMs) return null
    const { countsRows } = this.groupHours
    // The number of rows of an hour is known only for all stored rows, including hidden ones.
    const rollups = countsRows
      ? reader.hours(place, whole.fromMs, whole.toMs)
      : reader.visibleHours(place, whole.fromMs, whole.toMs)
    const counted = countsRows ? this.#countedHours(reader, place) : null
    if (rollups === null || (this.#needsCounts && counted === null)) return null
    const columns = this.groupHours.columnsOf(rollups)
    return new SeriesHours({ reader, place, rollups, columns, bounded: this.#ranges.columnsOf(rollups), counted, keys })
  }

  #countedHours(reader: SealedPages, place: number): CountedHours | null {
    const all = reader.hours(place, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    const rows = all && this.groupHours.rowsByHour(all, reader.storedRows(place))
    return all === null || rows === null ? null : { all, rows }
  }

  /** `all`: the hour can replace its rows. `some`: they must be read. `none`: no row passes. */
  verdict(hours: SeriesHours, hour: number): HourVerdict {
    const { rollups, columns, firstMs } = hours
    if (rollups.hidden?.[hour] === 1) return 'some'
    const verdict = this.#passing(hours, hour)
    if (verdict !== 'all') return verdict
    const startMs = rollups.hoursMs[hour]
    const isEnough =
      this.groupHours.holds(columns, hour, startMs) &&
      !this.groupHours.mayHaveFirst(columns, hour, Math.max(startMs, firstMs))
    return isEnough ? 'all' : 'some'
  }

  /** Which rows of an hour pass the filter. */
  #passing(hours: SeriesHours, hour: number): HourVerdict {
    return hours.bounded.size === 0 ? 'all' : this.#ranges.verdict(hours.bounded, hour, hours.rowsOf(hour))
  }

  /** Adds all hours of a series. Returns false, and adds nothing, if rows of any hour must be read. */
  addAll(hours: SeriesHours, series: number): boolean {
    const { length } = hours.rollups
    for (let hour = 0; hour < length; hour++) if (this.verdict(hours, hour) === 'some') return false
    for (let hour = 0; hour < length; hour++) {
      if (this.#passing(hours, hour) === 'all') this.add(hours, hour, series)
    }
    return true
  }

  /** Adds an hour of a series whose rows all pass. */
  add(hours: SeriesHours, hour: number, series: number): void {
    const { rollups, columns, keys } = hours
    this.groupHours.add(columns, hour, rollups.hoursMs[hour], series, hours.rowsOf(hour), keys)
  }

  /** The approximate share of the rows of a series of a file that must be read. */
  shareRead(reader: SealedPages, place: number, series: number, range: Range): number {
    const hours = this.of(reader, place, series, wholeHours(range, reader.firstMs(place), reader.lastMs(place)))
    if (hours === null) return 1
    if (hours === 'none') return 0
    let read = 0
    for (let hour = 0; hour < hours.rollups.length; hour++) if (this.verdict(hours, hour) === 'some') read++
    return read / Math.max(1, hours.rollups.length)
  }
}
