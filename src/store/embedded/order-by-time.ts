import type { Pacer } from '../../lib/pacer.ts'

/** Where the rising stretches of `times` begin, and its length at the end. */
function risingStretches(times: Float64Array): number[] {
  const bounds = [0]
  for (let index = 1; index < times.length; index++) if (times[index] < times[index - 1]) bounds.push(index)
  bounds.push(times.length)
  return bounds
}

interface Keyed {
  readonly times: Float64Array
  readonly places: Int32Array
}

function merge(from: Keyed, to: Keyed, start: number, middle: number, end: number): void {
  const times = from.times
  let left = start
  let right = middle
  let place = start
  while (left < middle && right < end) {
    const source = times[left] <= times[right] ? left++ : right++
    to.times[place] = times[source]
    to.places[place] = from.places[source]
    place++
  }
  const rest = left < middle ? left : right
  const restEnd = left < middle ? middle : end
  to.times.set(times.subarray(rest, restEnd), place)
  to.places.set(from.places.subarray(rest, restEnd), place)
}

/**
 * The places of `times` in rising order; equal times keep their order. Null when they rise already. Rows come in as a few long
 * rising stretches (series), which are merged in pairs.
 */
export async function orderByTime(times: Float64Array, pacer: Pacer): Promise<Int32Array | null> {
  let bounds = risingStretches(times)
  if (bounds.length <= 2) return null
  const places = new Int32Array(times.length)
  for (let index = 0; index < places.length; index++) places[index] = index
  let from: Keyed = { times: times.slice(), places }
  let to: Keyed = { times: new Float64Array(times.length), places: new Int32Array(times.length) }
  while (bounds.length > 2) {
    const merged = [0]
    for (let index = 0; index + 1 < bounds.length; index += 2) {
      const middle = bounds[index + 1]
      const end = bounds[index + 2] ?? middle
      merge(from, to, bounds[index], middle, end)
      merged.push(end)
      if (pacer.spend(end - bounds[index])) await pacer.rest()
    }
    bounds = merged
    ;[from, to] = [to, from]
  }
  return from.places
}

/** Sorts each group of neighbours of `order` for which `same` holds by `compare`; the order of equal ones stays. */
export async function orderWithin(
  order: Int32Array,
  same: (left: number, right: number) => boolean,
  compare: (left: number, right: number) => number,
  pacer: Pacer,
): Promise<void> {
  let start = 0
  for (let end = 1; end <= order.length; end++) {
    if (end < order.length && same(order[start], order[end])) continue
    if (end - start > 1) {
      order.subarray(start, end).sort(compare)
      if (pacer.spend((end - start) * 8)) await pacer.rest()
    } else if (pacer.spend(1)) await pacer.rest()
    start = end
  }
}

export function inOrder(length: number): Int32Array {
  const order = new Int32Array(length)
  for (let index = 0; index < length; index++) order[index] = index
  return order
}
