import type { Pacer } from '../../../lib/pacer.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { CopiedColumn } from '../head/copy-rows.ts'
import type { SliceVisitor } from '../head/series-rows.ts'
import type { TableView } from '../head/table-view.ts'
import { type Direction, mergeSlices, type Pending } from './merge-slices.ts'
import type { OpenFile } from './open-file.ts'
import type { ReplacedColumn } from './replace-rows.ts'
import type { SeriesSource } from './series-source.ts'

/** Tables and sealed files as one source. */
export class MergedSource implements SeriesSource {
  readonly #tables: readonly TableView[]
  /** In the order in which a walk forwards or backwards reaches them. */
  readonly #byFirst: readonly OpenFile[]
  readonly #byLast: readonly OpenFile[]
  readonly #columns: () => readonly CopiedColumn[]
  readonly #replaced: readonly ReplacedColumn[] | null

  /**
   * `columns` returns the columns with which rows of several sources are merged, origins included; it is called again each time rows are copied
   * together. `replaced`: those of them that newer rows replace, null where older rows are kept as well.
   */
  constructor(
    tables: readonly TableView[],
    files: readonly OpenFile[],
    columns: () => readonly CopiedColumn[],
    replaced: readonly ReplacedColumn[] | null,
  ) {
    this.#tables = tables
    this.#byFirst = files.toSorted((left, right) => left.info.firstMs - right.info.firstMs)
    this.#byLast = files.toSorted((left, right) => right.info.lastMs - left.info.lastMs)
    this.#columns = columns
    this.#replaced = replaced
  }

  prepare(series: number, pacer: Pacer): Promise<void> | null {
    let prepared: Promise<void> | null = null
    const take = (one: Promise<void> | null): void => {
      if (one !== null) prepared = prepared === null ? one : bothOf(prepared, one)
    }
    for (const table of this.#tables) take(table.prepare(series, pacer))
    for (const file of this.#byFirst) take(file.prepare(series, pacer))
    return prepared
  }

  backward(series: number, fromMs: number, toMs: number, visit: SliceVisitor): void {
    for (const { chunk, start, end } of this.#merge(series, fromMs, toMs, 'backward')) {
      if (!visit(chunk, start, end)) return
    }
  }

  run(series: number, fromMs: number, toMs: number): Iterable<RowSlice> {
    return this.#merge(series, fromMs, toMs, 'forward')
  }

  runBackward(series: number, fromMs: number, toMs: number): Iterable<RowSlice> {
    return this.#merge(series, fromMs, toMs, 'backward')
  }

  #merge(series: number, fromMs: number, toMs: number, direction: Direction): Iterable<RowSlice> {
    const files = direction === 'forward' ? this.#byFirst : this.#byLast
    return mergeSlices(
      new PendingSources(this.#tables, files, series, fromMs, toMs, direction),
      direction,
      this.#columns,
      this.#replaced,
    )
  }
}

async function bothOf(left: Promise<void>, right: Promise<void>): Promise<void> {
  await Promise.all([left, right])
}

interface Found {
  /** The date of its first row in the direction of the merge, or a date before that row. */
  readonly ms: number
  open(): Iterable<RowSlice>
}

/** The sources with rows of a series within the range, found as the merge approaches the dates of their files. */
class PendingSources implements Pending {
  readonly #files: readonly OpenFile[]
  readonly #series: number
  readonly #fromMs: number
  readonly #toMs: number
  readonly #direction: Direction
  /** Sources that are not open, the nearest last. */
  readonly #found: Found[] = []
  #nextFile = 0

  constructor(
    tables: readonly TableView[],
    files: readonly OpenFile[],
    series: number,
    fromMs: number,
    toMs: number,
    direction: Direction,
  ) {
    this.#files = files
    this.#series = series
    this.#fromMs = fromMs
    this.#toMs = toMs
    this.#direction = direction
    for (const table of tables) this.#addTable(table)
  }

  peekMs(): number | null {
    while (this.#nextFile < this.#files.length) {
      const { firstMs, lastMs } = this.#files[this.#nextFile].info
      const nearest = this.#found.at(-1)
      if (nearest !== undefined && this.#comesBefore(nearest.ms, this.#direction === 'forward' ? firstMs : lastMs))
        break
      this.#addFile(this.#files[this.#nextFile++])
    }
    return this.#found.at(-1)?.ms ?? null
  }

  open(): Iterator<RowSlice> {
    const found = this.#found.pop()
    if (found === undefined) throw new Error('no source is left')
    return found.open()[Symbol.iterator]()
  }

  #addTable(table: TableView): void {
    const series = this.#series
    this.#add(table.firstMs(series), table.lastMs(series), (fromMs, toMs) => {
      return this.#direction === 'forward' ? table.run(series, fromMs, toMs) : table.runBackward(series, fromMs, toMs)
    })
  }

  #addFile(file: OpenFile): void {
    if (file.info.lastMs < this.#fromMs || file.info.firstMs > this.#toMs) return
    const { reader } = file
    const place = reader.find(this.#series)
    if (place === -1) return
    this.#add(reader.firstMs(place), reader.lastMs(place), (fromMs, toMs) =>
      this.#direction === 'forward' ? reader.forward(place, fromMs, toMs) : file.backward(place, fromMs, toMs),
    )
  }

  #add(firstMs: number, lastMs: number, open: (fromMs: number, toMs: number) => Iterable<RowSlice>): void {
    const overlaps = firstMs <= this.#toMs && lastMs >= this.#fromMs
    if (!overlaps) return
    const ms = this.#direction === 'forward' ? Math.max(firstMs, this.#fromMs) : Math.min(lastMs, this.#toMs)
    const at = this.#found.findLastIndex((found) => !this.#comesBefore(found.ms, ms))
    this.#found.splice(at + 1, 0, { ms, open: () => open(this.#fromMs, this.#toMs) })
  }

  #comesBefore(leftMs: number, rightMs: number): boolean {
    return this.#direction === 'forward' ? leftMs < rightMs : leftMs > rightMs
  }
}
