// Hours of sealed files that replace their rows, for values over time. An hour is used only if no other table or file may have rows within it.
import type { Range } from '../../../model/plan.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import type { ItemOfMetric, ItemRollup } from '../../over-time/function-of-time.ts'
import { HourRanges, partsOfFilter, unknownRows } from '../aggregate/hour-ranges.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type {
  HourBoundDates,
  HourBounds,
  HourFalls,
  HourItems,
  HourSquares,
  HourSums,
  SealedPages,
  SeriesRollups,
} from '../reading/sealed-source.ts'
import { overlaps, sharedDates, spansOf } from '../reading/shared-dates.ts'
import { wholeHours } from '../reading/whole-hours.ts'
import type { FieldAccessor } from './field-accessor.ts'
import type { PlanRun, RunQuality } from './plan-run.ts'

export interface HourOfSeries {
  /** No row of the hour is before this date. */
  readonly fromMs: number
  /** No row lies between the end of the hour and this date. */
  readonly nextMs: number
  /** By metric; null for a metric without an item. */
  readonly rollups: readonly (ItemRollup | null)[]
}

/** The hours of a series within the range that can replace their rows, in order. */
export function* hoursOf(
  series: number,
  { fromMs, toMs }: Range,
  run: Pick<PlanRun, 'sinceMs' | 'tables' | 'files' | 'metrics' | 'quality'>,
): Generator<HourOfSeries> {
  if (run.quality?.takesGood === false) return
  const good = run.quality && new GoodHours(run.quality)
  const range = { fromMs: Math.max(fromMs, run.sinceMs), toMs }
  // The indexes of other files are not read.
  const files = run.files.filter(({ info }) => overlaps(range, info.firstMs, info.lastMs))
  const shared = sharedDates(spansOf(series, { tables: run.tables, files }))
  const isShared = (from: number, to: number): boolean => shared.some((one) => overlaps(one, from, to))
  for (const { reader, place, firstMs, lastMs } of ofSeries(series, files)) {
    if (!overlaps(range, firstMs, lastMs)) continue
    const whole = wholeHours(range, firstMs, lastMs)
    const rollups = reader.visibleHours(place, whole.fromMs, whole.toMs)
    if (rollups === null) continue
    const isGood = good?.of(reader, place, rollups)
    const metrics = run.metrics.map((accessor) =>
      accessor.kind === 'column' ? new MetricHours(rollups, accessor.index) : null,
    )
    for (let hour = 0; hour < rollups.length; hour++) {
      const startMs = rollups.hoursMs[hour]
      const from = Math.max(startMs, firstMs)
      const to = Math.min(startMs + hourMs - 1, lastMs)
      if (rollups.hidden?.[hour] === 1 || isGood?.(hour) === false) continue
      if (isShared(from, to) || !metrics.every((metric) => metric === null || metric.isKept(hour))) continue
      const next = hour + 1 < rollups.length ? rollups.hoursMs[hour + 1] : to + 1
      const nextMs = isShared(to + 1, next - 1) ? to + 1 : next
      yield { fromMs: from, nextMs, rollups: metrics.map((metric) => metric?.at(hour) ?? null) }
    }
  }
}

/** Finds the hours of a series in which all rows are good. For other hours the rows are read. */
class GoodHours {
  readonly #quality: RunQuality
  readonly #ranges: HourRanges | null

  constructor(quality: RunQuality) {
    const accessorOf = (): FieldAccessor => quality.accessor
    const { ranges, others } = partsOfFilter(quality.goodCondition, accessorOf, () => false)
    this.#quality = quality
    this.#ranges = others === null ? new HourRanges(ranges, accessorOf) : null
  }

  of(reader: SealedPages, place: number, rollups: SeriesRollups): (hour: number) => boolean {
    const ranges = this.#ranges
    if (ranges === null) {
      const isGood = this.#isGood(reader, place)
      return () => isGood
    }
    const columns = ranges.columnsOf(rollups)
    return (hour) => ranges.verdict(columns, hour, unknownRows) === 'all'
  }

  /** For strings, a file knows only whether all rows of a series have the same one. */
  #isGood(reader: SealedPages, place: number): boolean {
    const { accessor, isGood } = this.#quality
    const row = accessor.kind === 'column' ? reader.commonRow(place, [accessor.index]) : null
    return row !== null && isGood(row.chunk, row.start, 0)
  }
}

