import type { Range } from '../../../model/plan.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { firstAtOrAfter, type RowSlice } from '../head/chunk.ts'
import { hoursWithin, type TableRollups } from '../head/table-hours.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { PooledRollups, SealedPages } from '../reading/sealed-source.ts'
import { rangePartsOf, spansOf } from '../reading/shared-dates.ts'
import { type HourRange, partsMax, wholeHours } from '../reading/whole-hours.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { columnIndices, walkOf } from './group-kinds.ts'
import { GroupRows } from './group-rows.ts'
import { type Fields, type Grouping, needsBounds } from './grouping.ts'
import { HoursOfPlan } from './hours-of-plan.ts'
import { KeptGroups } from './kept-groups.ts'
import { NeedsSqlEngine } from './needs-sql-engine.ts'
import { conditionsOf, type FilterTests, filterTests } from './row-conditions.ts'
import { RowGrouper } from './row-grouper.ts'
import { rowsWithin } from './rows-within.ts'
import type { SeriesHours } from './series-hours.ts'

/** The number of rows covered by rollups that counts as one unit of work: the SQL engine would read each of them. */
const rowsPerUnit = 4
/** A limit of some seconds of the store's thread, for any number of rows that rollups replace. */
const rollupUnitsMax = 256_000_000

/** The approximate cost of finding a series in a file, in pacer units. */
const fileUnits = 64

/** The work between two calls of the pacer, in its units: about a tenth of a millisecond. */
const unitsAtOnce = 16_384

/** The most hours of rollups of a series in a file that are added without a rest. */
const hoursAtOnce = 32

/** Puts rows into their groups. No order is needed, so the sources of a series are read one after the other. */
export async function collectGroups(grouping: Grouping, run: PlanRun, fields: Fields): Promise<GroupRows> {
  const collector = new GroupCollector(grouping, run, fields)
  await collector.addAll(grouping.ranges)
  return collector.groups
}

/** The tables and files that may have rows in a range. */
interface RangeSources {
  readonly range: Range
  readonly tables: readonly TableView[]
  readonly files: readonly OpenFile[]
}

/** Rollups of all series of a table or a file together. */
interface PooledHours {
  readonly rollups: PooledRollups | TableRollups
  /** The whole hours of a range, and their places in the rollups. */
  readonly whole: HourRange
  readonly hours: readonly number[]
  /** The number of rows of each hour, by its place. */
  readonly rows: Float64Array
  readonly firstMs: number
  readonly lastMs: number
  /** Any one of the series. */
  readonly series: number
  /** Adds the rows of all these series within a range. */
  addRows(range: Range): Promise<void>
}

/** The number of series that are sampled to estimate how many rows must be read; with many files, one of each. */
const seriesLookedAt = 16

