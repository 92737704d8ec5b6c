// Tested by `src/store/embedded/embedded-store.model.test.ts`.

import type { Pacer } from '../../../lib/pacer.ts'
import { type ColumnVector, isNullAt, nullCode } from '../../../model/column.ts'
import type { EntityField } from '../../../model/entity.ts'
import { type RowBatch, timesOf } from '../../../model/row-batch.ts'
import type { EntityColumn } from '../registry/entity-columns.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { chunkBytes, type RowSlice } from './chunk.ts'
import { Dictionary } from './dictionary.ts'
import { GrowableInt32 } from './growable.ts'
import { mergeLate } from './late-rows.ts'
import { SeriesRows } from './series-rows.ts'
import { TableHours, type TableRollups } from './table-hours.ts'
import { TableView } from './table-view.ts'
import { writeColumn, writeTimes } from './write-column.ts'

/** The first `count` rows of a series that came, in order. */
interface OrderedRun {
  readonly count: number
  readonly slices: readonly RowSlice[]
}

const none = -1
const noStrings = new Dictionary()
const pageBits = 10
const pageMask = 2 ** pageBits - 1

/**
 * Rows of one entity in memory: the newest ones (the head), or frozen ones that are being sealed. A table has its own numbers for series, in the
 * order in which their first rows came, so that a new table is small however many series the entity has.
 */
export class Table {
  readonly rows: SeriesRows
  /** The entity's number of each series of the table. */
  readonly series = new GrowableInt32()
  readonly registry: EntityRegistry
  /** The table's number + 1 of each series of the entity, 0 for none. Its pages are allocated on first use. */
  readonly #ownNumbers: (Int32Array | undefined)[] = []
  #ownPages = 0
  /** By column index. */
  readonly #dictionaries: Dictionary[] = []
  readonly #orderedRuns = new Map<number, OrderedRun>()
  #orderedBytes = 0
  /** Views that still read the live counts. They copy them before the next rows are appended. */
  #views: TableView[] = []
  readonly #hours = new TableHours()
  #series = new Int32Array(0)
  #addresses = new Int32Array(0)
  #codes: Int32Array[] = []
  #count = 0
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(registry: EntityRegistry, chunkRows: number) {
    this.registry = registry
    this.rows = new SeriesRows(chunkRows)
  }