/** The files with rows of a series, oldest first. */
function ofSeries(series: number, files: readonly OpenFile[]) {
  return files
    .map(({ reader }) => ({ reader, place: reader.find(series) }))
    .filter(({ place }) => place !== -1)
    .map(({ reader, place }) => ({ reader, place, firstMs: reader.firstMs(place), lastMs: reader.lastMs(place) }))
    .sort((left, right) => left.firstMs - right.firstMs)
}

/** The hours of one metric of a series of a file. */
class MetricHours {
  readonly sums: HourSums | null
  readonly items: HourItems | null
  readonly #rollups: SeriesRollups
  readonly #index: number
  #bounds: HourBounds | null | undefined
  #boundDates: HourBoundDates | null | undefined
  #falls: HourFalls | null | undefined
  #squares: HourSquares | null | undefined

  constructor(rollups: SeriesRollups, index: number) {
    this.#rollups = rollups
    this.#index = index
    this.sums = rollups.column(index)
    this.items = rollups.items(index)
  }

  get bounds(): HourBounds | null {
    if (this.#bounds === undefined) this.#bounds = this.#rollups.bounds(this.#index)
    return this.#bounds
  }

  get boundDates(): HourBoundDates | null {
    if (this.#boundDates === undefined) this.#boundDates = this.#rollups.boundDates(this.#index)
    return this.#boundDates
  }

  get falls(): HourFalls | null {
    if (this.#falls === undefined) this.#falls = this.#rollups.falls(this.#index)
    return this.#falls
  }

  get squares(): HourSquares | null {
    if (this.#squares === undefined) this.#squares = this.#rollups.squares(this.#index)
    return this.#squares
  }

  /** Whether the hour can replace its rows. */
  isKept(hour: number): boolean {
    const { sums, items } = this
    if (sums === null || sums.counts[hour] === 0) return true
    return items !== null && items.longestGapMs[hour] >= 0
  }

  /** Null where the metric has no item. */
  at(hour: number): ItemRollup | null {
    const { sums, items } = this
    return sums === null || items === null || sums.counts[hour] === 0 ? null : new HourRollup(this, sums, items, hour)
  }
}

/** Reads parts of the index on first use. */
class HourRollup implements ItemRollup {
  readonly first: ItemOfMetric
  readonly last: ItemOfMetric
  readonly #hours: MetricHours
  readonly #sums: HourSums
  readonly #items: HourItems
  readonly #hour: number

  constructor(hours: MetricHours, sums: HourSums, items: HourItems, hour: number) {
    this.#hours = hours
    this.#sums = sums
    this.#items = items
    this.#hour = hour
    this.first = { ms: items.firstMs[hour], value: items.first[hour], exact: null }
    this.last = { ms: items.lastMs[hour], value: items.last[hour], exact: null }
  }

  get count(): number {
    return this.#sums.counts[this.#hour]
  }

  get sum(): number {
    return this.#sums.sums[this.#hour]
  }

  get lost(): number {
    return this.#sums.errors?.[this.#hour] ?? 0
  }

  get longestGapMs(): number {
    return this.#items.longestGapMs[this.#hour]
  }

  get held(): number {
    return this.#items.held[this.#hour]
  }

  get line(): number {
    return this.#items.line[this.#hour]
  }

  get least(): number {
    return this.#hours.bounds?.least[this.#hour] ?? Number.NaN
  }

  get greatest(): number {
    return this.#hours.bounds?.greatest[this.#hour] ?? Number.NaN
  }

  get leastMs(): number {
    return this.#hours.boundDates?.leastMs[this.#hour] ?? Number.NaN
  }

  get greatestMs(): number {
    return this.#hours.boundDates?.greatestMs[this.#hour] ?? Number.NaN
  }

  get falls(): number {
    return this.#hours.falls?.counts[this.#hour] ?? 0
  }

  get fallen(): number {
    return this.#hours.falls?.fallen[this.#hour] ?? 0
  }

  get restarted(): number {
    return this.#hours.falls?.restarted[this.#hour] ?? 0
  }

  get squares(): number {
    return this.#hours.squares?.aboutFirst[this.#hour] ?? Number.NaN
  }
}
