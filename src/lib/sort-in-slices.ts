import type { Pacer } from './pacer.ts'

/** Numbers that are sorted without a rest: about a millisecond of comparing strings. */
const blockLength = 2048
/** Pacer units for sorting one number within its block, and for one comparison of a merge. */
const sortUnits = 32
const mergeUnits = 16
/** Numbers merged between two checks of the clock. */
const mergedAtOnce = 1024

interface Run {
  readonly start: number
  readonly end: number
}

/**
 * Sorts numbers (codes of strings, row indexes) by `compare` in slices, because a million of them take seconds. The sort is stable. The first `sorted`
 * numbers must be in order already. Changes `numbers`, and may return another array.
 */
export async function sortInSlices(
  numbers: Int32Array,
  sorted: number,
  compare: (left: number, right: number) => number,
  pacer: Pacer,
): Promise<Int32Array> {
  let slices: Run[] = sorted > 0 ? [{ start: 0, end: sorted }] : []
  for (let start = sorted; start < numbers.length; start += blockLength) {
    const end = Math.min(numbers.length, start + blockLength)
    numbers.subarray(start, end).sort(compare)
    slices.push({ start, end })
    if (pacer.spend((end - start) * sortUnits)) await pacer.rest()
  }
  let from = numbers
  let to = slices.length > 1 ? new Int32Array(numbers.length) : numbers
  while (slices.length > 1) {
    const merged: Run[] = []
    // From the end, so that the long sorted run at the front is merged only once, in the last pass.
    for (let right = slices.length - 1; right >= 0; right -= 2) {
      const end = slices[right].end
      if (right === 0) to.set(from.subarray(0, end))
      else await mergeTwo(from, to, slices[right - 1].start, slices[right].start, end, compare, pacer)
      merged.unshift({ start: slices[Math.max(0, right - 1)].start, end })
    }
    slices = merged
    ;[from, to] = [to, from]
  }
  return from
}

async function mergeTwo(
  from: Int32Array,
  to: Int32Array,
  start: number,
  middle: number,
  end: number,
  compare: (left: number, right: number) => number,
  pacer: Pacer,
): Promise<void> {
  if (compare(from[middle - 1], from[middle]) <= 0) {
    to.set(from.subarray(start, end), start)
    if (pacer.spend(end - start)) await pacer.rest()
    return
  }
  let left = start
  let right = middle
  for (let place = start; place < end; place++) {
    const takeLeft = right >= end || (left < middle && compare(from[left], from[right]) <= 0)
    to[place] = takeLeft ? from[left++] : from[right++]
    if (place % mergedAtOnce === 0 && pacer.spend(mergedAtOnce * mergeUnits)) await pacer.rest()
  }
}

/** The numbers 0 to `length` - 1. */
export function inOrder(length: number): Int32Array {
  const order = new Int32Array(length)
  for (let index = 0; index < length; index++) order[index] = index
  return order
}
