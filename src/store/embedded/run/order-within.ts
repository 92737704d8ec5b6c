import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'

/** Rows compared with their neighbours between two calls of the pacer. */
const rowsPerSpend = 1024
/** Longer groups are sorted in slices. */
const groupRowsMax = 2048

/** Sorts each group of neighbours of `order` for which `same` is true by `compare`. The sort is stable. */
export async function orderWithin(
  order: Int32Array,
  same: (left: number, right: number) => boolean,
  compare: (left: number, right: number) => number,
  pacer: Pacer,
): Promise<void> {
  let start = 0
  for (let end = 1; end <= order.length; end++) {
    if (end % rowsPerSpend === 0 && pacer.spend(rowsPerSpend)) await pacer.rest()
    if (end < order.length && same(order[start], order[end])) continue
    const group = order.subarray(start, end)
    start = end
    if (group.length > groupRowsMax) {
      const sorted = await sortInSlices(group, 0, compare, pacer)
      if (sorted !== group) group.set(sorted)
    } else if (group.length > 1) {
      group.sort(compare)
      if (pacer.spend(group.length * 8)) await pacer.rest()
    }
  }
}
