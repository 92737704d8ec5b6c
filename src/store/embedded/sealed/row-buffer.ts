import type { ColumnVector } from '../../../model/column.ts'
import type { Chunk, Segment } from '../head/chunk.ts'
import type { EntityColumn } from '../registry/entity-columns.ts'
import { ColumnBuffer } from './column-buffer.ts'

const rowsAtFirst = 1024

/** The rows of the row group that is being gathered, as columns. Strings have dictionaries that end with the row group. */
export class RowBuffer {
  rows = 0
  readonly #columns: readonly ColumnBuffer[]
  #times = new Float64Array(rowsAtFirst)
  #positions = new Float64Array(rowsAtFirst)
  /** What each row holds in each tag. */
  #tagCodes: Int32Array[]

  constructor(columns: readonly EntityColumn[], tags: number) {
    this.#columns = columns.map((column) => new ColumnBuffer(column))
    for (const column of this.#columns) column.reserve(rowsAtFirst, 0)
    this.#tagCodes = Array.from({ length: tags }, () => new Int32Array(rowsAtFirst))
  }

  /** About how much text there is in the dictionaries. */
  get textBytes(): number {
    return this.#columns.reduce((sum, { textBytes }) => sum + textBytes, 0)
  }

  /** The rows as a chunk, good until rows come or go. */
  get chunk(): Chunk {
    const chunk: Chunk = { times: this.#times, positions: this.#positions, columns: [] }
    for (const column of this.#columns) if (column.isUsed) chunk.columns[column.index] = column.stored()
    return chunk
  }

  /** Makes room for so many more rows; array by array, for long ones take milliseconds. */
  *reserve(more: number): Generator<void> {
    const rows = this.rows + more
    if (rows <= this.#times.length) return
    const capacity = Math.max(rows, 2 * this.#times.length)
    this.#times = moved(new Float64Array(capacity), this.#times, this.rows)
    yield
    this.#positions = moved(new Float64Array(capacity), this.#positions, this.rows)
    yield
    for (const [tag, codes] of this.#tagCodes.entries()) {
      this.#tagCodes[tag] = moved(new Int32Array(capacity), codes, this.rows)
      yield
    }
    for (const column of this.#columns) {
      column.reserve(capacity, this.rows)
      yield
    }
  }

  /** Adds rows of one series, for which there is room; `tagCodes` are its codes. */
  append({ chunk, start, end }: Segment, tagCodes: readonly number[]): void {
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

  /** How many characters the strings of the rows from `start` on have. */
  charactersFrom(start: number): number {
    return this.#columns.reduce((sum, column) => sum + column.characters(start, this.rows), 0)
  }

  /** The first `rows` rows. */
  columns(rows: number): ColumnVector[] {
    return this.#columns.map((column) => column.vector(rows))
  }

  /** Of each column, whether none of the rows has a value in it. */
  get areEmpty(): boolean[] {
    return this.#columns.map(({ isUsed }) => !isUsed)
  }

  /** The codes of a tag in the first `rows` rows. */
  tagCodes(tag: number, rows: number): Int32Array {
    return this.#tagCodes[tag].subarray(0, rows)
  }

  /** Drops the first `rows` rows, and the strings that were of them. */
  drop(rows: number): void {
    for (const array of [this.#times, this.#positions, ...this.#tagCodes]) array.copyWithin(0, rows, this.rows)
    for (const column of this.#columns) column.drop(rows, this.rows)
    this.rows -= rows
  }
}

function moved<T extends Float64Array | Int32Array>(array: T, from: T, used: number): T {
  array.set(from.subarray(0, used))
  return array
}
