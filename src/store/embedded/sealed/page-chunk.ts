import type { Chunk, ChunkColumn } from '../head/chunk.ts'
import type { FileIndex } from './file-index.ts'
import type { DecodedColumn } from './page-decoder.ts'

/** The columns that a run needs from a file. */
export interface WantedColumns {
  readonly index: FileIndex
  /** Each with the entity's index and its place in the file. */
  readonly columns: readonly { readonly index: number; readonly place: number }[]
}

/** The source of a page. */
export interface PageOwner {
  /** Decodes a column by its place in the file; null when none of the rows has a value. `index` is null when the caller does not have it. */
  decode(page: number, place: number, index: FileIndex | null): DecodedColumn | null
  /** Called when the page takes more memory than before. */
  grown(chunk: PageChunk): void
}

/** The first column of every file is the time. */
const timePlace = 0

/** One decoded page. Columns, times and positions are decoded on first use and kept. */
export class PageChunk implements Chunk {
  readonly page: number
  readonly columns: (ChunkColumn | undefined)[] = []
  /** Approximate memory in bytes. */
  bytes = 0
  readonly #owner: PageOwner
  readonly #positionPlace: number
  /** The columns that were decoded, by the entity's index; they may consist of nulls only. */
  readonly #known: boolean[] = []
  #times: Float64Array | null = null
  #positions: Float64Array | null = null

  constructor(page: number, index: FileIndex, owner: PageOwner) {
    this.page = page
    this.#owner = owner
    this.#positionPlace = index.summary.columns - 1
  }

  get times(): Float64Array {
    this.#times ??= this.#numbers(timePlace)
    return this.#times
  }

  get positions(): Float64Array {
    this.#positions ??= this.#numbers(this.#positionPlace)
    return this.#positions
  }

  /** Decodes wanted columns that are not decoded yet. */
  decodeMissing({ index: fileIndex, columns }: WantedColumns): void {
    for (const { index, place } of columns) {
      if (this.#known[index] === true) continue
      const decoded = this.#owner.decode(this.page, place, fileIndex)
      this.#known[index] = true
      if (decoded === null) continue
      const { column, bytes } = decoded
      const isPlain = column.type === 'double' || column.type === 'timestamp'
      this.columns[index] = isPlain ? { type: column.type, values: column.values, exact: null } : column
      this.bytes += bytes
    }
  }

  #numbers(place: number): Float64Array {
    const decoded = this.#owner.decode(this.page, place, null)
    if (decoded?.column.type !== 'timestamp' && decoded?.column.type !== 'long')
      throw new Error('times and positions are numbers')
    this.bytes += decoded.bytes
    this.#owner.grown(this)
    return decoded.column.values
  }
}
