import type { SpareBuffers } from '../../../lib/spare-buffers.ts'
import type { ColumnVector } from '../../../model/column.ts'
import type { Chunk, RowSlice } from '../head/chunk.ts'
import type { EntityColumn } from '../registry/entity-columns.ts'
import { ColumnBuffer } from './column-buffer.ts'

const rowsAtFirst = 1024

/** The rows of the row group that is being gathered, as columns. The dictionaries of strings end with the row group. */
export class RowBuffer {
  rows = 0
  readonly #columns: readonly ColumnBuffer[]
  readonly #rowsExpected: number
  readonly #spares: SpareBuffers
  /** The number of rows that fit; some of the arrays may be longer. */
  #capacity = rowsAtFirst
  #times = new Float64Array(rowsAtFirst)
  #positions = new Float64Array(rowsAtFirst)
  /** By tag, the code of each row. */
  #tagCodes: Int32Array<ArrayBuffer>[]

  /** The buffer hardly ever has more than `rowsExpected` rows. */
  constructor(columns: readonly EntityColumn[], tags: number, rowsExpected: number, spares: SpareBuffers) {
    this.#columns = columns.map((column) => new ColumnBuffer(column))
    for (const column of this.#columns) column.reserve(new ArrayBuffer(rowsAtFirst * column.rowBytes), 0)
    this.#tagCodes = Array.from({ length: tags }, () => new Int32Array(rowsAtFirst))
    this.#rowsExpected = rowsExpected
    this.#spares = spares
  }

  /** Approximate size of the text in the dictionaries. */
  get textBytes(): number {
    return this.#columns.reduce((sum, { textBytes }) => sum + textBytes, 0)
  }

  /** The rows as a chunk, valid until rows are added or dropped. */
  get chunk(): Chunk {
    const chunk: Chunk = { times: this.#times, positions: this.#positions, columns: [] }
    for (const column of this.#columns) if (column.isUsed) chunk.columns[column.index] = column.stored()
    return chunk
  }

  /** Makes space for `more` rows, with a yield after each array, because long ones take milliseconds. */
  *reserve(more: number): Generator<void> {
    const rows = this.rows + more
    if (rows <= this.#capacity) return
    const doubled = Math.max(rows, 2 * this.#capacity)
    // The last step takes all that is expected, so that the next buffer can reuse the same memory.
    const isLast = 2 * doubled > this.#rowsExpected && rows <= this.#rowsExpected
    const capacity = isLast ? this.#rowsExpected : doubled
    this.#times = this.#grown(Float64Array, this.#times, capacity)
    yield
    this.#positions = this.#grown(Float64Array, this.#positions, capacity)
    yield
    for (const [tag, codes] of this.#tagCodes.entries()) {
      this.#tagCodes[tag] = this.#grown(Int32Array, codes, capacity)
      yield
    }
    for (const column of this.#columns) {
      if (column.capacity < capacity) column.reserve(this.#take(column.rowBytes, capacity), this.rows)
      yield
    }
    const lengths = [this.#times, this.#positions, ...this.#tagCodes].map(({ length }) => length)
    this.#capacity = Math.min(...lengths, ...this.#columns.map((column) => column.capacity))
  }

  /** Returns all of its memory to the spares. The rows are dropped, and none may be added afterwards. */
  release(): void {
    const own = [this.#times, this.#positions, ...this.#tagCodes].map(({ buffer }) => buffer)
    for (const buffer of [...own, ...this.#columns.map((column) => column.release())]) this.#spares.give(buffer)
    this.#times = new Float64Array(0)
    this.#positions = new Float64Array(0)
    this.#tagCodes = []
    this.#capacity = 0
    this.rows = 0
  }

  /** Appends rows of one series, for which there must be space; `tagCodes` are the series' codes. */
  append({ chunk, start, end }: RowSlice, tagCodes: readonly number[]): void {
    const at = this.rows
    const rows = at + end - start
    if (rows === at + 1) {
      this.#times[at] = chunk.times[start]
      this.#positions[at] = chunk.positions[start]
    } else {
      this.#times.set(chunk.times.subarray(start, end), at)
      this.#positions.set(chunk.positions.subarray(start, end), at)
    }
    for (const column of this.#columns) column.append(chunk.columns[column.index], start, end, at)
    for (let tag = 0; tag < tagCodes.length; tag++) this.#tagCodes[tag].fill(tagCodes[tag], at, rows)
    this.rows = rows
  }

  /** The number of characters in the strings of the rows from `start` on. */
  charactersFrom(start: number): number {
    return this.#columns.reduce((sum, column) => sum + column.characters(start, this.rows), 0)
  }

  /** The first `rows` rows. */
  columns(rows: number): ColumnVector[] {
    return this.#columns.map((column) => column.vector(rows))
  }

  /** By column, whether none of the rows has a value. */
  get areEmpty(): boolean[] {
    return this.#columns.map(({ isUsed }) => !isUsed)
  }

  /** The codes of a tag in the first `rows` rows. */
  tagCodes(tag: number, rows: number): Int32Array {
    return this.#tagCodes[tag].subarray(0, rows)
  }

  /** Drops the first `rows` rows and their strings. */
  drop(rows: number): void {
    for (const array of [this.#times, this.#positions, ...this.#tagCodes]) array.copyWithin(0, rows, this.rows)
    for (const column of this.#columns) column.drop(rows, this.rows)
    this.rows -= rows
  }

  #grown<T extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
    make: { new (buffer: ArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
    array: T,
    capacity: number,
  ): T {
    if (array.length >= capacity) return array
    const grown = new make(this.#take(make.BYTES_PER_ELEMENT, capacity))
    grown.set(array.subarray(0, this.rows))
    return grown
  }

  /** Prefers a spare of the full expected size, so that an existing one need not grow. */
  #take(rowBytes: number, rows: number): ArrayBuffer {
    return this.#spares.take(rows * rowBytes, Math.max(rows, this.#rowsExpected) * rowBytes)
  }
}
