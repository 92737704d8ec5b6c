// For which series hours of rollups stand for their rows, and for which hours of them.
import type { AggregationPlan } from '../../../algebra/aggregation.ts'
import type { Range } from '../../../model/plan.ts'
import type { SealedPages } from '../reading/sealed-source.ts'
import { type HourRange, wholeHours } from '../reading/whole-hours.ts'
import type { BucketWalk } from '../run/bucket-walk.ts'
import { GroupHours } from './group-hours.ts'
import { columnIndices, type Fields, filteredColumns, holdInHours, linearOf } from './group-kinds.ts'
import type { GroupRows } from './group-rows.ts'
import { HourRanges, type HourVerdict, partsOfFilter } from './hour-ranges.ts'
import { type FilterTests, filterTests } from './row-conditions.ts'
import { SeriesHours } from './series-hours.ts'

export class HoursOfPlan {
  readonly groupHours: GroupHours
  /** Whether hours may stand for rows at all. */
  readonly areUsed: boolean
  /** Ranges of numbers among the conditions of the filter. */
  readonly #ranges: HourRanges
  /** What else a row must pass. */
  readonly #passesRest: FilterTests['passesRow']
  /** The columns that rows are grouped by, and those of the rest of the filter: where they are the same in all rows of a series, one row says all of them. */
  readonly #rowColumns: readonly number[]

  constructor(plan: AggregationPlan, fields: Fields, groups: GroupRows, walk: BucketWalk | null) {
    const { accessorOf, computedValueOf } = fields
    const { ranges, others } = partsOfFilter(plan.filter, accessorOf, (name) => computedValueOf(name) !== null)
    const linear = plan.aggregates.map((aggregate) => linearOf(aggregate, fields))
    const countsRows = ranges.length > 0 || plan.aggregates.some(({ kind }) => kind === 'rows')
    this.groupHours = new GroupHours({ ...fields, groups, walk, countsRows, linear })
    this.#ranges = new HourRanges(ranges, accessorOf)
    this.#passesRest = filterTests(others, accessorOf).passesRow
    const filtered = this.#passesRest === null ? [] : filteredColumns(others, fields)
    this.#rowColumns = [...columnIndices(plan.keys.map(({ name }) => accessorOf(name))), ...(filtered ?? [])]
    this.areUsed = filtered !== null && groups.areOfSeries && holdInHours(plan, fields, linear)
  }

  /** Null where all its rows have to be read, `none` where none of them passes the filter. */
  of(reader: SealedPages, place: number, series: number, whole: HourRange): SeriesHours | 'none' | null {
    if (!this.areUsed) return null
    const needsRow = this.#rowColumns.length > 0
    const keys = needsRow ? reader.commonRow(place, this.#rowColumns) : null
    if (keys !== null && this.#passesRest?.(keys.chunk, keys.start, series) === false) return 'none'
    if ((needsRow && keys === null) || whole.fromMs >= whole.toMs) return null
    const rollups = reader.hours(place, whole.fromMs, whole.toMs)
    const all = reader.hours(place, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    const allRows = all && this.groupHours.rowsByHour(all, reader.rows(place))
    if (rollups === null || all === null || allRows === null) return null
    const counted = allRows.length === 0 ? null : { all, rows: allRows }
    const columns = this.groupHours.columnsOf(rollups)
    return new SeriesHours({ reader, place, rollups, columns, bounded: this.#ranges.columnsOf(rollups), counted, keys })
  }

  /** `all` where an hour says what its rows would; `some` where they have to be read. */
  verdict(hours: SeriesHours, hour: number): HourVerdict {
    const { rollups, columns, bounded } = hours
    const verdict = this.#ranges.verdict(bounded, hour, hours.rowsOf(hour))
    if (verdict !== 'all') return verdict
    return this.groupHours.holds(columns, hour, rollups.hoursMs[hour]) ? 'all' : 'some'
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
