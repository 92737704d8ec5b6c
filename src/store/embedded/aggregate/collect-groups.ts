import type { AggregationPlan } from '../../../algebra/aggregation.ts'
import type { Range } from '../../../model/plan.ts'
import type { Stretch } from '../head/chunk.ts'
import { hoursWithin } from '../head/table-hours.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { SealedPages } from '../reading/sealed-source.ts'
import { hourMs, partsMax, wholeHours } from '../reading/whole-hours.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { AnotherWay } from './another-way.ts'
import { columnIndices, type Fields, walkOf } from './group-kinds.ts'
import { GroupRows } from './group-rows.ts'
import { GroupStretches } from './group-stretches.ts'
import { HoursOfPlan } from './hours-of-plan.ts'
import { conditionsOf, type FilterTests, filterTests } from './row-conditions.ts'
import { rowsWithin } from './rows-within.ts'
import type { SeriesHours } from './series-hours.ts'

/** Of rows that rollups stand for, so many cost as much as a unit of work: the SQL engine would read each of them. */
const rowsPerUnit = 4
/** Some seconds of the store's thread, however many rows rollups stand for. */
const rollupUnitsMax = 256_000_000

/** What looking for a series in a file takes about, in the units of a pacer. */
const fileUnits = 64

/** Of rows that are taken at a stretch: about a tenth of a millisecond, in the units of a pacer. */
const unitsAtOnce = 16_384

/** Puts the rows of an aggregation into their groups. Nothing needs an order: the sources of a series are taken one after the other. */
export async function collectGroups(plan: AggregationPlan, run: PlanRun, fields: Fields): Promise<GroupRows> {
  const collector = new GroupCollector(plan, run, fields)
  for (const range of plan.ranges) await collector.addRange(range)
  return collector.groups
}

/** How many rows are to be read is guessed from so many series, or from one of each file. */
const seriesLookedAt = 16

/** Some of the series, others for each of the files. */
function someOf(series: Int32Array, file: number, files: number): number[] {
  const step = Math.ceil((series.length * files) / seriesLookedAt)
  const some: number[] = []
  for (let place = Math.floor((series.length * file) / files); place < series.length; place += step) {
    some.push(series[place])
  }
  return some
}

class GroupCollector {
  readonly groups: GroupRows
  readonly #run: PlanRun
  readonly #fields: Fields
  readonly #passesSeries: FilterTests['passesSeries']
  readonly #hours: HoursOfPlan
  readonly #stretches: GroupStretches
  readonly #rowCost: number
  /** Whether hours of rollups of all series of a table together may stand for their rows. */
  readonly #isPooled: boolean
  /** Whether those of all series of a file together may, which have no bounds. */
  readonly #isPooledInFiles: boolean
  #unitsMax: number
  #units = 0

  constructor(plan: AggregationPlan, run: PlanRun, fields: Fields) {
    const keys = plan.keys.map(({ name }) => fields.accessorOf(name))
    const { passesSeries, passesRow } = filterTests(plan.filter, fields.accessorOf)
    const walk = walkOf(plan, fields)
    this.groups = new GroupRows(plan, fields)
    this.#run = run
    this.#fields = fields
    this.#passesSeries = passesSeries
    this.#hours = new HoursOfPlan(plan, fields, this.groups, walk)
    const hasKeyColumns = columnIndices(keys).length > 0
    this.#stretches = new GroupStretches({ groups: this.groups, walk, passesRow, hasKeyColumns })
    this.#rowCost =
      plan.aggregates.reduce((sum, { where }) => sum + 1 + conditionsOf(where ?? null), keys.length) +
      (passesRow === null ? 0 : conditionsOf(plan.filter)) +
      (fields.computed?.cost ?? 0)
    const hasDistinct = plan.aggregates.some(({ kind }) => kind === 'distinct')
    const hasBounds = plan.aggregates.some(({ kind }) => kind === 'least' || kind === 'greatest')
    const hasLongs = plan.aggregates.some((aggregate) => 'type' in aggregate && aggregate.type === 'long')
    const hasFilters = plan.filter !== null || plan.aggregates.some(({ where }) => where !== undefined)
    this.#isPooled = this.#hours.areUsed && !hasFilters && keys.length === 0 && !hasDistinct
    this.#isPooledInFiles = this.#isPooled && !hasBounds && !hasLongs
    this.#unitsMax = plan.unitsMax
  }

