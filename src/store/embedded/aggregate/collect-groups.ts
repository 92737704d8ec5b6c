import type { AggregationPlan } from '../../../model/aggregation.ts'
import type { Range } from '../../../model/plan.ts'
import type { Chunk, Stretch } from '../head/chunk.ts'
import { hoursWithin } from '../head/table-hours.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { SealedPages, SeriesRollups } from '../reading/sealed-source.ts'
import { hourMs, partsMax, wholeHours } from '../reading/whole-hours.ts'
import type { BucketWalk } from '../run/bucket-walk.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { AnotherWay } from './another-way.ts'
import { GroupHours } from './group-hours.ts'
import { columnIndices, type Fields, filteredColumns, holdInHours, linearOf, walkOf } from './group-kinds.ts'
import { GroupRows } from './group-rows.ts'
import { conditionsOf, type FilterTests, filterTests } from './row-conditions.ts'
import { rowsWithin } from './rows-within.ts'

/** Rows that are looked at for the same keys at once: one key may change with each row, and the others are looked at again then. */
const sameRowsMax = 64

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

class GroupCollector {
  readonly groups: GroupRows
  readonly #run: PlanRun
  readonly #fields: Fields
  readonly #tests: FilterTests
  /** Null where all rows are of one bucket. */
  readonly #walk: BucketWalk | null
  readonly #hours: GroupHours
  readonly #rowCost: number
  /** Whether hours of rollups may stand for their rows. */
  readonly #usesRollups: boolean
  /** Whether those of all series of a table together may. */
  readonly #isPooled: boolean
  /** Whether those of all series of a file together may, which have no bounds. */
  readonly #isPooledInFiles: boolean
  /** The columns that rows are grouped by. */
  readonly #keyColumns: readonly number[]
  /** These, and those that rows are filtered by: where they are the same in all rows of a series, one row says all of them. */
  readonly #rowColumns: readonly number[]
  #unitsMax: number
  #units = 0

