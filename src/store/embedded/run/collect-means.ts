import type { AveragePlan, Range } from '../../../model/plan.ts'
import type { Stretch } from '../head/chunk.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { HourRollups, HourSums, SealedReader } from '../reading/sealed-source.ts'
import { rangePartsOf } from '../reading/shared-dates.ts'
import { hourMs, wholeHours } from '../reading/whole-hours.ts'
import { BucketWalk, isOfWholeHours } from './bucket-walk.ts'
import type { Combinations } from './combinations.ts'
import { MeanGroups } from './mean-groups.ts'
import type { PlanRun } from './plan-run.ts'

/** Sums the items of an average's groups, tag by tag. Sums need no order: the sources of a series are taken one after the other. */
export async function collectMeans(
  plan: AveragePlan,
  run: PlanRun,
  combined: Combinations | null,
): Promise<MeanGroups> {
  const collector = new MeanCollector(plan, run, combined)
  const { selected, pacer } = run
  if (isPooled(plan, run)) await collector.addPooledFiles()
  for (let tag = 0; tag + 1 < selected.bounds.length; tag++) {
    if (plan.byTag) collector.groups.nextTag()
    for (let index = selected.bounds[tag]; index < selected.bounds[tag + 1]; index++) {
      await collector.addSeries(selected.series[index])
      if (pacer.spend(4)) await pacer.rest()
    }
  }
  return collector.groups
}

/** Rollups of a series in a file that are added without a rest, and what they take about, in the units of a pacer. */
const hoursAtOnce = 32
const fileUnits = 64

/** Whether the items of all series go together. */
function isPooled({ byTag, selection }: AveragePlan, { fields, replaces }: PlanRun): boolean {
  return !byTag && fields.length === 0 && !replaces && selection.ids === null && selection.prefixes === null
}

class MeanCollector {
  readonly groups: MeanGroups
  readonly #range: Range
  readonly #run: PlanRun
  readonly #combined: Combinations | null
  readonly #walk: BucketWalk
  readonly #rowCost: number
  readonly #metrics: readonly number[]
  /** Those that series are still to be looked for in. */
  #files: readonly OpenFile[]
  readonly #usesRollups: boolean
  /** Whether the date of the first item is asked for, which rollups do not know. */
  readonly #needsFirst: boolean

  constructor(plan: AveragePlan, run: PlanRun, combined: Combinations | null) {
    const { metrics, fields, files, limits } = run
    const { granularity, range } = plan
    this.groups = new MeanGroups(metrics, combined, limits)
    // Rows that have left are not there; a whole UTC day has.
    this.#range = { fromMs: Math.max(range.fromMs, run.sinceMs), toMs: range.toMs }
    this.#run = run
    this.#combined = combined
    this.#walk = new BucketWalk(granularity)
    this.#rowCost = metrics.length + fields.length
    this.#metrics = metrics.map((metric) => (metric.kind === 'column' ? metric.index : -1))
    this.#files = files.filter(({ info }) => info.firstMs <= this.#range.toMs && info.lastMs >= this.#range.fromMs)
    this.#usesRollups = isOfWholeHours(granularity) && fields.every(({ kind }) => kind !== 'column')
    this.#needsFirst = granularity.kind === 'all' && range.fromMs === Number.NEGATIVE_INFINITY
  }

