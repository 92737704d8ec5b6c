import type { Pacer } from '../../../lib/pacer.ts'
import type { SeriesSource } from '../reading/series-source.ts'
import type { Stretch } from './chunk.ts'
import type { GrowableInt32 } from './growable.ts'
import { type SeriesRows, type StretchVisitor, showWithin } from './series-rows.ts'
import type { TableRollups } from './table-hours.ts'

/** What a view reads of its table. */
interface ViewedTable {
  readonly rows: SeriesRows
  /** The entity's number of each series. */
  readonly series: GrowableInt32
  readonly hours: TableRollups | null
  ownNumber(series: number): number
  ordered(series: number, count: number, pacer: Pacer): Promise<readonly Stretch[]>
}

/** One state of a table: as many rows of each series as there were when it was opened. */
export class TableView implements SeriesSource {
  readonly #table: ViewedTable
  /** Series with late rows, by the table's number, in order; they stay as this view saw them. */
  readonly #ordered = new Map<number, readonly Stretch[]>()
  /** Null until rows are written: the table's own counts are still those of this state, and copying them would cost more than a short query. */
  #counts: Int32Array | null = null
  #hours: TableRollups | null = null

  constructor(table: ViewedTable) {
    this.#table = table
  }

  /** Called by the table before it takes in rows. */
  keep(): void {
    const { counts } = this.#table.rows
    this.#hours = this.#table.hours
    this.#counts = counts.values.slice(0, counts.length)
  }

  /** Sums of all series together; null when rows have to be read. */
  get hours(): TableRollups | null {
    return this.#counts === null ? this.#table.hours : this.#hours
  }

  /** The series that it holds rows of, perhaps some more. */
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

  backward(series: number, fromMs: number, toMs: number, visit: StretchVisitor): void {
    const own = this.#table.ownNumber(series)
    const count = this.#count(own)
    if (count === 0) return
    if (count <= this.#table.rows.lateFrom.values[own]) {
      this.#table.rows.backward(own, count, fromMs, toMs, visit)
      return
    }
    const stretches = this.#ordered.get(own)
    if (stretches === undefined) throw new Error('a series with late rows is prepared before it is read')
    for (let index = stretches.length - 1; index >= 0; index--) {
      if (!showWithin(stretches[index], fromMs, toMs, visit)) return
    }
  }

  run(series: number, fromMs: number, toMs: number): readonly Stretch[] {
    return this.runBackward(series, fromMs, toMs).reverse()
  }

  runBackward(series: number, fromMs: number, toMs: number): Stretch[] {
    const stretches: Stretch[] = []
    this.backward(series, fromMs, toMs, (chunk, start, end) => {
      stretches.push({ chunk, start, end })
      return true
    })
    return stretches
  }

  /** Bounds of the dates of a series, perhaps wider than those of this view; NaN when it holds no row of it. */
  firstMs(series: number): number {
    const own = this.#table.ownNumber(series)
    return this.#count(own) === 0 ? Number.NaN : this.#table.rows.firstMs.values[own]
  }

  lastMs(series: number): number {
    const own = this.#table.ownNumber(series)
    return this.#count(own) === 0 ? Number.NaN : this.#table.rows.lastMs.values[own]
  }

  /** How many rows of a series there are. */
  rows(series: number): number {
    return this.#count(this.#table.ownNumber(series))
  }

  /** How many rows of a series, by the table's number, this view holds. */
  #count(own: number): number {
    if (own < 0) return 0
    if (this.#counts === null) return this.#table.rows.counts.values[own]
    return own < this.#counts.length ? this.#counts[own] : 0
  }

  async #order(own: number, count: number, pacer: Pacer): Promise<void> {
    this.#ordered.set(own, await this.#table.ordered(own, count, pacer))
  }
}
