// Finds the first rows by time, from either end. Of each series, only rows that may still be among them are read.

import type { GroupValue } from '../../../algebra/aggregation.ts'
import { fieldsOf } from '../../../algebra/scalar.ts'
import type { ScannedRow, ScanPlan } from '../../../algebra/scan-plan.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../../lib/sort-in-slices.ts'
import { compareValues } from '../../../lib/value-order.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { Range } from '../../../model/plan.ts'
import { requireRows } from '../../hours/needed-rows.ts'
import { NeedsSqlEngine } from '../aggregate/needs-sql-engine.ts'
import { conditionsOf, type FilterTests, filterTests } from '../aggregate/row-conditions.ts'
import { rowsWithin } from '../aggregate/rows-within.ts'
import { noLimits, selectionOf } from '../aggregate/run-aggregation.ts'
import { type Chunk, isNullIn, type RowSlice } from '../head/chunk.ts'
import { GrowableInt32 } from '../head/growable.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import { type EntitySnapshot, type PlanRun, preparePlan } from '../run/plan-run.ts'
import type { RunMemory } from '../run/run-memory.ts'

/** The rows of a scan in order; null where newer rows replace older ones, or where the scan takes more work than the plan allows. */
export async function runScanPlan(
  plan: ScanPlan,
  snapshot: EntitySnapshot,
  pacer: Pacer,
  memory: RunMemory,
): Promise<readonly ScannedRow[] | null> {
  const used = usedFields(plan)
  const run = await preparePlan(snapshot, selectionOf(plan, used), noLimits, pacer, memory)
  for (const range of plan.ranges) requireRows(run.hours, range)
  if (run.replaces) return null
  const accessors = new Map(used.map(({ name }, place) => [name, run.fields[place]]))
  try {
    return await collectRows(plan, run, {
      accessorOf: (name) => accessors.get(name)!,
      seriesCount: snapshot.registry.series.count,
    })
  } catch (error) {
    if (error instanceof NeedsSqlEngine) return null
    throw error
  }
}

/** The fields that a plan uses, each once. */
function usedFields({ columns, filter }: ScanPlan): EntityField[] {
  const used = [...columns, ...fieldsOf(filter)]
  return [...new Map(used.map((field) => [field.name, field])).values()]
}

/** The approximate cost of finding a series in a file, in pacer units. */
const fileUnits = 32

/** The number of values of a page that are decoded in the time of one unit. */
const valuesPerUnit = 8

/** Rows that are processed without a rest. */
const rowsAtOnce = 1024

/** The largest total length of the strings of the kept rows. */
const textsMax = 64 * 1024 * 1024

interface Fields {
  readonly accessorOf: (name: string) => FieldAccessor
  /** The number of series of the entity. */
  readonly seriesCount: number
}

/** Throws NeedsSqlEngine if there are more rows or more work than the plan allows, or if the strings of the rows are too long. */
export async function collectRows(plan: ScanPlan, run: PlanRun, fields: Fields): Promise<readonly ScannedRow[]> {
  const collector = new RowCollector(plan, run, fields)
  for (const range of plan.isDescending ? plan.ranges.toReversed() : plan.ranges) {
    await collector.addRange({ fromMs: Math.max(range.fromMs, run.sinceMs), toMs: range.toMs })
  }
  return collector.firstRows()
}

class RowCollector {
  readonly #plan: ScanPlan
  readonly #run: PlanRun
  readonly #fields: Fields
  readonly #accessors: readonly FieldAccessor[]
  readonly #tests: FilterTests
  readonly #rowCost: number
  readonly #compare: (left: ScannedRow, right: ScannedRow) => number
  /** With more rows than this, they are cut to those that are wanted. */
  readonly #cutAt: number
  #rows: ScannedRow[] = []
  /** The total length of the strings of the rows. */
  #texts = 0
  /** Rows beyond this time are not wanted: before it if the plan is descending, else after it. */
  #edgeMs: number
  #units = 0

