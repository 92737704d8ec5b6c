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
  /** Whether hours may stand for rows at all. */
  readonly areUsed: boolean
  /** Whether they say what buckets, keys and aggregates need. */
  readonly holdInHours: boolean
  /** Ranges of numbers among the conditions of the filter. */
  readonly #ranges: HourRanges
  /** What else a row must pass. */
  readonly #passesRest: FilterTests['passesRow']
  /** The columns that rows are grouped by, and those of the rest of the filter: where they are the same in all rows of a series, one row says all of them. */
  readonly #rowColumns: readonly number[]
  readonly #needsCounts: boolean

  constructor(plan: Grouping, fields: Fields, groups: GroupRows, walk: BucketWalk | null) {
    const { accessorOf, computedValueOf } = fields
    const { ranges, others } = partsOfFilter(plan.filter, accessorOf, (name) => computedValueOf(name) !== null)
    const linear = plan.aggregates.map((aggregate) => linearOf(aggregate, fields))
    this.#needsCounts = plan.aggregates.some(({ kind }) => kind === 'rows')
    // How many rows an hour has may say that all of them pass.
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

  /** Null where all its rows have to be read, `none` where none of them passes the filter. */
  of(reader: SealedPages, place: number, series: number, whole: HourRange): SeriesHours | 'none' | null {
    if (!this.areUsed) return null
    const needsRow = this.#rowColumns.length > 0
    const keys = needsRow ? reader.commonRow(place, this.#rowColumns) : null
    if (keys !== null && this.#passesRest?.(keys.chunk, keys.start, series) === false) return 'none'
    if ((needsRow && keys === null) || whole.fromMs >= whole.toMs) return null
    const { countsRows } = this.groupHours
    // How many rows an hour has is known of all that are stored.
    const rollups = countsRows
      ? reader.hours(place, whole.fromMs, whole.toMs)
      : reader.seenHours(place, whole.fromMs, whole.toMs)
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

  /** `all` where an hour says what its rows would; `some` where they have to be read. */
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

  /** Adds all hours of a series; false, and nothing is added, where rows of one have to be read. */
  addAll(hours: SeriesHours, series: number): boolean {
    const { length } = hours.rollups
    for (let hour = 0; hour < length; hour++) if (this.verdict(hours, hour) === 'some') return false
    for (let hour = 0; hour < length; hour++) {
      if (this.#passing(hours, hour) === 'all') this.add(hours, hour, series)
    }
    return true
  }

  /** Adds an hour of a series of which all rows pass. */
  add(hours: SeriesHours, hour: number, series: number): void {
    const { rollups, columns, keys } = hours
    this.groupHours.add(columns, hour, rollups.hoursMs[hour], series, hours.rowsOf(hour), keys)
  }

  /** About what share of the rows of a series of a file has to be read. */
  shareRead(reader: SealedPages, place: number, series: number, range: Range): number {
    const hours = this.of(reader, place, series, wholeHours(range, reader.firstMs(place), reader.lastMs(place)))
    if (hours === null) return 1
    if (hours === 'none') return 0
    let read = 0
    for (let hour = 0; hour < hours.rollups.length; hour++) if (this.verdict(hours, hour) === 'some') read++
    return read / Math.max(1, hours.rollups.length)
  }
}