  constructor(plan: AggregationPlan, run: PlanRun, fields: Fields) {
    const keys = plan.keys.map(({ name }) => fields.accessorOf(name))
    this.groups = new GroupRows(plan, fields)
    this.#run = run
    this.#fields = fields
    this.#tests = filterTests(plan.filter, fields.accessorOf)
    this.#walk = walkOf(plan, fields)
    const countsRows = plan.aggregates.some(({ kind }) => kind === 'rows')
    const linear = plan.aggregates.map((aggregate) => linearOf(aggregate, fields))
    this.#hours = new GroupHours({ ...fields, groups: this.groups, walk: this.#walk, countsRows, linear })
    this.#rowCost =
      plan.aggregates.reduce((sum, { where }) => sum + 1 + conditionsOf(where ?? null), keys.length) +
      (this.#tests.passesRow === null ? 0 : conditionsOf(plan.filter)) +
      (fields.computed?.cost ?? 0)
    const filtered = this.#tests.passesRow === null ? [] : filteredColumns(plan, fields)
    this.#keyColumns = columnIndices(keys)
    this.#rowColumns = [...this.#keyColumns, ...(filtered ?? [])]
    this.#usesRollups = filtered !== null && this.groups.areOfSeries && holdInHours(plan, fields, linear)
    const hasDistinct = plan.aggregates.some(({ kind }) => kind === 'distinct')
    const hasBounds = plan.aggregates.some(({ kind }) => kind === 'least' || kind === 'greatest')
    const hasLongs = plan.aggregates.some((aggregate) => 'type' in aggregate && aggregate.type === 'long')
    const hasFilters = plan.filter !== null || plan.aggregates.some(({ where }) => where !== undefined)
    this.#isPooled = this.#usesRollups && !hasFilters && keys.length === 0 && !hasDistinct
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
    if (this.#usesRollups) this.#unitsMax = Math.max(this.#unitsMax, Math.min(rollupUnitsMax, rows / rowsPerUnit))
    const tables: TableView[] = []
    for (const [place, table] of run.tables.entries()) {
      const { fromMs, toMs } = this.#fields.tableSpans[place]
      if (fromMs > range.toMs || toMs < range.fromMs) continue
      if (!this.#isPooled || !(await this.#addPooledTable(table, range))) tables.push(table)
    }
    if (files.length + tables.length === 0) return
    const rowsRead = rowsWithin(range, files, (file) => share * this.#shareRead(file))
    if (rowsRead * this.#rowCost > this.#unitsMax - this.#units) throw new AnotherWay()
    for (const series of run.selected.series) {
      if (this.#tests.passesSeries(series)) await this.#addSeries(series, range, tables, files)
      if (this.#spend(1)) await run.pacer.rest()
    }
  }

  /** Of the series of a file, about the share whose rows have to be read. */
  #shareRead({ reader }: OpenFile): number {
    if (!this.#usesRollups) return 1
    return this.#rowColumns.length === 0 ? 0 : 1 - reader.commonRowsMax(this.#rowColumns) / reader.length
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
    const columns = this.#hours.columnsOf(rollups)
    const hours = hoursWithin(rollups, whole)
    if (hours.filter((hour) => !this.#hours.holds(columns, hour, hoursMs[hour])).length > partsMax) return false
    if (firstMs < whole.fromMs) await this.#addTable(table, { fromMs: range.fromMs, toMs: whole.fromMs - 1 })
    for (const hour of hours) {
      const startMs = hoursMs[hour]
      if (this.#hours.holds(columns, hour, startMs))
        this.#hours.add(columns, hour, startMs, table.series[0], rows[hour])
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
    const needsRow = this.#rowColumns.length > 0
    const common = this.#usesRollups && needsRow ? reader.commonRow(place, this.#rowColumns) : null
    if (common !== null && this.#tests.passesRow?.(common.chunk, common.start, series) === false) return null
    const mayUse = this.#usesRollups && (!needsRow || common !== null) && whole.fromMs < whole.toMs
    const rollups = mayUse ? reader.hours(place, whole.fromMs, whole.toMs) : null
    if (rollups === null) return this.#addRows(reader.forward(place, fromMs, toMs), series)
    return this.#addHours(reader, place, series, range, rollups, common)
  }

  async #addHours(
    reader: SealedPages,
    place: number,
    series: number,
    range: Range,
    rollups: SeriesRollups,
    keys: Stretch | null,
  ): Promise<void> {
    const { fromMs, toMs } = range
    const { pacer } = this.#run
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    const whole = wholeHours(range, firstMs, lastMs)
    const rows = this.#hours.rowsByHour(
      reader.hours(place, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      rollups,
      reader.rows(place),
    )
    if (rows === null) return this.#addRows(reader.forward(place, fromMs, toMs), series)
    const hours = this.#hours.columnsOf(rollups)
    if (firstMs < whole.fromMs) await this.#addRows(reader.forward(place, fromMs, whole.fromMs - 1), series)
    for (let hour = 0; hour < rollups.length; hour++) {
      const startMs = rollups.hoursMs[hour]
      if (!this.#hours.holds(hours, hour, startMs)) {
        await this.#addRows(reader.forward(place, startMs, startMs + hourMs - 1), series)
        continue
      }
      this.#hours.add(hours, hour, startMs, series, rows[hour], keys)
      if (this.#spend(hours.length)) await pacer.rest()
    }
    if (lastMs >= whole.toMs) await this.#addRows(reader.forward(place, whole.toMs, toMs), series)
  }

  /** False, and nothing is added, where the sums of all series together do not say all. */
  async #addPooledFile({ reader, info }: OpenFile, range: Range): Promise<boolean> {
    const isWhole = info.firstMs >= range.fromMs && info.lastMs <= range.toMs
    const pooled = isWhole ? reader.pooledHours(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY) : null
    if (pooled === null) return false
    const rowsLeftOut = pooled.leftOut.reduce((sum, place) => sum + reader.rows(place), 0)
    const rows = this.#hours.rowsByHour(pooled, pooled, info.rows - rowsLeftOut)
    const hours = this.#hours.columnsOf(pooled)
    if (rows === null) return false
    for (let hour = 0; hour < pooled.length; hour++) {
      if (!this.#hours.holds(hours, hour, pooled.hoursMs[hour])) return false
    }
    for (let hour = 0; hour < pooled.length; hour++) {
      this.#hours.add(hours, hour, pooled.hoursMs[hour], reader.seriesAt(0), rows[hour])
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
        this.#addStretch(computed === null ? stretch : computed.over(stretch, series), series)
        if (isRestDue) await pacer.rest()
      }
    }
  }

  #addStretch({ chunk, start, end }: Stretch, series: number): void {
    const { times } = chunk
    for (let row = start; row < end; ) {
      const bucketMs = this.#hours.bucketOf(times[row])
      const bucketEnd = this.#walk === null ? end : this.#walk.endIn(times, row, end)
      this.#addBucket(chunk, row, bucketEnd, series, bucketMs)
      row = bucketEnd
    }
  }

  /** Adds those of rows [start, end), which are of one bucket, that pass, as many at once as have the same keys. */
  #addBucket(chunk: Chunk, start: number, end: number, series: number, bucketMs: number): void {
    const { passesRow } = this.#tests
    let same = this.#keyColumns.length > 0 ? start : end
    for (let row = start; row < end; ) {
      if (passesRow !== null && !passesRow(chunk, row, series)) {
        row++
        continue
      }
      if (row >= same) same = this.groups.sameUntil(chunk, row, Math.min(end, row + sameRowsMax))
      let next = passesRow === null ? same : row + 1
      while (next < same && passesRow?.(chunk, next, series) === true) next++
      this.groups.addRows(this.groups.at(bucketMs, chunk, row, series), chunk, row, next, series)
      row = next
    }
  }
}
