// Values over time for expired rows, computed from their kept hours.
import type { TimeBuckets } from '../../algebra/aggregation.ts'
import type { Value } from '../../model/column.ts'
import { isNumericField } from '../../model/field.ts'
import { needsSquares, type OverTimePlan, type PlotPlan, type Range } from '../../model/plan.ts'
import { rowsExpired } from '../../model/rows-expired.ts'
import type { ItemOfMetric, ItemRollup, KeptItems } from '../over-time/function-of-time.ts'
import type { ItemRun } from '../over-time/item-run.ts'
import type { Series } from '../over-time/item-series.ts'
import type { NeededItems } from '../over-time/needed-items.ts'
import type { HourOfMetric, HourPart, HourRow } from './hour-row.ts'
import { type Kept, keptRange, neededRange, requireRows } from './needed-rows.ts'
import { areOfWholeHours, hourMs } from './whole-hours.ts'

const dayMs = 24 * hourMs
/** The widths of the ranges in which an item is searched for, one after the other. */
const widthsMs = [dayMs, 32 * dayMs, Number.POSITIVE_INFINITY] as const

/** The kept hours of expired rows, for a plan over time. */
export interface HoursOverTime extends Kept {
  /** Whether each function of time is of a single series, as hours are. */
  readonly isOneSeriesPerFunction: boolean
  /** The hours of a series that start within the range, in order. Their metrics are in the order of the plan's. */
  of(series: number, range: Range): AsyncIterable<Hour>
}

type Hour = Pick<HourRow, 'hourMs' | 'metrics'>

/** Null where the plan includes no expired rows. Throws Problem `rows_expired` where it needs the rows themselves. */
export function keptOverTime(
  plan: OverTimePlan,
  needed: NeededItems,
  hours: HoursOverTime | null,
  buckets: TimeBuckets | null,
): KeptOverTime | null {
  if (hours === null) return null
  if (plan.kind === 'snap') {
    return requireRows(hours, neededRange(plan))
  }
  if (plan.kind === 'plot' && isOfHours(plan, hours) && plan.selection.metrics.every(isNumericField)) {
    const range = hasPartsOfHours(plan, hours, plan.range) ? keptRange(hours, plan.range) : null
    return range && new KeptOverTime(hours, range, plan, needed)
  }
  if (plan.kind !== 'aggregate') return requireRows(hours, plan.range)
  const { fromMs, toMs } = plan.range
  const range = needsRows(plan, hours, buckets)
    ? requireRows(hours, plan.range)
    : keptRange(hours, { fromMs, toMs: Math.min(toMs, Math.max(needed.window.endMs, hours.untilMs)) })
  return isOfHours(plan, hours) ? new KeptOverTime(hours, range, plan, needed) : null
}

/**
 * Whether the parts of a plot are at least an hour long, as far as its ends are known, so that hours are sufficient.
 * Throws Problem `rows_expired` where they are shorter and the rows have expired.
 */
export function hasPartsOfHours(plan: PlotPlan, hours: Kept | null, { fromMs, toMs }: Range): boolean {
  const pointsMax = Math.floor((toMs - fromMs) / hourMs)
  const isEmpty = toMs < fromMs
  if (isEmpty || plan.points <= pointsMax) return true
  const advice = pointsMax > 0 ? `Request at most ${pointsMax} points, or start` : 'Start'
  requireRows(
    hours,
    plan.range,
    `only the hours of earlier rows are kept, and a part of the plot is shorter than an hour. ${advice} the range at this date`,
  )
  return false
}

/** Whether hours describe the items of a plan: they cover only good items, and each series separately. */
function isOfHours(
  { selection: { quality, fields } }: OverTimePlan,
  { isOneSeriesPerFunction }: HoursOverTime,
): boolean {
  const isOfGood = quality === undefined || quality.words.every((word) => word === 'good')
  return isOfGood && fields.length === 0 && isOneSeriesPerFunction
}

/** Whether hours are not sufficient for a plan. */
function needsRows(
  plan: OverTimePlan & { kind: 'aggregate' },
  hours: HoursOverTime,
  buckets: TimeBuckets | null,
): boolean {
  const { granularity, columns, selection } = plan
  const ofItems = columns.some(
    ({ aggregate }) => needsSquares(aggregate) || (aggregate === 'good' && selection.quality !== undefined),
  )
  return !areOfWholeHours(granularity, buckets) || ofItems || !isOfHours(plan, hours)
}

/** The last item of a metric before a range. */
interface LastItem {
  readonly item: ItemOfMetric | null
  /** When its value is ended; NaN if it is not. */
  readonly endedMs: number
}

