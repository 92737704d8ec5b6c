import type { Pacer } from '../../../lib/pacer.ts'

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

/** Memory for the ordering of rows, to be used again for others; the order that was made in it is overwritten then. */
export class OrderRoom {
  readonly #kept: Keyed[] = []

  /** Two different ones, `which` 0 and 1; they hold anything. */
  keyed(which: 0 | 1, length: number): Keyed {
    let kept = this.#kept[which]
    if (kept === undefined || kept.times.length < length) {
      kept = { times: new Float64Array(length), places: new Int32Array(length) }
      this.#kept[which] = kept
    }
    return { times: kept.times.subarray(0, length), places: kept.places.subarray(0, length) }
  }
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

const rowsPerSpend = 1024
/** With more stretches than this it pays to take single late rows out first. */
const stretchesMax = 16

/**
 * The places of `times` in rising order; equal times keep their order. Null when they rise already. Rows come in as a few long
 * rising stretches (series), or as one with late rows in between: either is merged in few passes.
 */
export async function orderByTime(
  times: Float64Array,
  pacer: Pacer,
  room = new OrderRoom(),
): Promise<Int32Array | null> {
  const bounds = risingStretches(times)
  if (bounds.length <= 2) return null
  const keyed = room.keyed(0, times.length)
  keyed.times.set(times)
  for (let place = 0; place < times.length; place++) keyed.places[place] = place
  const split = bounds.length > stretchesMax ? splitLate(keyed) : null
  if (split === null) return (await mergeStretches(keyed, bounds, pacer, room)).places
  const late = await mergeStretches(split.late, risingStretches(split.late.times), pacer, room)
  return mergeSplit(split.inTime, late)
}

/** `room` has `keyed` as its first, or nothing of it. */
async function mergeStretches(
  keyed: Keyed,
  stretches: readonly number[],
  pacer: Pacer,
  room: OrderRoom,
): Promise<Keyed> {
  let bounds = stretches
  let from = keyed
  let to = room.keyed(1, keyed.times.length)
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
  return from
}

/** Rows before which none is later, and the others; null when the others are many. */
function splitLate({ times, places }: Keyed): { inTime: Keyed; late: Keyed } | null {
  const late: number[] = []
  const inTime: number[] = []
  let newestMs = Number.NEGATIVE_INFINITY
  for (const place of places) {
    const ms = times[place]
    if (ms >= newestMs) {
      newestMs = ms
      inTime.push(place)
    } else late.push(place)
    if (late.length * 4 > times.length) return null
  }
  const keyed = (chosen: readonly number[]): Keyed => ({
    times: Float64Array.from(chosen, (place) => times[place]),
    places: Int32Array.from(chosen),
  })
  return { inTime: keyed(inTime), late: keyed(late) }
}

/** Of equal times those in time came first: a late row is older than a row before it. */
function mergeSplit(inTime: Keyed, late: Keyed): Int32Array {
  const places = new Int32Array(inTime.places.length + late.places.length)
  let left = 0
  let right = 0
  for (let index = 0; index < places.length; index++) {
    const takeLeft =
      right === late.times.length || (left < inTime.times.length && inTime.times[left] <= late.times[right])
    places[index] = takeLeft ? inTime.places[left++] : late.places[right++]
  }
  return places
}

/** Sorts each group of neighbours of `order` for which `same` holds by `compare`; the order of equal ones stays. */
export async function orderWithin(
  order: Int32Array,
  same: (left: number, right: number) => boolean,
  compare: (left: number, right: number) => number,
  pacer: Pacer,
): Promise<void> {
  let start = 0
  let end = 1
  let spent = 0
  while (start < order.length) {
    while (end < order.length && same(order[start], order[end])) end++
    if (end - start > 1) {
      order.subarray(start, end).sort(compare)
      if (pacer.spend((end - start) * 8)) await pacer.rest()
    }
    start = end++
    if (start - spent < rowsPerSpend) continue
    spent = start
    if (pacer.spend(rowsPerSpend)) await pacer.rest()
  }
}

export function inOrder(length: number): Int32Array {
  const order = new Int32Array(length)
  for (let index = 0; index < length; index++) order[index] = index
  return order
}
