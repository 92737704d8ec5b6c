import type { Range } from '../../../model/plan.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { GroupRows } from './group-rows.ts'
import type { Fields, Grouping } from './grouping.ts'
import { NeedsSqlEngine } from './needs-sql-engine.ts'
import { filterTests } from './row-conditions.ts'

/** The approximate cost of finding a series in a file, in pacer units. */
const fileUnits = 16

/** Whether any single row of a series is enough: keys, distinct counts and filters use tags alone, and all time is one bucket. */
export function needsOnlySeries({ granularity, keys, aggregates, filter }: Grouping, { accessorOf }: Fields): boolean {
  const isTag = (name: string): boolean => accessorOf(name).kind !== 'column'
  return (
    granularity.kind === 'all' &&
    keys.every(({ name }) => isTag(name)) &&
    aggregates.every((aggregate) => aggregate.kind === 'distinct' && isTag(aggregate.field.name)) &&
    [filter, ...aggregates.map(({ where }) => where ?? null)].every(
      (one) => filterTests(one, accessorOf).passesRow === null,
    )
  )
}

export async function collectSeries(plan: Grouping, run: PlanRun, fields: Fields): Promise<GroupRows> {
  return new SeriesCollector(plan, run, fields).collect()
}

class SeriesCollector {
  readonly #plan: Grouping
  readonly #run: PlanRun
  readonly #fields: Fields
  readonly #filesNewestFirst: readonly OpenFile[]
  #units = 0

  constructor(plan: Grouping, run: PlanRun, fields: Fields) {
    this.#plan = plan
    this.#run = run
    this.#fields = fields
    this.#filesNewestFirst = run.files.toSorted((left, right) => right.info.lastMs - left.info.lastMs)
  }

  async collect(): Promise<GroupRows> {
    const { ranges, filter } = this.#plan
    const { sinceMs, selected } = this.#run
    const groups = new GroupRows(this.#plan, this.#fields, this.#run)
    const { passesSeries } = filterTests(filter, this.#fields.accessorOf)
    const kept = ranges.map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, sinceMs), toMs }))
    for (const series of selected.series) {
      await this.#spend(1)
      if (passesSeries(series) && (await this.#hasRow(series, kept))) groups.addSeries(series)
    }
    return groups
  }

  async #hasRow(series: number, ranges: readonly Range[]): Promise<boolean> {
    const { tables, pacer } = this.#run
    for (const range of ranges) {
      for (const file of this.#filesNewestFirst) {
        await this.#spend(fileUnits)
        if (hasRowInFile(series, range, file)) return true
      }
      for (const table of tables) {
        const prepared = table.prepare(series, pacer)
        if (prepared !== null) await prepared
        if (hasRowInTable(series, range, table)) return true
      }
    }
    return false
  }

  async #spend(units: number): Promise<void> {
    this.#units += units
    if (this.#units > this.#plan.unitsMax) throw new NeedsSqlEngine()
    if (this.#run.pacer.spend(units)) await this.#run.pacer.rest()
  }
}

function hasRowInFile(series: number, { fromMs, toMs }: Range, { reader, info }: OpenFile): boolean {
  if (info.firstMs > toMs || info.lastMs < fromMs) return false
  const place = reader.find(series)
  if (place === -1) return false
  const [firstMs, lastMs] = [reader.firstMs(place), reader.lastMs(place)]
  if (firstMs > toMs || lastMs < fromMs) return false
  // The first or the last row lies within the range.
  if (firstMs >= fromMs || lastMs <= toMs) return true
  for (const { start, end } of reader.forward(place, fromMs, toMs)) if (end > start) return true
  return false
}

function hasRowInTable(series: number, { fromMs, toMs }: Range, table: TableView): boolean {
  let isFound = false
  table.backward(series, fromMs, toMs, (_, start, end) => {
    isFound = end > start
    return !isFound
  })
  return isFound
}