export class KeptOverTime {
  readonly #hours: HoursOverTime
  /** Null where the rows of the whole range exist: then hours provide only the items before it. */
  readonly #range: Range | null
  readonly #needed: NeededItems
  /** The number of metrics. */
  readonly #metrics: number

  constructor(hours: HoursOverTime, range: Range | null, { selection }: OverTimePlan, needed: NeededItems) {
    this.#hours = hours
    this.#range = range
    this.#needed = needed
    this.#metrics = selection.metrics.length
  }

  /** The date of the first item of a series; Infinity if there is none. */
  async firstMs(series: number): Promise<number> {
    if (this.#range === null) return Number.POSITIVE_INFINITY
    for await (const hour of this.#hours.of(series, this.#range)) {
      const dates = hour.metrics.flatMap((metric) =>
        metric !== null && metric.items > 0 ? [metric.get('first_ms')] : [],
      )
      if (dates.length > 0) return Math.min(...dates)
    }
    return Number.POSITIVE_INFINITY
  }

  /** The date of the last item of a series; -Infinity if there is none. */
  async lastMs(series: number): Promise<number> {
    const range = this.#range
    if (range === null) return Number.NEGATIVE_INFINITY
    for (const widthMs of widthsMs) {
      let lastMs = Number.NEGATIVE_INFINITY
      const fromMs = Math.max(range.fromMs, range.toMs + 1 - widthMs)
      for await (const hour of this.#hours.of(series, { fromMs, toMs: range.toMs }))
        for (const metric of hour.metrics)
          if (metric !== null && metric.items > 0) lastMs = Math.max(lastMs, metric.get('last_ms'))
      if (lastMs > Number.NEGATIVE_INFINITY) return lastMs
    }
    return Number.NEGATIVE_INFINITY
  }

  /** Adds the expired items of a series. Returns the date from which its rows must be added, Infinity for none; null: where the plan starts. */
  async read(series: number, to: Series): Promise<number | null> {
    const { before, after, window } = this.#needed
    const range = this.#range
    if (before && window.fromMs > Number.NEGATIVE_INFINITY)
      await this.#readBefore(series, Math.min(window.fromMs, this.#hours.untilMs), to)
    if (range === null) return null
    for await (const hour of this.#hours.of(series, range)) {
      const kept = hour.metrics.map((metric) => metric && keptItems(metric, hour.hourMs))
      if (!to.canAddKept(kept))
        throw rowsExpired(
          this.#hours,
          'only the hours of earlier rows are kept, and one of them is cut by a bucket, has items that are further apart than max_gap, or counts some falls through wrap and not others',
        )
      to.addKept(kept)
    }
    const isAtEnd = range.toMs === this.#hours.untilMs - 1
    if (isAtEnd) return this.#hours.untilMs
    return after && (await this.#readNext(series, range.toMs + 1, to)) ? this.#hours.untilMs : Number.POSITIVE_INFINITY
  }

  async #readBefore(series: number, fromMs: number, to: Series): Promise<void> {
    let found: (LastItem | null)[] = []
    for (const widthMs of widthsMs) {
      found = Array.from({ length: this.#metrics }, () => null)
      for await (const hour of this.#hours.of(series, { fromMs: fromMs - widthMs, toMs: fromMs - 1 })) {
        for (const [place, metric] of hour.metrics.entries()) found[place] = lastAfter(found[place] ?? null, metric)
      }
      if (found.every((last) => last !== null)) break
    }
    const runs = found.flatMap((last, metric) =>
      last === null || last.item === null ? [] : [new KeptRun(metric, last.item, last.endedMs)],
    )
    for (const one of runs.sort((left, right) => left.times[0]! - right.times[0]!)) to.add(one)
  }

  /** Returns false if the kept hours have the next item of all metrics, so that no row is needed. */
  async #readNext(series: number, fromMs: number, to: Series): Promise<boolean> {
    const isFound = Array.from({ length: this.#metrics }, () => false)
    const endedMs = Array.from({ length: this.#metrics }, () => Number.NaN)
    for await (const hour of this.#hours.of(series, { fromMs, toMs: this.#hours.untilMs - 1 })) {
      for (const [place, metric] of hour.metrics.entries()) {
        if (metric === null || isFound[place]) continue
        if (Number.isNaN(endedMs[place]!)) endedMs[place] = metric.get('ended_ms')
        if (metric.items === 0) continue
        isFound[place] = true
        to.addNext(place, itemOf(metric, 'first'), endedMs[place]!)
      }
      if (isFound.every(Boolean)) return false
    }
    // The next item is in the rows, but the item that ends the value before it may have expired.
    const ends = { hourMs: fromMs, rollup: null, isOrdered: true, endMs: Number.NaN }
    to.addKept(endedMs.map((ms, place) => (isFound[place] || Number.isNaN(ms) ? null : { ...ends, endedMs: ms })))
    return true
  }
}

function lastAfter(known: LastItem | null, metric: HourOfMetric | null): LastItem | null {
  if (metric === null) return known
  if (metric.items > 0) {
    return metric.isOrdered
      ? { item: itemOf(metric, 'last'), endedMs: metric.get('end_ms') }
      : { item: null, endedMs: Number.NaN }
  }
  const isEnded = known === null || !Number.isNaN(known.endedMs)
  return isEnded ? known : { ...known, endedMs: metric.get('ended_ms') }
}

function itemOf(metric: HourOfMetric, part: 'first' | 'last'): ItemOfMetric {
  return { ms: metric.get(`${part}_ms`), value: metric.get(part), exact: metric.digits(part) }
}

function keptItems(metric: HourOfMetric, startMs: number): KeptItems {
  const { isOrdered } = metric
  const rollup = metric.items === 0 ? null : new KeptRollup(metric)
  return { hourMs: startMs, rollup, isOrdered, endedMs: metric.get('ended_ms'), endMs: metric.get('end_ms') }
}

class KeptRollup implements ItemRollup {
  /** Not kept. */
  readonly squares = Number.NaN
  readonly #metric: HourOfMetric

  constructor(metric: HourOfMetric) {
    this.#metric = metric
  }

  get first(): ItemOfMetric {
    return itemOf(this.#metric, 'first')
  }

  get last(): ItemOfMetric {
    return itemOf(this.#metric, 'last')
  }

  get count(): number {
    return this.#metric.items
  }

  get longestGapMs(): number {
    return this.#metric.get('gap_ms')
  }

  get sum(): number {
    return this.#item('sum')
  }

  get lost(): number {
    return this.#item('lost')
  }

  get least(): number {
    return this.#item('least')
  }

  get greatest(): number {
    return this.#item('greatest')
  }

  get leastDigits(): bigint | null {
    return this.#metric.digits(this.#metric.item('least'))
  }

  get greatestDigits(): bigint | null {
    return this.#metric.digits(this.#metric.item('greatest'))
  }

  get leastMs(): number {
    return this.#metric.get('least_ms')
  }

  get greatestMs(): number {
    return this.#metric.get('greatest_ms')
  }

  get held(): number {
    return this.#metric.get('held')
  }

  get line(): number {
    return this.#metric.get('line')
  }

  get knownMs(): number {
    const knownMs = this.#metric.get('known_ms')
    return Number.isNaN(knownMs) ? this.#metric.get('last_ms') - this.#metric.get('first_ms') : knownMs
  }

  get falls(): number {
    return this.#orZero('falls')
  }

  get fallen(): number {
    return this.#orZero('fallen')
  }

  get restarted(): number {
    return this.#orZero('restarted')
  }

  get deepest(): number {
    return this.#orZero('deepest')
  }

  #item(part: 'sum' | 'lost' | 'least' | 'greatest'): number {
    return this.#metric.get(this.#metric.item(part))
  }

  #orZero(part: HourPart): number {
    const value = this.#metric.get(part)
    return Number.isNaN(value) ? 0 : value
  }
}

/** The last item of a metric before a range, followed by the one that ends its value. */
class KeptRun implements ItemRun {
  readonly times: Float64Array
  readonly start: number
  readonly end: number
  readonly #metric: number
  readonly #item: ItemOfMetric

  constructor(metric: number, item: ItemOfMetric, endedMs: number, start = 0, end = Number.isNaN(endedMs) ? 1 : 2) {
    this.times = Float64Array.of(item.ms, endedMs)
    this.start = start
    this.end = end
    this.#metric = metric
    this.#item = item
  }

  numbers(metric: number): Float64Array | null {
    return metric === this.#metric ? Float64Array.of(this.#item.value, 0) : null
  }

  value(metric: number, row: number): Value {
    if (metric !== this.#metric) return null
    return row === 0 ? (this.#item.exact ?? this.#item.value) : 0
  }

  position(row: number): number {
    return row
  }

  shown(): readonly Value[] {
    return []
  }

  part(start: number, end: number): ItemRun {
    return new KeptRun(this.#metric, this.#item, this.times[1]!, start, end)
  }

  get quality(): ItemRun['quality'] {
    return this.end === 2 ? { isTaken: (row) => row === 0, isGood: (row) => row === 0 } : null
  }
}
