import { type ColumnVector, nullCode } from '../../../model/column.ts'
import { type Chunk, newChunk, newColumn, type Segment } from '../chunk.ts'
import { type CopiedColumn, copyRowsInto } from '../copy-rows.ts'
import { Dictionary } from '../dictionary.ts'
import type { EntityColumn } from '../entity-columns.ts'

const rowsAtFirst = 1024

/** The rows of the row group that is being gathered, as columns. Strings have dictionaries that end with the row group. */
export class RowBuffer {
  rows = 0
  chunk: Chunk
  readonly #columns: readonly EntityColumn[]
  #copied: readonly CopiedColumn[]
  /** What each row holds in each tag. */
  #tagCodes: Int32Array[]

  constructor(columns: readonly EntityColumn[], tags: number) {
    this.#columns = columns
    this.#copied = withDictionaries(columns)
    this.chunk = newChunk(rowsAtFirst)
    this.#tagCodes = Array.from({ length: tags }, () => new Int32Array(rowsAtFirst))
  }

  /** About how much text there is in the dictionaries. */
  get textBytes(): number {
    return this.#copied.reduce((sum, { dictionary }) => sum + dictionary.bytes, 0)
  }

  /** Adds rows of one series; `tagCodes` are its codes. */
  append({ chunk, start, end }: Segment, tagCodes: readonly number[]): void {
    const rows = this.rows + end - start
    this.#reserve(rows)
    copyRowsInto(this.chunk, this.rows, chunk, start, end, this.#copied)
    copyPositions(this.chunk, this.rows, chunk, start, end)
    for (const [tag, code] of tagCodes.entries()) this.#tagCodes[tag].fill(code, this.rows, rows)
    this.rows = rows
  }

  /** How many characters the strings of the rows from `start` on have. */
  charactersFrom(start: number): number {
    let characters = 0
    for (const column of this.chunk.columns) {
      if (column?.type !== 'string') continue
      const { codes, dictionary } = column
      for (let row = start; row < this.rows; row++)
        if (codes[row] !== nullCode) characters += dictionary[codes[row]].length
    }
    return characters
  }

  /** The first `rows` rows; of a column without a value there, one of nulls. */
  columns(rows: number): ColumnVector[] {
    return this.#columns.map(({ index, type }) => {
      const column = this.chunk.columns[index] ?? newColumn(type, rows, [])
      if (column.type === 'string') return { ...column, codes: column.codes.subarray(0, rows) }
      if (column.type === 'boolean') return { ...column, values: column.values.subarray(0, rows) }
      const values = column.values.subarray(0, rows)
      return column.type === 'long'
        ? { type: 'long', values, exact: column.exact?.subarray(0, rows) ?? null }
        : { type: column.type, values }
    })
  }

  /** The codes of a tag in the first `rows` rows. */
  tagCodes(tag: number, rows: number): Int32Array {
    return this.#tagCodes[tag].subarray(0, rows)
  }

  /** Drops the first `rows` rows, and the strings that were of them. */
  drop(rows: number): void {
    const left = this.rows - rows
    this.#copied = withDictionaries(this.#columns)
    this.#move(rows, this.rows, Math.max(left, Math.min(this.chunk.times.length, rows)))
  }

  #reserve(rows: number): void {
    const capacity = this.chunk.times.length
    if (rows > capacity) this.#move(0, this.rows, Math.max(rows, capacity * 2))
  }

  #move(start: number, end: number, capacity: number): void {
    const chunk = newChunk(Math.max(rowsAtFirst, capacity))
    if (end > start) copyRowsInto(chunk, 0, this.chunk, start, end, this.#copied)
    copyPositions(chunk, 0, this.chunk, start, end)
    this.#tagCodes = this.#tagCodes.map((codes) => {
      const moved = new Int32Array(chunk.times.length)
      moved.set(codes.subarray(start, end))
      return moved
    })
    this.chunk = chunk
    this.rows = end - start
  }
}

function withDictionaries(columns: readonly EntityColumn[]): CopiedColumn[] {
  return columns.map(({ index, type }) => ({ index, type, dictionary: new Dictionary() }))
}

function copyPositions(to: Chunk, place: number, from: Chunk, start: number, end: number): void {
  if (end - start === 1) to.positions[place] = from.positions[start]
  else to.positions.set(from.positions.subarray(start, end), place)
}