  /** Takes files whole of which the sums of all series together are kept. */
  async addPooledFiles(): Promise<void> {
    if (!this.#usesRollups) return
    const left: OpenFile[] = []
    for (const file of this.#files) if (!(await this.#addPooledFile(file))) left.push(file)
    this.#files = left
  }

  async addSeries(series: number): Promise<void> {
    const { source, replaces, pacer } = this.#run
    const prepared = source.prepare(series, pacer)
    if (prepared !== null) await prepared
    if (!replaces) return this.#addSources(series, this.#range)
    // Where several sources may have rows of one date, the item is known only when they are read together.
    for (const part of rangePartsOf(this.#range, this.#spansOf(series))) {
      if (!part.isShared) await this.#addSources(series, part)
      else await this.#addRows(source.run(series, part.fromMs, part.toMs), series)
    }
  }

  /** Between which dates each source has rows of a series. */
  #spansOf(series: number): Range[] {
    const spans: Range[] = []
    for (const table of this.#run.tables) {
      const firstMs = table.firstMs(series)
      if (!Number.isNaN(firstMs)) spans.push({ fromMs: firstMs, toMs: table.lastMs(series) })
    }
    for (const { reader } of this.#files) {
      const place = reader.find(series)
      if (place !== -1) spans.push({ fromMs: reader.firstMs(place), toMs: reader.lastMs(place) })
    }
    return spans
  }

  async #addSources(series: number, range: Range): Promise<void> {
    const { tables, pacer } = this.#run
    const { fromMs, toMs } = range
    for (const table of tables) await this.#addRows(table.run(series, fromMs, toMs), series)
    for (const file of this.#files) {
      const { reader } = file
      const place = reader.find(series)
      const added = place === -1 ? null : this.#addFile(reader, place, series, range)
      if (added !== null) await added
      if (pacer.spend(fileUnits)) await pacer.rest()
    }
  }

  async #addPooledFile({ reader, info }: OpenFile): Promise<boolean> {
    const { fromMs, toMs } = this.#range
    const whole = wholeHours(this.#range, info.firstMs, info.lastMs)
    const pooled = whole.fromMs < whole.toMs ? reader.pooledHours(whole.fromMs, whole.toMs) : null
    if (pooled === null) return false
    const { length, hoursMs, leftOut } = pooled
    const sums = this.#sumsOf(pooled)
    const isLeftOut = new Set(leftOut)
    if (info.firstMs < whole.fromMs) await this.#addPlaces(reader, isLeftOut, { fromMs, toMs: whole.fromMs - 1 })
    for (let hour = 0; hour < length; hour++) {
      const startMs = hoursMs[hour]
      if (this.#needsRows(sums, hour, Math.max(startMs, info.firstMs))) {
        await this.#addPlaces(reader, isLeftOut, { fromMs: startMs, toMs: startMs + hourMs - 1 })
        continue
      }
      this.#walk.enter(startMs)
      this.groups.addHour(sums, hour, reader.seriesAt(0), this.#walk.startMs)
    }
    if (info.lastMs >= whole.toMs) await this.#addPlaces(reader, isLeftOut, { fromMs: whole.toMs, toMs })
    for (const place of leftOut) await this.#addFile(reader, place, reader.seriesAt(place), this.#range)
    return true
  }

  /** Adds the series of a file one by one, but for some. */
  async #addPlaces(reader: SealedReader, isLeftOut: ReadonlySet<number>, range: Range): Promise<void> {
    const { pacer } = this.#run
    for (let place = 0; place < reader.length; place++) {
      const added = isLeftOut.has(place) ? null : this.#addFile(reader, place, reader.seriesAt(place), range)
      if (added !== null) await added
      if (pacer.spend(fileUnits)) await pacer.rest()
    }
  }

  /** Null when it was done at once: of many series of many files, most are a few hours of rollups. */
  #addFile(reader: SealedReader, place: number, series: number, range: Range): Promise<void> | null {
    const { fromMs, toMs } = range
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    if (firstMs > toMs || lastMs < fromMs) return null
    const whole = wholeHours(range, firstMs, lastMs)
    const rollups =
      this.#usesRollups && whole.fromMs < whole.toMs ? reader.hours(place, whole.fromMs, whole.toMs) : null
    if (rollups === null) return this.#addRows(reader.forward(place, fromMs, toMs), series)
    const isWhole = firstMs >= whole.fromMs && lastMs < whole.toMs
    if (isWhole && rollups.length <= hoursAtOnce && this.#addFewHours(rollups, series, firstMs)) return null
    return this.#addParts(reader, place, series, range, rollups)
  }

  /** False, and nothing is added, when rows are needed. */
  #addFewHours(rollups: HourRollups, series: number, firstMs: number): boolean {
    const { length, hoursMs } = rollups
    const sums = this.#sumsOf(rollups)
    for (let hour = 0; hour < length; hour++) {
      if (this.#needsRows(sums, hour, Math.max(hoursMs[hour], firstMs))) return false
    }
    for (let hour = 0; hour < length; hour++) {
      this.#walk.enter(hoursMs[hour])
      this.groups.addHour(sums, hour, series, this.#walk.startMs)
    }
    return true
  }

  async #addParts(
    reader: SealedReader,
    place: number,
    series: number,
    range: Range,
    rollups: HourRollups,
  ): Promise<void> {
    const { fromMs, toMs } = range
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    const whole = wholeHours(range, firstMs, lastMs)
    if (firstMs < whole.fromMs) await this.#addRows(reader.forward(place, fromMs, whole.fromMs - 1), series)
    await this.#addHours(reader, place, series, rollups)
    if (lastMs >= whole.toMs) await this.#addRows(reader.forward(place, whole.toMs, toMs), series)
  }

  async #addRows(stretches: Iterable<Stretch>, series: number): Promise<void> {
    const { pacer } = this.#run
    for (const stretch of stretches) {
      this.#addStretch(stretch, series)
      if (pacer.spend((stretch.end - stretch.start) * this.#rowCost)) await pacer.rest()
    }
  }

  async #addHours(reader: SealedReader, place: number, series: number, rollups: HourRollups): Promise<void> {
    const { pacer } = this.#run
    const { length, hoursMs } = rollups
    const firstMs = reader.firstMs(place)
    const sums = this.#sumsOf(rollups)
    for (let hour = 0; hour < length; hour++) {
      const startMs = hoursMs[hour]
      if (this.#needsRows(sums, hour, Math.max(startMs, firstMs))) {
        await this.#addRows(reader.forward(place, startMs, startMs + hourMs - 1), series)
        continue
      }
      this.#walk.enter(startMs)
      this.groups.addHour(sums, hour, series, this.#walk.startMs)
      if (pacer.spend(sums.length)) await pacer.rest()
    }
  }

  /** By metric. */
  #sumsOf(rollups: HourRollups): (HourSums | null)[] {
    return this.#metrics.map((metric) => (metric === -1 ? null : rollups.column(metric)))
  }

  /** An hour whose sum overflows needs them, and one that may hold the first item. Its rows are not before `firstMs`. */
  #needsRows(sums: readonly (HourSums | null)[], hour: number, firstMs: number): boolean {
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
