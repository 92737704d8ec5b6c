import type { Pacer } from '../../../lib/pacer.ts'

/** Codes that are sorted at a stretch: about a millisecond of comparing strings. */
const blockCodes = 2048

interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Sorts codes by `compare` in slices, for the strings of a large dictionary take seconds. The first `sortedCodes` of them are in
 * order already. Changes `codes`, and may answer another array.
 */
export async function sortCodes(
  codes: Int32Array,
  sortedCodes: number,
  compare: (left: number, right: number) => number,
  pacer: Pacer,
): Promise<Int32Array> {
  let stretches: Stretch[] = sortedCodes > 0 ? [{ start: 0, end: sortedCodes }] : []
  for (let start = sortedCodes; start < codes.length; start += blockCodes) {
    const end = Math.min(codes.length, start + blockCodes)
    codes.subarray(start, end).sort(compare)
    stretches.push({ start, end })
    if (pacer.spend((end - start) * 32)) await pacer.rest()
  }
  let from = codes
  let to = stretches.length > 1 ? new Int32Array(codes.length) : codes
  while (stretches.length > 1) {
    const merged: Stretch[] = []
    // From the end, so that the long sorted stretch at the front is merged once, at last.
    for (let right = stretches.length - 1; right >= 0; right -= 2) {
      const end = stretches[right].end
      if (right === 0) to.set(from.subarray(0, end))
      else await mergeTwo(from, to, stretches[right - 1].start, stretches[right].start, end, compare, pacer)
      merged.unshift({ start: stretches[Math.max(0, right - 1)].start, end })
    }
    stretches = merged
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
  let left = start
  let right = middle
  for (let place = start; place < end; place++) {
    const takeLeft = right >= end || (left < middle && compare(from[left], from[right]) <= 0)
    to[place] = takeLeft ? from[left++] : from[right++]
    if ((place & 1023) === 1023 && pacer.spend(16_384)) await pacer.rest()
  }
}
