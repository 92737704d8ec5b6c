import type { RowTest } from '../aggregate/row-conditions.ts'
import { type Chunk, isNullIn, type RowSlice } from '../head/chunk.ts'
import type { FieldAccessor } from './field-accessor.ts'

/** Tests whether rows are items of a query: at least one of the selected metrics is not null, and the query accepts their quality. */
export class ItemTest {
  readonly #columns: readonly number[]

  readonly #passesQuality: RowTest | null

  /** `passesQuality` is null where every quality is accepted. */
  constructor(metrics: readonly FieldAccessor[], passesQuality: RowTest | null) {
    this.#passesQuality = passesQuality
    this.#columns = metrics.flatMap((metric) => (metric.kind === 'column' ? [metric.index] : []))
  }

  isItem(chunk: Chunk, row: number): boolean {
    const passesQuality = this.#passesQuality
    if (passesQuality !== null && !passesQuality(chunk, row, 0)) return false
    for (const index of this.#columns) {
      const column = chunk.columns[index]
      if (column !== undefined && !isNullIn(column, row)) return true
    }
    return false
  }

  count({ chunk, start, end }: RowSlice): number {
    let count = 0
    for (let row = start; row < end; row++) if (this.isItem(chunk, row)) count++
    return count
  }

  /** The last item of rows [start, end), -1 if there is none. */
  last(chunk: Chunk, start: number, end: number): number {
    for (let row = end - 1; row >= start; row--) if (this.isItem(chunk, row)) return row
    return -1
  }

  /** The first item of rows [start, end), -1 if there is none. */
  first(chunk: Chunk, start: number, end: number): number {
    for (let row = start; row < end; row++) if (this.isItem(chunk, row)) return row
    return -1
  }
}
