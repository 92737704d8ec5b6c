import type { AveragePlan, Range } from '../../../model/plan.ts'
import { hoursWithin, type TableRollups } from '../head/table-hours.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { HourSums, SealedPages } from '../reading/sealed-source.ts'
import { rangePartsOf } from '../reading/shared-dates.ts'
import { hourMs, partsMax, wholeHours } from '../reading/whole-hours.ts'
import type { Combinations } from './combinations.ts'
import type { MeanGroups } from './mean-groups.ts'
import { MeanRows } from './mean-rows.ts'
import type { PlanRun } from './plan-run.ts'

/** Sums the items of an average's groups, tag by tag. Sums need no order: the sources of a series are taken one after the other. */
export async function collectMeans(
  plan: AveragePlan,
  run: PlanRun,
  combined: Combinations | null,
): Promise<MeanGroups> {
  const rows = new MeanRows(plan, run, combined)
  const collector = new MeanCollector(plan, run, rows)
  const { selected, pacer } = run
  if (rows.usesRollups && isPooled(plan, run)) await collector.addPooled()
  if (collector.isDone) return rows.groups
  for (let tag = 0; tag + 1 < selected.bounds.length; tag++) {
    if (plan.byTag) rows.groups.nextTag()
    for (let index = selected.bounds[tag]; index < selected.bounds[tag + 1]; index++) {
      await collector.addSeries(selected.series[index])
      if (pacer.spend(4)) await pacer.rest()
    }
  }
  return rows.groups
}

/** What looking for a series in a file takes about, in the units of a pacer. */
const fileUnits = 64

/** Whether the items of all series go together. */
function isPooled({ byTag, selection }: AveragePlan, { fields, replaces }: PlanRun): boolean {
  return !byTag && fields.length === 0 && !replaces && selection.ids === null && selection.prefixes === null
}

class MeanCollector {
  readonly #range: Range
  readonly #run: PlanRun
  readonly #rows: MeanRows
  /** Those that series are still to be looked for in. */
  #tables: readonly TableView[]
  #files: readonly OpenFile[]

  constructor({ range }: AveragePlan, run: PlanRun, rows: MeanRows) {
    // Rows that have left are not there; a whole UTC day has.
    this.#range = { fromMs: Math.max(range.fromMs, run.sinceMs), toMs: range.toMs }
    this.#run = run
    this.#rows = rows
    this.#tables = run.tables
    this.#files = run.files.filter(({ info }) => info.firstMs <= this.#range.toMs && info.lastMs >= this.#range.fromMs)
  }

  /** Whether there is nothing left to look for series in. */
  get isDone(): boolean {
    return this.#tables.length + this.#files.length === 0
  }