  async addRange(asked: Range): Promise<void> {
    const run = this.#run
    const range = { fromMs: Math.max(asked.fromMs, run.sinceMs), toMs: asked.toMs }
    const files: OpenFile[] = []
    for (const file of run.files) {
      if (file.info.firstMs > range.toMs || file.info.lastMs < range.fromMs) continue
      if (!this.#isPooledInFiles || !(await this.#addPooledFile(file, range))) files.push(file)
    }
    const share = run.selected.series.length / Math.max(1, this.#fields.seriesCount)
    const rows = rowsWithin(range, files, () => share)
    if (this.#hours.areUsed) this.#unitsMax = Math.max(this.#unitsMax, Math.min(rollupUnitsMax, rows / rowsPerUnit))
    const tables: TableView[] = []
    for (const [place, table] of run.tables.entries()) {
      const { fromMs, toMs } = this.#fields.tableSpans[place]
      if (fromMs > range.toMs || toMs < range.fromMs) continue
      if (!this.#isPooled || !(await this.#addPooledTable(table, range))) tables.push(table)
    }
    if (files.length + tables.length === 0) return
    await this.#requireRows(range, files, share)
    for (const series of run.selected.series) {
      if (this.#passesSeries(series)) await this.#addSeries(series, range, tables, files)
      if (this.#spend(1)) await run.pacer.rest()
    }
  }

  /** Leaves to others what would read more rows of files than it may; `share` is that of the series that are asked for. */
  async #requireRows(range: Range, files: readonly OpenFile[], share: number): Promise<void> {
    const { pacer, selected } = this.#run
    const rowsMax = (this.#unitsMax - this.#units) / this.#rowCost
    if (rowsWithin(range, files, () => share) <= rowsMax) return
    let looked = 0
    let read = 0
    for (const [number, { reader }] of files.entries()) {
      for (const series of someOf(selected.series, number, files.length)) {
        const place = reader.find(series)
        if (place === -1) continue
        looked += reader.rows(place)
        read += reader.rows(place) * this.#hours.shareRead(reader, place, series, range)
      }
      // The sums of a file's hours may have been read from the disk for it.
      if (pacer.spend(unitsAtOnce)) await pacer.rest()
    }
    const shareRead = looked === 0 ? 1 : read / looked
    if (rowsWithin(range, files, () => share * shareRead) > rowsMax) throw new AnotherWay()
  }

  /** Counts work: what is more than the plan allows is left to others. True when a rest is due. */
  #spend(units: number): boolean {
    this.#units += units
    if (this.#units > this.#unitsMax) throw new AnotherWay()
    return this.#run.pacer.spend(units)
  }

  async #addSeries(
    series: number,
    range: Range,
    tables: readonly TableView[],
    files: readonly OpenFile[],
  ): Promise<void> {
    const { pacer } = this.#run
    for (const table of tables) await this.#addOfTable(table, series, range)
    for (const { reader } of files) {
      const place = reader.find(series)
      const added = place === -1 ? null : this.#addPlace(reader, place, series, range)
      if (added !== null) await added
      if (this.#spend(fileUnits)) await pacer.rest()
    }
  }

  async #addOfTable(table: TableView, series: number, { fromMs, toMs }: Range): Promise<void> {
    const prepared = table.prepare(series, this.#run.pacer)
    if (prepared !== null) await prepared
    await this.#addRows(table.run(series, fromMs, toMs), series)
  }

  /** False, and nothing is added, where the table has no such sums of the range. */
  async #addPooledTable(table: TableView, range: Range): Promise<boolean> {
    const rollups = table.hours
    const whole = rollups && wholeHours(range, rollups.firstMs, rollups.lastMs)
    if (rollups === null || whole === null || whole.fromMs === whole.toMs) return false
    const { firstMs, lastMs, hoursMs, rows } = rollups
    const { groupHours } = this.#hours
    const columns = groupHours.columnsOf(rollups)
    const hours = hoursWithin(rollups, whole)
    if (hours.filter((hour) => !groupHours.holds(columns, hour, hoursMs[hour])).length > partsMax) return false
    if (firstMs < whole.fromMs) await this.#addTable(table, { fromMs: range.fromMs, toMs: whole.fromMs - 1 })
    for (const hour of hours) {
      const startMs = hoursMs[hour]
      if (groupHours.holds(columns, hour, startMs)) groupHours.add(columns, hour, startMs, table.series[0], rows[hour])
      else await this.#addTable(table, { fromMs: startMs, toMs: startMs + hourMs - 1 })
      if (this.#spend(columns.length)) await this.#run.pacer.rest()
    }
    if (lastMs >= whole.toMs) await this.#addTable(table, { fromMs: whole.toMs, toMs: range.toMs })
    return true
  }

  /** Adds the series of a table one by one. */
  async #addTable(table: TableView, range: Range): Promise<void> {
    for (const series of table.series) {
      await this.#addOfTable(table, series, range)
      if (this.#spend(1)) await this.#run.pacer.rest()
    }
  }

  /** Null when there was nothing to wait for. */
  #addPlace(reader: SealedPages, place: number, series: number, range: Range): Promise<void> | null {
    const { fromMs, toMs } = range
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    if (firstMs > toMs || lastMs < fromMs) return null
    const whole = wholeHours(range, firstMs, lastMs)
    const hours = this.#hours.of(reader, place, series, whole)
    if (hours === 'none') return null
    if (hours === null) return this.#addRows(reader.forward(place, fromMs, toMs), series)
    return this.#addHours(reader, place, series, range, hours)
  }

  /** Hours of which rows have to be read are read together where they lie side by side. */
  async #addHours(
    reader: SealedPages,
    place: number,
    series: number,
    { fromMs, toMs }: Range,
    hours: SeriesHours,
  ): Promise<void> {
    const { length } = hours.rollups
    const unitsOfHour = hours.columns.length + hours.bounded.size
    const whole = wholeHours({ fromMs, toMs }, reader.firstMs(place), reader.lastMs(place))
    if (reader.firstMs(place) < whole.fromMs) {
      await this.#addRows(reader.forward(place, fromMs, whole.fromMs - 1), series)
    }
    let readFrom = -1
    for (let hour = 0; hour < length; hour++) {
      const verdict = this.#hours.verdict(hours, hour)
      if (verdict === 'some') {
        if (readFrom === -1) readFrom = hour
        continue
      }
      if (readFrom !== -1) await this.#addRows(hours.stretches(readFrom, hour), series)
      readFrom = -1
      if (verdict === 'all') this.#hours.add(hours, hour, series)
      if (this.#spend(unitsOfHour)) await this.#run.pacer.rest()
    }
    if (readFrom !== -1) await this.#addRows(hours.stretches(readFrom, length), series)
    if (reader.lastMs(place) >= whole.toMs) await this.#addRows(reader.forward(place, whole.toMs, toMs), series)
  }

  /** False, and nothing is added, where the sums of all series together do not say all. */
  async #addPooledFile({ reader, info }: OpenFile, range: Range): Promise<boolean> {
    const isWhole = info.firstMs >= range.fromMs && info.lastMs <= range.toMs
    const pooled = isWhole ? reader.pooledHours(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY) : null
    if (pooled === null) return false
    const rowsLeftOut = pooled.leftOut.reduce((sum, place) => sum + reader.rows(place), 0)
    const { groupHours } = this.#hours
    const rows = groupHours.rowsByHour(pooled, info.rows - rowsLeftOut)
    const hours = groupHours.columnsOf(pooled)
    if (rows === null) return false
    for (let hour = 0; hour < pooled.length; hour++) {
      if (!groupHours.holds(hours, hour, pooled.hoursMs[hour])) return false
    }
    for (let hour = 0; hour < pooled.length; hour++) {
      groupHours.add(hours, hour, pooled.hoursMs[hour], reader.seriesAt(0), rows[hour])
    }
    for (const place of pooled.leftOut) {
      await this.#addRows(reader.forward(place, range.fromMs, range.toMs), reader.seriesAt(place))
    }
    return true
  }

  async #addRows(stretches: Iterable<Stretch>, series: number): Promise<void> {
    const { pacer } = this.#run
    const { computed } = this.#fields
    const rowsAtOnce = Math.max(1, Math.floor(unitsAtOnce / this.#rowCost))
    for (const { chunk, start, end } of stretches) {
      for (let from = start; from < end; from += rowsAtOnce) {
        const to = Math.min(end, from + rowsAtOnce)
        const isRestDue = this.#spend((to - from) * this.#rowCost)
        const stretch = { chunk, start: from, end: to }
        this.#stretches.add(computed === null ? stretch : computed.over(stretch, series), series)
        if (isRestDue) await pacer.rest()
      }
    }
  }
}
