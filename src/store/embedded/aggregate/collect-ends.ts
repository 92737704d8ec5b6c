import type { Range } from '../../../model/plan.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { GroupRows } from './group-rows.ts'
import type { Fields, Grouping } from './grouping.ts'
import { NeedsSqlEngine } from './needs-sql-engine.ts'
import { type FilterTests, filterTests } from './row-conditions.ts'

/** The approximate cost of finding a series in a file and reading one end of it, in pacer units. */
const fileUnits = 32

/** Whether the first and last rows of series are enough for an aggregation: it has one bucket, and its groups consist of whole series. */
export function needsOnlyEnds({ granularity, keys, aggregates }: Grouping, { accessorOf, computed }: Fields): boolean {
  return (
    computed === null &&
    granularity.kind === 'all' &&
    aggregates.length > 0 &&
    aggregates.every((aggregate) => 'end' in aggregate && aggregate.where === undefined) &&
    keys.every(({ name }) => accessorOf(name).kind !== 'column')
  )
}

export async function collectEnds(plan: Grouping, run: PlanRun, fields: Fields): Promise<GroupRows> {
  const collector = new EndsCollector(plan, run, fields)
  for (const { fromMs, toMs } of plan.ranges) {
    await collector.addRange({ fromMs: Math.max(fromMs, run.sinceMs), toMs })
  }
  return collector.groups
}

class EndsCollector {
  readonly groups: GroupRows
  readonly #run: PlanRun
  readonly #tests: FilterTests
  readonly #hasNewest: boolean
  readonly #hasOldest: boolean
  readonly #unitsMax: number
  #units = 0

  constructor(plan: Grouping, run: PlanRun, fields: Fields) {
    this.groups = new GroupRows(plan, fields, run)
    this.#run = run
    this.#tests = filterTests(plan.filter, fields.accessorOf)
    this.#hasNewest = plan.aggregates.some((aggregate) => 'end' in aggregate && aggregate.end === 'newest')
    this.#hasOldest = plan.aggregates.some((aggregate) => 'end' in aggregate && aggregate.end === 'oldest')
    this.#unitsMax = plan.unitsMax
  }

  async addRange(range: Range): Promise<void> {
    const { source, files, tables, selected, replaces, pacer } = this.#run
    const { fromMs, toMs } = range
    const within = files.filter(({ info }) => info.firstMs <= toMs && info.lastMs >= fromMs)
    const newestFirst = within.toSorted((left, right) => right.info.lastMs - left.info.lastMs)
    const oldestFirst = within.toSorted((left, right) => left.info.firstMs - right.info.firstMs)
    for (const series of selected.series) {
      await this.#spend(1)
      if (!this.#tests.passesSeries(series)) continue
      const prepared = source.prepare(series, pacer)
      if (prepared !== null) await prepared
      if (replaces) {
        // Where several sources may have rows of the same date, only reading them together yields the item.
        await this.#spend(fileUnits * within.length)
        if (this.#hasNewest) await this.#addEnd(source.runBackward(series, fromMs, toMs), series, 'newest')
        if (this.#hasOldest) await this.#addEnd(source.run(series, fromMs, toMs), series, 'oldest')
        continue
      }
      if (this.#hasNewest) await this.#addNewest(series, range, tables, newestFirst)
      if (this.#hasOldest) await this.#addOldest(series, range, tables, oldestFirst)
    }
  }

  /** `files` are sorted newest first: the search ends at the first file that ends before the newest row found. */
  async #addNewest(
    series: number,
    range: Range,
    tables: readonly TableView[],
    files: readonly OpenFile[],
  ): Promise<void> {
    let foundMs = Number.NEGATIVE_INFINITY
    for (const table of tables) {
      const ms = await this.#addEnd(table.runBackward(series, range.fromMs, range.toMs), series, 'newest')
      foundMs = Math.max(foundMs, ms ?? foundMs)
    }
    for (const file of files) {
      if (file.info.lastMs < foundMs) return
      await this.#spend(fileUnits)
      const place = file.reader.find(series)
      if (place === -1 || file.reader.lastMs(place) < foundMs) continue
      const ms = await this.#addEnd(file.backward(place, range.fromMs, range.toMs), series, 'newest')
      foundMs = Math.max(foundMs, ms ?? foundMs)
    }
  }

  async #addOldest(
    series: number,
    range: Range,
    tables: readonly TableView[],
    files: readonly OpenFile[],
  ): Promise<void> {
    let foundMs = Number.POSITIVE_INFINITY
    for (const table of tables) {
      const ms = await this.#addEnd(table.run(series, range.fromMs, range.toMs), series, 'oldest')
      foundMs = Math.min(foundMs, ms ?? foundMs)
    }
    for (const file of files) {
      if (file.info.firstMs > foundMs) return
      await this.#spend(fileUnits)
      const place = file.reader.find(series)
      if (place === -1 || file.reader.firstMs(place) > foundMs) continue
      const ms = await this.#addEnd(file.reader.forward(place, range.fromMs, range.toMs), series, 'oldest')
      foundMs = Math.min(foundMs, ms ?? foundMs)
    }
  }

  /** Adds the first row that passes. Rows come from one end. Returns the row's time; null if there is none. */
  async #addEnd(slices: Iterable<RowSlice>, series: number, end: 'newest' | 'oldest'): Promise<number | null> {
    for (const { chunk, start, end: after } of slices) {
      const { passesRow } = this.#tests
      for (let step = 0; step < after - start; step++) {
        const row = end === 'newest' ? after - 1 - step : start + step
        if (passesRow !== null && !passesRow(chunk, row, series)) continue
        this.groups.addRows(0, chunk, row, row + 1, series)
        return chunk.times[row]
      }
      await this.#spend(after - start)
    }
    return null
  }

  async #spend(units: number): Promise<void> {
    this.#units += units
    if (this.#units > this.#unitsMax) throw new NeedsSqlEngine()
    if (this.#run.pacer.spend(units)) await this.#run.pacer.rest()
  }
}
