import { type Chunk, newChunk } from './chunk.ts'
import { type CopiedColumn, copyRowsInto } from './copy-rows.ts'

const firstRows = 64
const rowsMax = 16_384

/** Rows copied out of pages of files, so that a result of a few rows does not retain thousands of pages. */
export class KeptRows {
  readonly #columns: readonly CopiedColumn[]
  readonly #withPositions: boolean
  #chunk = newChunk(0)
  #used = 0

  /** `withPositions`: whether the order of the result may depend on positions. Reading them may mean decoding a page of them. */
  constructor(columns: readonly CopiedColumn[], withPositions: boolean) {
    this.#columns = columns
    this.#withPositions = withPositions
  }

  get chunk(): Chunk {
    return this.#chunk
  }

  /** Drops the copies. Chunks that are referenced elsewhere stay as they are. */
  clear(): void {
    this.#chunk = newChunk(0)
    this.#used = 0
  }

  /** Copies rows [start, end) to `chunk`. Returns the first row there. */
  keep(chunk: Chunk, start: number, end: number): number {
    const length = this.#chunk.times.length
    if (this.#used + end - start > length) {
      this.#chunk = newChunk(Math.max(end - start, Math.min(rowsMax, Math.max(firstRows, length * 2))))
      this.#used = 0
    }
    const place = this.#used
    this.#used += end - start
    copyRowsInto(this.#chunk, place, chunk, start, end, this.#columns)
    if (this.#withPositions) this.#chunk.positions.set(chunk.positions.subarray(start, end), place)
    return place
  }
}