  constructor(plan: ScanPlan, run: PlanRun, fields: Fields) {
    this.#plan = plan
    this.#run = run
    this.#fields = fields
    this.#accessors = plan.columns.map(({ name }) => fields.accessorOf(name))
    this.#tests = filterTests(plan.filter, fields.accessorOf)
    this.#rowCost = 1 + (this.#tests.passesRow === null ? 0 : conditionsOf(plan.filter))
    this.#compare = comparing(plan.isDescending)
    this.#cutAt = plan.limit === null ? Number.POSITIVE_INFINITY : 2 * plan.limit + rowsAtOnce
    this.#edgeMs = plan.isDescending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  async addRange(range: Range): Promise<void> {
    const { files, tables, selected } = this.#run
    const within = files.filter(({ info }) => info.firstMs <= range.toMs && info.lastMs >= range.fromMs)
    this.#expect(range, within)
    const series = new GrowableInt32()
    for (const one of selected.series) {
      if (this.#tests.passesSeries(one)) series.push(one)
      await this.#spend(1)
    }
    const passing = series.values.subarray(0, series.length)
    for (const table of tables) await this.#addTable(table, passing, range)
    for (const file of this.#nearestFirst(within)) await this.#addFile(file, passing, range)
  }

  /** The wanted rows, in order. */
  async firstRows(): Promise<readonly ScannedRow[]> {
    await this.#cut()
    return this.#rows
  }

  /** Throws NeedsSqlEngine before reading rows if the scan would clearly exceed its limits. */
  #expect(range: Range, files: readonly OpenFile[]): void {
    if (this.#plan.limit !== null) return
    const share = this.#run.selected.series.length / Math.max(1, this.#fields.seriesCount)
    const rows = rowsWithin(range, files, () => share)
    // The estimate is rough, since rows are not spread evenly.
    const rowsMax = this.#tests.passesRow === null ? 2 * this.#plan.rowsMax : this.#plan.unitsMax / this.#rowCost
    if (rows > rowsMax) throw new NeedsSqlEngine()
  }

  #nearestFirst(files: readonly OpenFile[]): readonly OpenFile[] {
    return this.#plan.isDescending
      ? files.toSorted((left, right) => right.info.lastMs - left.info.lastMs)
      : files.toSorted((left, right) => left.info.firstMs - right.info.firstMs)
  }

  /** Whether rows between two dates may be wanted. */
  #mayHold(firstMs: number, lastMs: number, range: Range): boolean {
    const { fromMs, toMs } = this.#wanted(range)
    return firstMs <= toMs && lastMs >= fromMs
  }

