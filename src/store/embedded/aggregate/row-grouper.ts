import type { Chunk, RowSlice } from '../head/chunk.ts'
import type { BucketWalk } from '../run/bucket-walk.ts'
import type { GroupRows } from './group-rows.ts'
import type { FilterTests } from './row-conditions.ts'

interface GroupSlicesOptions {
  readonly groups: GroupRows
  /** Null where all rows belong to one bucket. */
  readonly walk: BucketWalk | null
  readonly passesRow: FilterTests['passesRow']
  /** Whether keys may change from row to row. */
  readonly hasKeyColumns: boolean
}

/** Puts the rows that pass the filter into groups; neighbouring rows of one group are added together. */
export class RowGrouper {
  readonly #groups: GroupRows
  readonly #walk: BucketWalk | null
  readonly #passesRow: FilterTests['passesRow']
  readonly #hasKeyColumns: boolean

  constructor({ groups, walk, passesRow, hasKeyColumns }: GroupSlicesOptions) {
    this.#groups = groups
    this.#walk = walk
    this.#passesRow = passesRow
    this.#hasKeyColumns = hasKeyColumns
  }

  add({ chunk, start, end }: RowSlice, series: number): void {
    const walk = this.#walk
    if (walk === null) {
      this.#addBucket(chunk, start, end, series, 0)
      return
    }
    const { times } = chunk
    for (let row = start; row < end; ) {
      walk.enter(times[row])
      const { startMs } = walk
      const bucketEnd = walk.endIn(times, row, end)
      this.#addBucket(chunk, row, bucketEnd, series, startMs)
      row = bucketEnd
    }
  }

  /** Adds those of rows [start, end) that pass. The rows are in one bucket; neighbours with the same keys are added together. */
  #addBucket(chunk: Chunk, start: number, end: number, series: number, bucketMs: number): void {
    const groups = this.#groups
    const passesRow = this.#passesRow
    let same = this.#hasKeyColumns ? start : end
    for (let row = start; row < end; ) {
      if (passesRow !== null && !passesRow(chunk, row, series)) {
        row++
        continue
      }
      if (row >= same) same = groups.sameUntil(chunk, row, end)
      let next = passesRow === null ? same : row + 1
      while (next < same && passesRow?.(chunk, next, series) === true) next++
      groups.addRows(bucketMs, chunk, row, next, series)
      row = next
    }
  }
}
