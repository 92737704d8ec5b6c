import { type Chunk, newChunk } from './chunk.ts'
import { type CopiedColumn, copyRowsInto } from './copy-rows.ts'

const firstRows = 64
const rowsMax = 16_384

/** Single rows copied out of pages of files, so that an answer of a few rows does not hold on to thousands of pages. */
export class KeptRows {
  readonly #columns: readonly CopiedColumn[]
  readonly #withPositions: boolean
  #chunk = newChunk(0)
  /** The row of the newest copy in `chunk`. */
  row = -1

  /** `withPositions`: whether the order of the answer may hang on them; reading them may mean decoding a page of them. */
  constructor(columns: readonly CopiedColumn[], withPositions: boolean) {
    this.#columns = columns
    this.#withPositions = withPositions
  }

  get chunk(): Chunk {
    return this.#chunk
  }

  /** Copies a row to `row` of `chunk`. */
  keep(chunk: Chunk, row: number): void {
    const length = this.#chunk.times.length
    if (++this.row === length) {
      this.#chunk = newChunk(Math.min(rowsMax, Math.max(firstRows, length * 2)))
      this.row = 0
    }
    copyRowsInto(this.#chunk, this.row, chunk, row, row + 1, this.#columns)
    if (this.#withPositions) this.#chunk.positions[this.row] = chunk.positions[row]
  }
}
