import type { Pacer } from '../../../lib/pacer.ts'
import type { SeriesSource } from '../reading/series-source.ts'
import type { RowSlice } from './chunk.ts'
import type { GrowableInt32 } from './growable.ts'
import { type SeriesRows, type SliceVisitor, showWithin } from './series-rows.ts'
import type { TableRollups } from './table-hours.ts'

/** The parts of a table that a view reads. */
interface ViewedTable {
  readonly rows: SeriesRows
  /** The entity's number of each series. */
  readonly series: GrowableInt32
  readonly hours: TableRollups | null
  ownNumber(series: number): number
  ordered(series: number, count: number, pacer: Pacer): Promise<readonly RowSlice[]>
}

/** A table at one point in time: the rows that each series had when the view was opened. */
export class TableView implements SeriesSource {
  readonly #table: ViewedTable
  /** The ordered rows of series with late rows, by the table's number. They stay as this view saw them. */
  readonly #ordered = new Map<number, readonly RowSlice[]>()
  /** Null until rows are written: until then the table's own counts apply, and copying them would cost more than a short query. */
  #counts: Int32Array | null = null
  #hours: TableRollups | null = null

  constructor(table: ViewedTable) {
    this.#table = table
  }

  /** Called by the table before it appends rows. */
  keep(): void {
    const { counts } = this.#table.rows
    this.#hours = this.#table.hours
    this.#counts = counts.values.slice(0, counts.length)
  }

  /** Rollups of all series together; null when rows must be read. */
  get hours(): TableRollups | null {
    return this.#counts === null ? this.#table.hours : this.#hours
  }

  /** The series that have rows in the view, and perhaps some others. */
  get series(): Int32Array {
    const { values, length } = this.#table.series
    return values.subarray(0, length)
  }

  prepare(series: number, pacer: Pacer): Promise<void> | null {
    const own = this.#table.ownNumber(series)
    const count = this.#count(own)
    if (count === 0 || count <= this.#table.rows.lateFrom.values[own] || this.#ordered.has(own)) return null
    return this.#order(own, count, pacer)
  }

  backward(series: number, fromMs: number, toMs: number, visit: SliceVisitor): void {
    const own = this.#table.ownNumber(series)
    const count = this.#count(own)
    if (count === 0) return
    if (count <= this.#table.rows.lateFrom.values[own]) {
      this.#table.rows.backward(own, count, fromMs, toMs, visit)
      return
    }
    const slices = this.#ordered.get(own)
    if (slices === undefined) throw new Error('a series with late rows is prepared before it is read')
    for (let index = slices.length - 1; index >= 0; index--) {
      if (!showWithin(slices[index], fromMs, toMs, visit)) return
    }
  }

  run(series: number, fromMs: number, toMs: number): readonly RowSlice[] {
    return this.runBackward(series, fromMs, toMs).reverse()
  }

  runBackward(series: number, fromMs: number, toMs: number): RowSlice[] {
    const slices: RowSlice[] = []
    this.backward(series, fromMs, toMs, (chunk, start, end) => {
      slices.push({ chunk, start, end })
      return true
    })
    return slices
  }

  /** Bounds of the dates of a series, perhaps wider than those of this view; NaN if it has no row of the series. */
  firstMs(series: number): number {
    const own = this.#table.ownNumber(series)
    return this.#count(own) === 0 ? Number.NaN : this.#table.rows.firstMs.values[own]
  }

  lastMs(series: number): number {
    const own = this.#table.ownNumber(series)
    return this.#count(own) === 0 ? Number.NaN : this.#table.rows.lastMs.values[own]
  }

  /** The number of rows of a series. */
  rows(series: number): number {
    return this.#count(this.#table.ownNumber(series))
  }

  /** The number of rows of a series in this view, by the table's number. */
  #count(own: number): number {
    if (own < 0) return 0
    if (this.#counts === null) return this.#table.rows.counts.values[own]
    return own < this.#counts.length ? this.#counts[own] : 0
  }

  async #order(own: number, count: number, pacer: Pacer): Promise<void> {
    this.#ordered.set(own, await this.#table.ordered(own, count, pacer))
  }
}