/** A sample of the series, different for each file. */
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
  readonly #slices: RowGrouper
  readonly #rowCost: number
  /** Whether hourly rollups of all series of a table together can replace its rows. */
  readonly #isPooled: boolean
  /** Whether those of all series of a file together can. They have no bounds. */
  readonly #isPooledInFiles: boolean
  /** Null where no rows have expired, or no hours are kept. */
  readonly #kept: KeptGroups | null
  #unitsMax: number
  #units = 0

  constructor(grouping: Grouping, run: PlanRun, fields: Fields) {
    const keys = grouping.keys.map(({ name }) => fields.accessorOf(name))
    const { passesSeries, passesRow } = filterTests(grouping.filter, fields.accessorOf)
    const walk = walkOf(grouping, fields)
    this.groups = new GroupRows(grouping, fields, run, run.tags)
    this.#run = run
    this.#fields = fields
    this.#passesSeries = passesSeries
    this.#hours = new HoursOfPlan(grouping, fields, this.groups, walk)
    const hasKeyColumns = columnIndices(keys).length > 0
    this.#slices = new RowGrouper({ groups: this.groups, walk, passesRow, hasKeyColumns })
    this.#rowCost =
      grouping.aggregates.reduce((sum, { where }) => sum + 1 + conditionsOf(where ?? null), keys.length) +
      (passesRow === null ? 0 : conditionsOf(grouping.filter)) +
      (fields.computed?.cost ?? 0)
    const hasDistinct = grouping.aggregates.some(({ kind }) => kind === 'distinct')
    const hasFilters = grouping.filter !== null || grouping.aggregates.some(({ where }) => where !== undefined)
    const isOfAll = run.isOfAll && !hasFilters && keys.length === 0
    this.#isPooled = this.#hours.areUsed && isOfAll && !run.replaces && !hasDistinct
    this.#kept =
      run.hours &&
      new KeptGroups(run.hours, grouping, fields, { run, hours: this.#hours, passesRow, groups: this.groups })
    this.#isPooledInFiles = this.#isPooled && !grouping.aggregates.some(needsBounds)
    this.#unitsMax = grouping.unitsMax
  }

  async addAll(ranges: readonly Range[]): Promise<void> {
    const { selected, sinceMs, replaces, pacer } = this.#run
    const kept = ranges.map((range) => this.#kept?.rangeOf(range) ?? null).filter((range) => range !== null)
    // The SQL engine cannot read kept hours.
    if (kept.length > 0) this.#unitsMax = Number.POSITIVE_INFINITY
    const sources: RangeSources[] = []
    for (const { fromMs, toMs } of ranges) {
      if (toMs < sinceMs) continue
      const ofRange = await this.#sourcesOf({ fromMs: Math.max(fromMs, sinceMs), toMs })
      if (ofRange.files.length + ofRange.tables.length > 0) sources.push(ofRange)
    }
    if (sources.length + kept.length === 0) return
    await this.#requireRows(sources)
    const { areTagByTag } = this.groups
    for (let tag = 0; tag + 1 < selected.bounds.length; tag++) {
      if (areTagByTag) this.groups.nextTag()
      for (let place = selected.bounds[tag]; place < selected.bounds[tag + 1]; place++) {
        const series = selected.series[place]
        if (this.#passesSeries(series)) {
          for (const range of kept) await this.#kept!.add(series, range)
          for (const one of sources) {
            await (replaces ? this.#addReplaced(series, one) : this.#addSources(series, one.range, one))
          }
        }
        if (this.#spend(1)) await pacer.rest()
      }
    }
  }

  /** The sources with rows in a range, except those whose pooled sums of all series are added here. */
  async #sourcesOf(range: Range): Promise<RangeSources> {
    const { tables, tableSpans, files } = this.#run
    const within = files.filter(({ info }) => info.firstMs <= range.toMs && info.lastMs >= range.fromMs)
    const rows = rowsWithin(range, within, () => this.#share)
    if (this.#hours.areUsed) this.#unitsMax = Math.max(this.#unitsMax, Math.min(rollupUnitsMax, rows / rowsPerUnit))
    const left: { tables: TableView[]; files: OpenFile[] } = { tables: [], files: [] }
    for (const file of within) {
      if (!this.#isPooledInFiles || !(await this.#addPooledFile(file, range))) left.files.push(file)
    }
    for (const [place, table] of tables.entries()) {
      const { fromMs, toMs } = tableSpans[place]
      if (fromMs > range.toMs || toMs < range.fromMs) continue
      if (!this.#isPooled || !(await this.#addPooledTable(table, range))) left.tables.push(table)
    }
    return { range, ...left }
  }

  /** The share of the entity's series that are selected. */
  get #share(): number {
    return this.#run.selected.series.length / Math.max(1, this.#run.seriesCount)
  }

  /** Throws NeedsSqlEngine if more rows of files would be read than the plan allows. */
  async #requireRows(sources: readonly RangeSources[]): Promise<void> {
    const { pacer, selected } = this.#run
    const share = this.#share
    const rowsMax = (this.#unitsMax - this.#units) / this.#rowCost
    const rowsOf = (shareRead: number): number =>
      sources.reduce((sum, { range, files }) => sum + rowsWithin(range, files, () => share * shareRead), 0)
    if (rowsOf(1) <= rowsMax) return
    let looked = 0
    let read = 0
    for (const { range, files } of sources) {
      for (const [number, { reader }] of files.entries()) {
        for (const series of someOf(selected.series, number, files.length)) {
          const place = reader.find(series)
          if (place === -1) continue
          looked += reader.rows(place)
          read += reader.rows(place) * this.#hours.shareRead(reader, place, series, range)
        }
        // Estimating may have read the sums of the file's hours from disk.
        if (pacer.spend(unitsAtOnce)) await pacer.rest()
      }
    }
    if (rowsOf(looked === 0 ? 1 : read / looked) > rowsMax) throw new NeedsSqlEngine()
  }

  /** Counts work. Returns true when a rest is due. Throws NeedsSqlEngine beyond the limit of the plan. */
  #spend(units: number): boolean {
    this.#units += units
    if (this.#units > this.#unitsMax) throw new NeedsSqlEngine()
    return this.#run.pacer.spend(units)
  }

  async #addReplaced(series: number, sources: RangeSources): Promise<void> {
    const { source, pacer } = this.#run
    const prepared = source.prepare(series, pacer)
    if (prepared !== null) await prepared
    // Where several sources may have rows of the same date, only reading them together yields the item.
    for (const part of rangePartsOf(sources.range, spansOf(series, sources))) {
      if (part.isShared) await this.#addRows(source.run(series, part.fromMs, part.toMs), series)
      else await this.#addSources(series, part, sources)
    }
  }

  async #addSources(series: number, range: Range, { tables, files }: RangeSources): Promise<void> {
    const { pacer } = this.#run
    const { fromMs, toMs } = range
    for (const table of tables) {
      const prepared = table.prepare(series, pacer)
      if (prepared !== null) await prepared
      await this.#addRows(table.run(series, fromMs, toMs), series)
    }
    for (const { reader } of files) {
      const place = reader.find(series)
      const added = place === -1 ? null : this.#addPlace(reader, place, series, range)
      if (added !== null) await added
      if (this.#spend(fileUnits)) await pacer.rest()
    }
  }

  /** Returns false, and adds nothing, if the rows of more than `partsMax` hours must be read. */
  async #addPooled(pooled: PooledHours, range: Range): Promise<boolean> {
    const { rollups, whole, hours, firstMs, lastMs, rows, series } = pooled
    const { groupHours } = this.#hours
    const { hoursMs } = rollups
    const columns = groupHours.columnsOf(rollups)
    if (hours.filter((hour) => !groupHours.holds(columns, hour, hoursMs[hour])).length > partsMax) return false
    if (firstMs < whole.fromMs) await pooled.addRows({ fromMs: range.fromMs, toMs: whole.fromMs - 1 })
    for (const hour of hours) {
      const startMs = hoursMs[hour]
      const isEnough =
        groupHours.holds(columns, hour, startMs) && !groupHours.mayHaveFirst(columns, hour, Math.max(startMs, firstMs))
      if (isEnough) groupHours.add(columns, hour, startMs, series, rows[hour])
      else await pooled.addRows({ fromMs: startMs, toMs: startMs + hourMs - 1 })
      if (this.#spend(columns.length)) await this.#run.pacer.rest()
    }
    if (lastMs >= whole.toMs) await pooled.addRows({ fromMs: whole.toMs, toMs: range.toMs })
    return true
  }

  async #addPooledTable(table: TableView, range: Range): Promise<boolean> {
    const rollups = table.hours
    const whole = rollups && wholeHours(range, rollups.firstMs, rollups.lastMs)
    if (rollups === null || whole === null || whole.fromMs === whole.toMs) return false
    const { firstMs, lastMs, rows } = rollups
    if (firstMs >= range.fromMs) this.groups.items?.meetFirstRow(rollups, this.#hours.groupHours.columnsOf(rollups))
    const addRows = (part: Range): Promise<void> => this.#addTable(table, part)
    const hours = hoursWithin(rollups, whole)
    return this.#addPooled({ rollups, whole, hours, rows, firstMs, lastMs, series: table.series[0], addRows }, range)
  }

  async #addPooledFile({ reader, info }: OpenFile, range: Range): Promise<boolean> {
    const { firstMs, lastMs } = info
    const whole = wholeHours(range, firstMs, lastMs)
    const rollups = whole.fromMs < whole.toMs ? reader.pooledHours(whole.fromMs, whole.toMs) : null
    const rows = rollups && this.#pooledRows(reader, rollups, info.rows)
    if (rollups === null || rows === null) return false
    const addRows = (part: Range): Promise<void> =>
      this.#addPlaces(reader, part, otherPlaces(reader.length, rollups.leftOut))
    const hours = [...rollups.hoursMs.subarray(0, rollups.length).keys()]
    const pooled = { rollups, whole, hours, rows, firstMs, lastMs, series: reader.seriesAt(0), addRows }
    if (!(await this.#addPooled(pooled, range))) return false
    await this.#addPlaces(reader, range, rollups.leftOut)
    return true
  }

  /** The rows of all series of a file in each hour; null where the plan needs the counts and they are not known. */
  #pooledRows(reader: SealedPages, { hoursMs, length, leftOut }: PooledRollups, rows: number): Float64Array | null {
    const all = reader.pooledHours(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    const rowsLeftOut = leftOut.reduce((sum, place) => sum + reader.rows(place), 0)
    const counts = all && this.#hours.groupHours.rowsByHour(all, rows - rowsLeftOut)
    return counts === null || length === 0
      ? counts
      : counts.subarray(firstAtOrAfter(all!.hoursMs, 0, all!.length, hoursMs[0]))
  }

  /** Adds some of the series of a file one by one. */
  async #addPlaces(reader: SealedPages, range: Range, places: Iterable<number>): Promise<void> {
    for (const place of places) {
      const added = this.#addPlace(reader, place, reader.seriesAt(place), range)
      if (added !== null) await added
      if (this.#spend(fileUnits)) await this.#run.pacer.rest()
    }
  }

  /** Adds the series of a table one by one. */
  async #addTable(table: TableView, range: Range): Promise<void> {
    const sources = { range, tables: [table], files: [] }
    for (const series of table.series) {
      await this.#addSources(series, range, sources)
      if (this.#spend(1)) await this.#run.pacer.rest()
    }
  }

  /** Returns null when there is nothing to await. */
  #addPlace(reader: SealedPages, place: number, series: number, range: Range): Promise<void> | null {
    const { fromMs, toMs } = range
    const firstMs = reader.firstMs(place)
    const lastMs = reader.lastMs(place)
    if (firstMs > toMs || lastMs < fromMs) return null
    const whole = wholeHours(range, firstMs, lastMs)
    const hours = this.#hours.of(reader, place, series, whole)
    if (hours === 'none') return null
    if (hours === null) return this.#addRows(reader.forward(place, fromMs, toMs), series)
    const isWhole = firstMs >= whole.fromMs && lastMs < whole.toMs
    if (isWhole && hours.rollups.length <= hoursAtOnce && this.#hours.addAll(hours, series)) return null
    return this.#addHours(reader, place, series, range, hours)
  }

  /** Neighbouring hours whose rows must be read are read together. */
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
      if (readFrom !== -1) await this.#addRows(hours.slices(readFrom, hour), series)
      readFrom = -1
      if (verdict === 'all') this.#hours.add(hours, hour, series)
      if (this.#spend(unitsOfHour)) await this.#run.pacer.rest()
    }
    if (readFrom !== -1) await this.#addRows(hours.slices(readFrom, length), series)
    if (reader.lastMs(place) >= whole.toMs) await this.#addRows(reader.forward(place, whole.toMs, toMs), series)
  }

  async #addRows(slices: Iterable<RowSlice>, series: number): Promise<void> {
    const { pacer } = this.#run
    const { computed } = this.#fields
    const rowsAtOnce = Math.max(1, Math.floor(unitsAtOnce / this.#rowCost))
    for (const whole of slices) {
      const { chunk, start, end } = whole
      for (let from = start; from < end; from += rowsAtOnce) {
        const to = Math.min(end, from + rowsAtOnce)
        const isRestDue = this.#spend((to - from) * this.#rowCost)
        const slice = to - from === end - start ? whole : { chunk, start: from, end: to }
        this.#slices.add(computed === null ? slice : computed.over(slice, series), series)
        if (isRestDue) await pacer.rest()
      }
    }
  }
}

/** The places below `length` except `some`, which are in rising order. */
function* otherPlaces(length: number, some: Uint32Array): Generator<number> {
  let next = 0
  for (let place = 0; place < length; place++) {
    if (some[next] === place) next++
    else yield place
  }
}
