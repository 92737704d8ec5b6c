import type { Range } from '../../../model/plan.ts'
import { rowsExpired } from '../../../model/rows-expired.ts'
import { keptRange, requireRows } from '../../hours/needed-rows.ts'
import { HourRollups } from '../hours/hour-rollups.ts'
import type { KeptHours } from '../hours/kept-hours.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { columnIndices, linearOf } from './group-kinds.ts'
import type { GroupRows } from './group-rows.ts'
import type { Fields, Grouping } from './grouping.ts'
import type { HoursOfPlan } from './hours-of-plan.ts'
import type { FilterTests } from './row-conditions.ts'

export interface KeptGroupsParts {
  readonly run: PlanRun
  readonly hours: HoursOfPlan
  readonly passesRow: FilterTests['passesRow']
  readonly groups: GroupRows
}

/** Puts the hours of expired rows into groups. */
export class KeptGroups {
  readonly #kept: KeptHours
  readonly #parts: KeptGroupsParts
  readonly #rollups: HourRollups
  readonly #columns: readonly number[]
  /** Whether hours can answer the plan. */
  readonly #isEnough: boolean

  constructor(kept: KeptHours, grouping: Grouping, fields: Fields, parts: KeptGroupsParts) {
    const { run, hours, passesRow, groups } = parts
    this.#kept = kept
    this.#parts = parts
    this.#rollups = new HourRollups(kept, grouping.isOfGood)
    const linear = grouping.aggregates.map((aggregate) => linearOf(aggregate, fields)?.index ?? null)
    this.#columns = fields.columns.map((index, place) => linear[place] ?? index).filter((index) => index !== -1)
    const known = new Set(kept.metrics.map(({ index }) => index))
    const keys = grouping.keys.map(({ name }) => fields.accessorOf(name))
    // Kept hours have the date of the first good item.
    const hasFirst = groups.items?.needsFirst !== true || run.quality === null || grouping.isOfGood
    this.#isEnough =
      hours.holdInHours &&
      (passesRow === null || grouping.isOfGood) &&
      columnIndices(keys).length === 0 &&
      this.#columns.every((index) => known.has(index)) &&
      hasFirst
  }

  /** The part of a range whose hours are added; null where there is none. Throws Problem `rows_expired` where rows are needed that have expired. */
  rangeOf(range: Range): Range | null {
    if (this.#isEnough) return keptRange(this.#kept, range)
    requireRows(this.#kept, range)
    return null
  }

  async add(series: number, range: Range): Promise<void> {
    const { run, hours, groups } = this.#parts
    const { groupHours } = hours
    const { pacer } = run
    const rollups = this.#rollups
    const prepared = this.#kept.rows?.prepare(series, pacer) ?? null
    if (prepared !== null) await prepared
    for (const hour of this.#kept.of(series, range)) {
      rollups.enter(hour)
      const columns = groupHours.columnsOf(rollups)
      if (!groupHours.holds(columns, 0, hour.hourMs))
        throw rowsExpired(
          this.#kept,
          'only the hours of earlier rows are kept, and a bucket cuts one of them, or a sum exceeds the range of doubles',
        )
      groupHours.add(columns, 0, hour.hourMs, series, hour.rows)
      for (const index of this.#columns) groups.items?.meetFirst(rollups.firstMs(index))
      if (pacer.spend(16 * (1 + columns.length))) await pacer.rest()
    }
  }
}
