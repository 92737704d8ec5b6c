import type { Pacer } from '../../lib/pacer.ts'
import { type ColumnType, type ColumnVector, nullCode } from '../../model/column.ts'
import type { EntityField } from '../../model/entity.ts'
import type { RowBatch } from '../../model/row-batch.ts'
import type { EntityStatistics } from '../series-store.ts'
import { chunkBytes, type Segment } from './chunk.ts'
import { Dictionary } from './dictionary.ts'
import { mergeLate } from './late-rows.ts'
import { SeriesIndex, type TagIndex } from './series-index.ts'
import { SeriesRows } from './series-rows.ts'
import { TableView } from './table-view.ts'
import { writeColumn, writeTimes } from './write-column.ts'

/** A dimension or metric as the table keeps it. */
export interface TableColumn {
  readonly index: number
  readonly name: string
  readonly type: ColumnType
  /** Of a string field. */
  readonly dictionary: Dictionary
}

/** The rows of a series in order, as far as its first `count` that came. */
interface OrderedRun {
  readonly count: number
  readonly segments: readonly Segment[]
}

/** The newest rows of one entity, in memory. */
export class Table {
  readonly index = new SeriesIndex()
  readonly rows: SeriesRows
  readonly #columns: TableColumn[] = []
  readonly #orderedRuns = new Map<number, OrderedRun>()
  /** Views that still read the live counts: they copy them before the next rows come. */
  readonly #views = new Set<TableView>()
  #series = new Int32Array(0)
  #addresses = new Int32Array(0)
  #codes: Int32Array[] = []
  #count = 0
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(chunkRows: number) {
    this.rows = new SeriesRows(chunkRows)
  }

  /** Takes in the rows of a batch. */
  append(batch: RowBatch): void {
    if (batch.rows === 0) return
    for (const view of this.#views) view.keepCounts()
    this.#views.clear()
    for (const field of batch.fields) this.#learn(field)
    const times = this.#timesOf(batch)
    this.#findSeries(batch)
    this.rows.place(this.#series, times, batch.positions, batch.rows, this.#addresses)
    writeTimes(this.rows.chunks, this.#addresses, times, batch.positions, batch.rows)
    for (let index = 0; index < batch.fields.length; index++) {
      const column = this.column(batch.fields[index].name)
      if (column !== null) {
        writeColumn(this.rows.chunks, column, this.#addresses, batch.columns[index], batch.rows)
      }
    }
    this.#count += batch.rows
    for (let row = 0; row < batch.rows; row++) {
      const ms = times[row]
      if (ms < this.#firstMs) this.#firstMs = ms
      if (ms > this.#lastMs) this.#lastMs = ms
    }
  }

  /** The rows as they are now, whatever is written later. To be released after use. */
  open(): TableView {
    const view = new TableView(this)
    this.#views.add(view)
    return view
  }

  release(view: TableView): void {
    this.#views.delete(view)
  }

  column(name: string): TableColumn | null {
    return this.#columns.find((column) => column.name === name) ?? null
  }

  tag(name: string): TagIndex | null {
    return this.index.tag(name)
  }

  /** A tag that no row came with yet is null in all of them. */
  learnTag(name: string): TagIndex {
    return this.index.tag(name) ?? this.index.addTag(name)
  }

  /** The first `count` rows of a series with late ones, in order. What was put in order before is used again. */
  async ordered(series: number, count: number, pacer: Pacer): Promise<readonly Segment[]> {
    const known = this.#orderedRuns.get(series)
    if (known?.count === count) return known.segments
    const inTime = this.rows.lateFrom.values[series]
    const base =
      known !== undefined && known.count < count
        ? known
        : { count: inTime, segments: this.rows.arrived(series, 0, inTime) }
    const arrived = this.rows.arrived(series, base.count, count)
    const segments = await mergeLate(base.segments, arrived, this.#columns.length, pacer)
    const latest = this.#orderedRuns.get(series)
    if (latest === undefined || latest.count < count) this.#orderedRuns.set(series, { count, segments })
    return segments
  }

  statistics(): EntityStatistics {
    return this.#count === 0
      ? { rows: 0, firstMs: null, lastMs: null }
      : { rows: this.#count, firstMs: this.#firstMs, lastMs: this.#lastMs }
  }

  /** About how much memory the table takes. */
  get bytes(): number {
    const chunks = new Set(this.rows.chunks)
    for (const { segments } of this.#orderedRuns.values()) for (const { chunk } of segments) chunks.add(chunk)
    let bytes = this.index.bytes + this.rows.bytes
    for (const chunk of chunks) bytes += chunkBytes(chunk)
    for (const column of this.#columns) bytes += column.dictionary.bytes
    return bytes
  }

  #learn({ name, type, role }: EntityField): void {
    if (role === 'time') return
    if (role === 'tag') {
      this.learnTag(name)
      return
    }
    if (this.column(name) !== null) return
    if (type === 'json') throw new Error(`a series entity has no json field, but ${name} is one`)
    this.#columns.push({ index: this.#columns.length, name, type, dictionary: new Dictionary() })
  }

  #timesOf(batch: RowBatch): Float64Array {
    const column = batch.columns[batch.fields.findIndex((field) => field.role === 'time')]
    if (column?.type !== 'timestamp') throw new Error('a batch has one time column')
    return column.values
  }

  /** Fills `#series` with the series of each row. */
  #findSeries(batch: RowBatch): void {
    this.#reserve(batch.rows)
    const { tags } = this.index
    for (let tag = 0; tag < tags.length; tag++) {
      const column = this.#tagColumn(batch, tags[tag].name)
      if (column === null) this.#codes[tag].fill(nullCode, 0, batch.rows)
      else if (column.type === 'string') tags[tag].dictionary.translate(column, batch.rows, this.#codes[tag])
      else throw new Error(`the tag ${tags[tag].name} holds strings`)
    }
    const known = this.index.count
    for (let row = 0; row < batch.rows; row++) this.#series[row] = this.index.seriesOf(this.#codes, row)
    for (let series = known; series < this.index.count; series++) this.rows.addSeries()
  }

  #tagColumn(batch: RowBatch, name: string): ColumnVector | null {
    const index = batch.fields.findIndex((field) => field.name === name)
    return index === -1 ? null : batch.columns[index]
  }

  #reserve(rows: number): void {
    if (this.#series.length < rows) {
      const length = Math.max(rows, this.#series.length * 2)
      this.#series = new Int32Array(length)
      this.#addresses = new Int32Array(length)
      this.#codes = []
    }
    while (this.#codes.length < this.index.tags.length) this.#codes.push(new Int32Array(this.#series.length))
  }
}
