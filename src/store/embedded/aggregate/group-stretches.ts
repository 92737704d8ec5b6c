import type { Chunk, Stretch } from '../head/chunk.ts'
import type { BucketWalk } from '../run/bucket-walk.ts'
import type { GroupRows } from './group-rows.ts'
import type { FilterTests } from './row-conditions.ts'

/** Rows that are looked at for the same keys at once: one key may change with each row, and the others are looked at again then. */
const sameRowsMax = 64

interface GroupStretchesOptions {
  readonly groups: GroupRows
  /** Null where all rows are of one bucket. */
  readonly walk: BucketWalk | null
  readonly passesRow: FilterTests['passesRow']
  /** Whether keys may change from row to row. */
  readonly hasKeyColumns: boolean
}

/** Puts those rows of stretches that pass the filter into groups, as many at once as are of one group. */
export class GroupStretches {
  readonly #options: GroupStretchesOptions

  constructor(options: GroupStretchesOptions) {
    this.#options = options
  }

  add({ chunk, start, end }: Stretch, series: number): void {
    const { walk } = this.#options
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

  /** Adds those of rows [start, end), which are of one bucket, that pass, as many at once as have the same keys. */
  #addBucket(chunk: Chunk, start: number, end: number, series: number, bucketMs: number): void {
    const { groups, passesRow, hasKeyColumns } = this.#options
    let same = hasKeyColumns ? start : end
    for (let row = start; row < end; ) {
      if (passesRow !== null && !passesRow(chunk, row, series)) {
        row++
        continue
      }
      if (row >= same) same = groups.sameUntil(chunk, row, Math.min(end, row + sameRowsMax))
      let next = passesRow === null ? same : row + 1
      while (next < same && passesRow?.(chunk, next, series) === true) next++
      groups.addRows(groups.at(bucketMs, chunk, row, series), chunk, row, next, series)
      row = next
    }
  }
}