  /** Takes tables and files whole of which the sums of all series together are kept. */
  async addPooled(): Promise<void> {
    const tables: TableView[] = []
    const files: OpenFile[] = []
    for (const file of this.#files) if (!(await this.#addPooledFile(file))) files.push(file)
    for (const table of this.#tables) if (!(await this.#addPooledTable(table))) tables.push(table)
    this.#tables = tables
    this.#files = files
  }

  async addSeries(series: number): Promise<void> {
    const { source, replaces, pacer } = this.#run
    const prepared = source.prepare(series, pacer)
    if (prepared !== null) await prepared
    if (!replaces) return this.#addSources(series, this.#range)
    // Where several sources may have rows of one date, the item is known only when they are read together.
    for (const part of rangePartsOf(this.#range, this.#spansOf(series))) {
      if (!part.isShared) await this.#addSources(series, part)
      else await this.#rows.addRows(source.run(series, part.fromMs, part.toMs), series)
    }
  }

  /** Between which dates each source has rows of a series. */
  #spansOf(series: number): Range[] {
    const spans: Range[] = []
    for (const table of this.#tables) {
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
    const { pacer } = this.#run
    const { fromMs, toMs } = range
    for (const table of this.#tables) await this.#rows.addRows(table.run(series, fromMs, toMs), series)
    for (const file of this.#files) {
      const { reader } = file
      const place = reader.find(series)
      const added = place === -1 ? null : this.#rows.addFile(reader, place, series, range)
      if (added !== null) await added
      if (pacer.spend(fileUnits)) await pacer.rest()
    }
  }

  /** False, and nothing is added, where the table has no such sums of the range. */
  async #addPooledTable(table: TableView): Promise<boolean> {
    const { fromMs, toMs } = this.#range
    const rollups = table.hours
    if (rollups === null) return false
    const { firstMs, lastMs } = rollups
    if (firstMs > toMs || lastMs < fromMs) return true
    const whole = wholeHours(this.#range, firstMs, lastMs)
    if (whole.fromMs === whole.toMs) return false
    const hours = hoursWithin(rollups, whole)
    if (this.#hasManyParts(this.#rows.sumsOf(rollups), hours)) return false
    if (firstMs < whole.fromMs) await this.#addTable(table, { fromMs, toMs: whole.fromMs - 1 })
    await this.#addTableHours(table, rollups, hours)
    if (lastMs >= whole.toMs) await this.#addTable(table, { fromMs: whole.toMs, toMs })
    return true
  }

  /** Whether all series would have to be looked at again and again, for the rows of one hour after the other. */
  #hasManyParts(sums: readonly (HourSums | null)[], hours: readonly number[]): boolean {
    return hours.filter((hour) => this.#rows.needsRows(sums, hour, Number.POSITIVE_INFINITY)).length > partsMax
  }

  async #addTableHours(table: TableView, rollups: TableRollups, hours: readonly number[]): Promise<void> {
    const { pacer } = this.#run
    const { hoursMs, firstMs } = rollups
    const sums = this.#rows.sumsOf(rollups)
    const [series] = table.series
    if (firstMs >= this.#range.fromMs && isFirstItem(rollups, sums)) this.#rows.meetFirst(firstMs)
    for (const hour of hours) {
      const startMs = hoursMs[hour]
      if (this.#rows.needsRows(sums, hour, Math.max(startMs, firstMs))) {
        await this.#addTable(table, { fromMs: startMs, toMs: startMs + hourMs - 1 })
        continue
      }
      this.#rows.addHour(sums, hour, series, startMs)
      if (pacer.spend(sums.length)) await pacer.rest()
    }
  }

  /** Adds the series of a table one by one. */
  async #addTable(table: TableView, { fromMs, toMs }: Range): Promise<void> {
    const { pacer } = this.#run
    for (const series of table.series) {
      const prepared = table.prepare(series, pacer)
      if (prepared !== null) await prepared
      await this.#rows.addRows(table.run(series, fromMs, toMs), series)
      if (pacer.spend(4)) await pacer.rest()
    }
  }

  async #addPooledFile({ reader, info }: OpenFile): Promise<boolean> {
    const { fromMs, toMs } = this.#range
    const whole = wholeHours(this.#range, info.firstMs, info.lastMs)
    const pooled = whole.fromMs < whole.toMs ? reader.pooledHours(whole.fromMs, whole.toMs) : null
    if (pooled === null) return false
    const { length, hoursMs, leftOut } = pooled
    const sums = this.#rows.sumsOf(pooled)
    if (this.#hasManyParts(sums, [...hoursMs.subarray(0, length).keys()])) return false
    const isLeftOut = new Set(leftOut)
    if (info.firstMs < whole.fromMs) await this.#addPlaces(reader, isLeftOut, { fromMs, toMs: whole.fromMs - 1 })
    for (let hour = 0; hour < length; hour++) {
      const startMs = hoursMs[hour]
      if (this.#rows.needsRows(sums, hour, Math.max(startMs, info.firstMs))) {
        await this.#addPlaces(reader, isLeftOut, { fromMs: startMs, toMs: startMs + hourMs - 1 })
        continue
      }
      this.#rows.addHour(sums, hour, reader.seriesAt(0), startMs)
    }
    if (info.lastMs >= whole.toMs) await this.#addPlaces(reader, isLeftOut, { fromMs: whole.toMs, toMs })
    for (const place of leftOut) await this.#rows.addFile(reader, place, reader.seriesAt(place), this.#range)
    return true
  }

  /** Adds the series of a file one by one, but for some. */
  async #addPlaces(reader: SealedPages, isLeftOut: ReadonlySet<number>, range: Range): Promise<void> {
    const { pacer } = this.#run
    for (let place = 0; place < reader.length; place++) {
      const added = isLeftOut.has(place) ? null : this.#rows.addFile(reader, place, reader.seriesAt(place), range)
      if (added !== null) await added
      if (pacer.spend(fileUnits)) await pacer.rest()
    }
  }
}

/** Whether the first row of a table is an item: each row of its hour has a value of one of the metrics. */
function isFirstItem({ hoursMs, rows, firstMs, length }: TableRollups, sums: readonly (HourSums | null)[]): boolean {
  const hour = hoursMs.subarray(0, length).indexOf(Math.floor(firstMs / hourMs) * hourMs)
  return sums.some((metric) => metric !== null && metric.counts[hour] === rows[hour])
}
