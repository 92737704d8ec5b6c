import type { Pacer } from '../../lib/pacer.ts'
import type { Segment } from './chunk.ts'
import { type SegmentVisitor, type SeriesRows, showWithin } from './series-rows.ts'
import type { SeriesSource } from './source.ts'

/** What a view reads of its table. */
interface ViewedTable {
  readonly rows: SeriesRows
  ordered(series: number, count: number, pacer: Pacer): Promise<readonly Segment[]>
}

/** One state of a table: as many rows of each series as there were when it was opened. */
export class TableView implements SeriesSource {
  readonly #table: ViewedTable
  /** Series with late rows, in order; they stay as this view saw them. */
  readonly #ordered = new Map<number, readonly Segment[]>()
  /** Null until rows are written: the table's own counts are still those of this state, and copying them would cost more than a short query. */
  #counts: Int32Array | null = null

  constructor(table: ViewedTable) {
    this.#table = table
  }

  /** Called by the table before it takes in rows. */
  keepCounts(): void {
    const { counts } = this.#table.rows
    this.#counts = counts.values.slice(0, counts.length)
  }

  prepare(series: number, pacer: Pacer): Promise<void> | null {
    const count = this.#count(series)
    if (count <= this.#table.rows.lateFrom.values[series] || this.#ordered.has(series)) return null
    return this.#order(series, count, pacer)
  }

  backward(series: number, fromMs: number, toMs: number, visit: SegmentVisitor): void {
    const count = this.#count(series)
    if (count <= this.#table.rows.lateFrom.values[series]) {
      this.#table.rows.backward(series, count, fromMs, toMs, visit)
      return
    }
    const segments = this.#ordered.get(series)
    if (segments === undefined) throw new Error('a series with late rows is prepared before it is read')
    for (let index = segments.length - 1; index >= 0; index--) {
      if (!showWithin(segments[index], fromMs, toMs, visit)) return
    }
  }

  run(series: number, fromMs: number, toMs: number): readonly Segment[] {
    const segments: Segment[] = []
    this.backward(series, fromMs, toMs, (chunk, start, end) => {
      segments.push({ chunk, start, end })
      return true
    })
    return segments.reverse()
  }

  #count(series: number): number {
    if (this.#counts === null) return this.#table.rows.counts.values[series]
    return series < this.#counts.length ? this.#counts[series] : 0
  }

  async #order(series: number, count: number, pacer: Pacer): Promise<void> {
    this.#ordered.set(series, await this.#table.ordered(series, count, pacer))
  }
}
