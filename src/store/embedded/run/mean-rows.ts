// Takes rows of one series, or hours of rollups that stand for them, into the groups of an average.
import type { AveragePlan, Range } from '../../../model/plan.ts'
import type { Stretch } from '../head/chunk.ts'
import type { HourRollups, HourSums, SealedPages } from '../reading/sealed-source.ts'
import { hourMs, wholeHours } from '../reading/whole-hours.ts'
import { BucketWalk, isOfWholeHours } from './bucket-walk.ts'
import type { Combinations } from './combinations.ts'
import { MeanGroups } from './mean-groups.ts'
import type { PlanRun } from './plan-run.ts'

/** Rollups of a series in a file that are added without a rest. */
const hoursAtOnce = 32

export class MeanRows {
  readonly groups: MeanGroups
  readonly usesRollups: boolean
  readonly #run: PlanRun
  readonly #combined: Combinations | null
  readonly #walk: BucketWalk
  readonly #rowCost: number
  readonly #metrics: readonly number[]
  /** The columns that items are told apart by. */
  readonly #keyColumns: readonly number[]
  /** Whether the date of the first item is asked for, which rollups do not know. */
  readonly #needsFirst: boolean

  constructor({ granularity, range }: AveragePlan, run: PlanRun, combined: Combinations | null) {
    const { metrics, fields } = run
    this.groups = new MeanGroups(run, combined)
    this.#run = run
    this.#combined = combined
    this.#walk = new BucketWalk(granularity)
    this.#rowCost = metrics.length + fields.length
    this.#metrics = metrics.map((metric) => (metric.kind === 'column' ? metric.index : -1))
    this.#keyColumns = fields.flatMap((field) => (field.kind === 'column' ? [field.index] : []))
    this.usesRollups = isOfWholeHours(granularity)
    this.#needsFirst = granularity.kind === 'all' && range.fromMs === Number.NEGATIVE_INFINITY
  }

  /** Null when it was done at once: of many series of many files, most are a few hours of rollups. */
  addFile(reader: SealedPages, place: number, series: number, range: Range): Promise<void> | null {
    const { fromMs, toMs } = range
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    if (firstMs > toMs || lastMs < fromMs) return null
    const whole = wholeHours(range, firstMs, lastMs)
    const keys = this.#keyColumns.length === 0 ? null : reader.commonRow(place, this.#keyColumns)
    const hasKeys = this.#keyColumns.length === 0 || keys !== null
    const rollups =
      this.usesRollups && hasKeys && whole.fromMs < whole.toMs ? reader.hours(place, whole.fromMs, whole.toMs) : null
    if (rollups === null) return this.addRows(reader.forward(place, fromMs, toMs), series)
    const isWhole = firstMs >= whole.fromMs && lastMs < whole.toMs
    if (isWhole && rollups.length <= hoursAtOnce && this.#addFewHours(rollups, series, firstMs, keys)) return null
    return this.#addParts(reader, place, series, range, rollups, keys)
  }

  /** False, and nothing is added, when rows are needed. */
  #addFewHours(rollups: HourRollups, series: number, firstMs: number, keys: Stretch | null): boolean {
    const { length, hoursMs } = rollups
    const sums = this.sumsOf(rollups)
    for (let hour = 0; hour < length; hour++) {
      if (this.needsRows(sums, hour, Math.max(hoursMs[hour], firstMs))) return false
    }
    for (let hour = 0; hour < length; hour++) {
      this.addHour(sums, hour, series, hoursMs[hour], keys)
    }
    return true
  }

  async #addParts(
    reader: SealedPages,
    place: number,
    series: number,
    range: Range,
    rollups: HourRollups,
    keys: Stretch | null,
  ): Promise<void> {
    const { fromMs, toMs } = range
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    const whole = wholeHours(range, firstMs, lastMs)
    if (firstMs < whole.fromMs) await this.addRows(reader.forward(place, fromMs, whole.fromMs - 1), series)
    await this.#addHours(reader, place, series, rollups, keys)
    if (lastMs >= whole.toMs) await this.addRows(reader.forward(place, whole.toMs, toMs), series)
  }

  async addRows(stretches: Iterable<Stretch>, series: number): Promise<void> {
    const { pacer } = this.#run
    for (const stretch of stretches) {
      this.#addStretch(stretch, series)
      if (pacer.spend((stretch.end - stretch.start) * this.#rowCost)) await pacer.rest()
    }
  }

  async #addHours(
    reader: SealedPages,
    place: number,
    series: number,
    rollups: HourRollups,
    keys: Stretch | null,
  ): Promise<void> {
    const { pacer } = this.#run
    const { length, hoursMs } = rollups
    const firstMs = reader.firstMs(place)
    const sums = this.sumsOf(rollups)
    for (let hour = 0; hour < length; hour++) {
      const startMs = hoursMs[hour]
      if (this.needsRows(sums, hour, Math.max(startMs, firstMs))) {
        await this.addRows(reader.forward(place, startMs, startMs + hourMs - 1), series)
        continue
      }
      this.addHour(sums, hour, series, startMs, keys)
      if (pacer.spend(sums.length)) await pacer.rest()
    }
  }

  /** Adds hour number `hour` of some rollups, which begins at `startMs`; `keys` is a row with the fields of all its rows, where they are not its tags alone. */
  addHour(
    sums: readonly (HourSums | null)[],
    hour: number,
    series: number,
    startMs: number,
    keys: Stretch | null = null,
  ): void {
    this.#walk.enter(startMs)
    this.groups.addHour(sums, hour, series, this.#walk.startMs, keys)
  }

  /** The first item is known to be no later. */
  meetFirst(ms: number): void {
    this.groups.firstMs = Math.min(this.groups.firstMs, ms)
  }

  /** By metric. */
  sumsOf(rollups: HourRollups): (HourSums | null)[] {
    return this.#metrics.map((metric) => (metric === -1 ? null : rollups.column(metric)))
  }

  /** An hour whose sum overflows needs them, and one that may hold the first item. Its rows are not before `firstMs`. */
  needsRows(sums: readonly (HourSums | null)[], hour: number, firstMs: number): boolean {
    const mayHoldFirst = this.#needsFirst && firstMs < this.groups.firstMs
    for (const metric of sums) {
      if (metric === null || metric.counts[hour] === 0) continue
      if (mayHoldFirst || Number.isNaN(metric.sums[hour])) return true
    }
    return false
  }

  #addStretch({ chunk, start, end }: Stretch, series: number): void {
    const { times } = chunk
    const walk = this.#walk
    const combined = this.#combined
    let row = start
    while (row < end) {
      walk.enter(times[row])
      const bucketEnd = walk.endIn(times, row, end)
      let next = bucketEnd
      if (combined !== null) {
        next = row + 1
        while (next < bucketEnd && combined.isSame(chunk, row, next)) next++
      }
      this.groups.add(chunk, row, next, series, walk.startMs)
      row = next
    }
  }
}