  /** Appends the rows of a batch. */
  append(batch: RowBatch): void {
    if (batch.rows === 0) return
    for (const view of this.#views) view.keep()
    this.#views = []
    if (batch.pushedNulls !== undefined) this.registry.columns.replaceRows()
    const replaces = this.registry.columns.replaced !== null
    const columns = batch.fields.map((field) => this.#learn(field))
    const times = timesOf(batch)
    this.#findSeries(batch)
    this.rows.place(this.#series, times, batch.positions, batch.rows, this.#addresses, replaces)
    writeTimes(this.rows.chunks, this.#addresses, times, batch.positions, batch.rows)
    for (let field = 0; field < columns.length; field++) {
      const column = columns[field]
      if (column === null) continue
      const target = { dictionary: this.dictionary(column.index), ...column }
      writeColumn(this.rows.chunks, target, this.#addresses, batch.columns[field], batch.rows)
      this.#writeOrigins(batch, field, column)
    }
    // Which of two rows of the same date counts is not known until they are read.
    if (replaces) this.#hours.giveUp()
    else this.#hours.add(times, batch.rows, columns, batch.columns)
    this.#count += batch.rows
    for (let row = 0; row < batch.rows; row++) {
      const ms = times[row]
      if (ms < this.#firstMs) this.#firstMs = ms
      if (ms > this.#lastMs) this.#lastMs = ms
    }
  }

  /** A view of the rows as they are now, unaffected by later writes. It must be released after use. */
  open(): TableView {
    const view = new TableView(this)
    this.#views.push(view)
    return view
  }

  release(view: TableView): void {
    const place = this.#views.indexOf(view)
    if (place !== -1) this.#views.splice(place, 1)
  }

  /** The strings of a column, by its index. */
  dictionary(column: number): Dictionary {
    while (this.#dictionaries.length <= column) this.#dictionaries.push(new Dictionary())
    return this.#dictionaries[column]
  }

  /** The table's number of a series of the entity, -1 if it has no row of the series. */
  ownNumber(series: number): number {
    const page = this.#ownNumbers[series >>> pageBits]
    return page === undefined ? none : page[series & pageMask] - 1
  }

  /** The first `count` rows of a series (by the table's number) with late ones, in order. Rows that were ordered before are reused. */
  async ordered(series: number, count: number, pacer: Pacer): Promise<readonly RowSlice[]> {
    const known = this.#orderedRuns.get(series)
    if (known?.count === count) return known.slices
    const inTime = this.rows.lateFrom.values[series]
    const base =
      known !== undefined && known.count < count
        ? known
        : { count: inTime, slices: this.rows.arrived(series, 0, inTime) }
    const arrived = this.rows.arrived(series, base.count, count)
    const { count: columns, replaced } = this.registry.columns
    const slices = await mergeLate(base.slices, arrived, columns, replaced, pacer)
    const latest = this.#orderedRuns.get(series)
    if (latest !== undefined && latest.count >= count) return slices
    this.#orderedRuns.set(series, { count, slices })
    this.#orderedBytes += this.#laidDownBytes(slices) - this.#laidDownBytes(latest?.slices ?? [])
    return slices
  }

  /** Rollups of all series together, as they are now; null when rows must be read. */
  get hours(): TableRollups | null {
    return this.#hours.take(this.#firstMs, this.#lastMs)
  }

  get count(): number {
    return this.#count
  }

  /** The oldest and the newest date; Infinity and -Infinity if the table is empty. */
  get firstMs(): number {
    return this.#firstMs
  }

  get lastMs(): number {
    return this.#lastMs
  }

  /** The approximate memory use of the table. Cheap, since it is read after each step of the pipeline. */
  get bytes(): number {
    let bytes =
      this.rows.bytes +
      this.#hours.bytes +
      (this.#ownPages * (pageMask + 1) + this.series.length) * 4 +
      this.#orderedBytes
    for (const chunk of this.rows.chunks) bytes += chunkBytes(chunk)
    for (const dictionary of this.#dictionaries) bytes += dictionary.bytes
    return bytes
  }

  /** Writes the origins of pushed nulls, which distinguish them from absent properties. */
  #writeOrigins({ rows, positions, columns, pushedNulls }: RowBatch, field: number, { name }: EntityColumn): void {
    const marks = pushedNulls?.[field] ?? null
    if (marks === null) return
    const values = new Float64Array(rows).fill(Number.NaN)
    for (let row = 0; row < rows; row++) {
      if (marks[row] === 1 && isNullAt(columns[field], row)) values[row] = positions[row]
    }
    const target = { dictionary: noStrings, ...this.registry.columns.originsOf(name) }
    writeColumn(this.rows.chunks, target, this.#addresses, { type: 'long', values, exact: null }, rows)
  }

  /** The size of the chunks that were allocated to order rows. */
  #laidDownBytes(slices: readonly RowSlice[]): number {
    let bytes = 0
    for (const chunk of new Set(slices.map((slice) => slice.chunk))) {
      if (!this.rows.chunks.includes(chunk)) bytes += chunkBytes(chunk)
    }
    return bytes
  }

  /** The column of a field; null for the time and for tags. */
  #learn({ name, type, role }: EntityField): EntityColumn | null {
    const { series, columns } = this.registry
    if (role === 'time') return null
    if (role === 'tag') {
      if (series.tag(name) === null) series.addTag(name)
      return null
    }
    if (type === 'json') throw new Error(`a series entity has no json field, but ${name} is one`)
    return columns.learn(name, type)
  }

  /** Fills `#series` with the table's number of each row's series. */
  #findSeries(batch: RowBatch): void {
    this.#reserve(batch.rows)
    const index = this.registry.series
    const { tags } = index
    for (let tag = 0; tag < tags.length; tag++) {
      const column = this.#tagColumn(batch, tags[tag].name)
      if (column === null) this.#codes[tag].fill(nullCode, 0, batch.rows)
      else if (column.type === 'string') tags[tag].dictionary.translate(column, batch.rows, this.#codes[tag])
      else throw new Error(`the tag ${tags[tag].name} holds strings`)
    }
    const codes = this.#codes
    const found = this.#series
    const pages = this.#ownNumbers
    for (let row = 0; row < batch.rows; row++) {
      const series = index.seriesOf(codes, row)
      const own = pages[series >>> pageBits]?.[series & pageMask] ?? 0
      found[row] = own === 0 ? this.#addSeries(series) : own - 1
    }
  }

  #addSeries(series: number): number {
    const own = this.series.length
    const known = this.#ownNumbers[series >>> pageBits]
    const page = known ?? new Int32Array(pageMask + 1)
    if (known === undefined) {
      this.#ownNumbers[series >>> pageBits] = page
      this.#ownPages++
    }
    page[series & pageMask] = own + 1
    this.series.push(series)
    this.rows.addSeries()
    return own
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
    while (this.#codes.length < this.registry.series.tags.length) this.#codes.push(new Int32Array(this.#series.length))
  }
}