  #wanted({ fromMs, toMs }: Range): Range {
    return this.#plan.isDescending
      ? { fromMs: Math.max(fromMs, this.#edgeMs), toMs }
      : { fromMs, toMs: Math.min(toMs, this.#edgeMs) }
  }

  async #addTable(table: TableView, series: Int32Array, range: Range): Promise<void> {
    const { pacer } = this.#run
    for (const one of series) {
      await this.#spend(1)
      if (!this.#mayHold(table.firstMs(one), table.lastMs(one), range)) continue
      const prepared = table.prepare(one, pacer)
      if (prepared !== null) await prepared
      const { fromMs, toMs } = this.#wanted(range)
      await this.#add(
        this.#plan.isDescending ? table.runBackward(one, fromMs, toMs) : table.run(one, fromMs, toMs),
        one,
        0,
      )
    }
  }

  async #addFile(file: OpenFile, series: Int32Array, range: Range): Promise<void> {
    if (!this.#mayHold(file.info.firstMs, file.info.lastMs, range)) return
    const { reader } = file
    for (const one of series) {
      await this.#spend(fileUnits)
      const place = reader.find(one)
      if (place === -1 || !this.#mayHold(reader.firstMs(place), reader.lastMs(place), range)) continue
      const { fromMs, toMs } = this.#wanted(range)
      await this.#add(
        this.#plan.isDescending ? file.backward(place, fromMs, toMs) : reader.forward(place, fromMs, toMs),
        one,
        (1 + this.#accessors.length) / valuesPerUnit,
      )
    }
  }

  /** Adds rows of a series, which come in the direction of the scan. `pageCost` is the cost of each row of a page. */
  async #add(slices: Iterable<RowSlice>, series: number, pageCost: number): Promise<void> {
    for (const { chunk, start, end } of slices) {
      await this.#spend(chunk.times.length * pageCost)
      for (let done = 0; done < end - start; done += rowsAtOnce) {
        const count = Math.min(rowsAtOnce, end - start - done)
        const first = this.#plan.isDescending ? end - done - count : start + done
        const isOver = this.#addRows({ chunk, start: first, end: first + count }, series)
        if (this.#rows.length > this.#cutAt) await this.#cut()
        else if (this.#texts > textsMax) await this.#cutTexts()
        if (this.#rows.length > this.#plan.rowsMax || this.#texts > textsMax) throw new NeedsSqlEngine()
        await this.#spend(count * this.#rowCost)
        if (isOver) return
      }
    }
  }

  /** Returns true after reaching a row beyond the edge. */
  #addRows({ chunk, start, end }: RowSlice, series: number): boolean {
    const { isDescending } = this.#plan
    const { passesRow } = this.#tests
    for (let step = 0; step < end - start; step++) {
      const row = isDescending ? end - 1 - step : start + step
      const ms = chunk.times[row]
      if (isDescending ? ms < this.#edgeMs : ms > this.#edgeMs) return true
      if (passesRow !== null && !passesRow(chunk, row, series)) continue
      const kept = [ms, ...this.#accessors.map((accessor) => rowValue(accessor, chunk, row, series))]
      this.#rows.push(kept)
      this.#texts += textsOf(kept)
    }
    return false
  }

  /** Cuts early if that drops rows. The work is counted separately, since it may come after only a few rows. */
  async #cutTexts(): Promise<void> {
    const { length } = this.#rows
    if (length <= (this.#plan.limit ?? length)) return
    await this.#spend(length)
    await this.#cut()
  }

  /** Sorts the rows and drops those that are not wanted. */
  async #cut(): Promise<void> {
    const { limit } = this.#plan
    const rows = this.#rows
    const compare = (left: number, right: number): number => this.#compare(rows[left], rows[right])
    const order = await sortInSlices(inOrder(rows.length), 0, compare, this.#run.pacer)
    this.#rows = Array.from(order.subarray(0, limit ?? rows.length), (place) => rows[place])
    if (limit === null) return
    this.#texts = this.#rows.reduce((sum, row) => sum + textsOf(row), 0)
    const last = this.#rows.at(-1)
    if (last !== undefined && this.#rows.length === limit) this.#edgeMs = Number(last[0])
  }

  async #spend(units: number): Promise<void> {
    this.#units += units
    if (this.#units > this.#plan.unitsMax) throw new NeedsSqlEngine()
    if (this.#run.pacer.spend(units)) await this.#run.pacer.rest()
  }
}

function textsOf(row: ScannedRow): number {
  let length = 0
  for (const value of row) if (typeof value === 'string') length += value.length
  return length
}

const rising = { isDescending: false, nulls: 'first' } as const

/** Compares by time, then by the values of the columns. Columns are ascending whichever direction the time has. */
function comparing(isDescending: boolean): (left: ScannedRow, right: ScannedRow) => number {
  return (left, right) => {
    const byTime = Number(left[0]) - Number(right[0])
    if (byTime !== 0) return isDescending ? -byTime : byTime
    for (let place = 1; place < left.length; place++) {
      const order = compareValues(left[place], right[place], rising)
      if (order !== 0) return order
    }
    return 0
  }
}

/** The value of a field in a row. */
function rowValue(accessor: FieldAccessor, chunk: Chunk, row: number, series: number): GroupValue {
  switch (accessor.kind) {
    case 'time':
      return chunk.times[row]
    case 'tag': {
      const code = accessor.tag.codes.values[series]
      return code < 0 ? null : accessor.dictionary.strings[code]
    }
    case 'column': {
      const column = chunk.columns[accessor.index]
      if (column === undefined || isNullIn(column, row)) return null
      if (column.type === 'string') return column.dictionary[column.codes[row]]
      if (column.type === 'boolean') return BigInt(column.values[row])
      const value = column.values[row]
      if (column.type !== 'long') return value
      return column.exact !== null && Math.abs(value) >= 2 ** 53 ? column.exact[row] : BigInt(value)
    }
    case 'absent':
      return null
  }
}
