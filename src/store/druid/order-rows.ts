import type { Pacer } from '../../lib/pacer.ts'

type Compare = (left: number, right: number) => number

/** Rows that are sorted at once; the event loop gets its turn between them. */
const runRows = 4096

/** The places 0 to `length` - 1 in the order of `compare`; equal ones keep their order. Costs one look at rows that are in order. */
export async function orderRows(length: number, compare: Compare, pacer: Pacer): Promise<Int32Array> {
  let from = Int32Array.from({ length }, (_, index) => index)
  if (isOrdered(from, compare)) return from
  for (let start = 0; start < length; start += runRows) {
    from.subarray(start, start + runRows).sort(compare)
    if (pacer.spend(runRows * 16)) await pacer.rest()
  }
  let to = new Int32Array(length)
  for (let width = runRows; width < length; width *= 2) {
    for (let start = 0; start < length; start += width * 2) {
      merge(from, to, start, Math.min(length, start + width), Math.min(length, start + width * 2), compare)
      if (pacer.spend(width * 2)) await pacer.rest()
    }
    ;[from, to] = [to, from]
  }
  return from
}

function isOrdered(places: Int32Array, compare: Compare): boolean {
  for (let index = 1; index < places.length; index++) if (compare(index - 1, index) > 0) return false
  return true
}

function merge(from: Int32Array, to: Int32Array, start: number, middle: number, end: number, compare: Compare): void {
  let left = start
  let right = middle
  for (let place = start; place < end; place++) {
    const takeLeft = right >= end || (left < middle && compare(from[left], from[right]) <= 0)
    to[place] = takeLeft ? from[left++] : from[right++]
  }
}
