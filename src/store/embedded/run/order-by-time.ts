import { inParts } from '../../../lib/in-parts.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { GrowableInt32 } from '../head/growable.ts'

/** Rows that are merged between two looks at the clock. */
const rowsPerSpend = 8192

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

/** Where the rising stretches of `times` begin, and its length at the end. */
async function risingStretches(times: Float64Array, pacer: Pacer): Promise<Int32Array> {
  const bounds = new GrowableInt32()
  let beforeMs = Number.POSITIVE_INFINITY
  await inParts(0, times.length, pacer, (start, end) => {
    // What a loop writes to is a variable of its own: one that is shared with others is an object for each number.
    let lastMs = beforeMs
    for (let index = start; index < end; index++) {
      const ms = times[index]
      if (ms < lastMs) bounds.push(index)
      lastMs = ms
    }
    beforeMs = lastMs
  })
  bounds.push(times.length)
  return bounds.values.subarray(0, bounds.length)
}

/** A merge of so many rows is done at once. */
const shortRows = 256
/** With more stretches than this it pays to take single late rows out first. */
const stretchesMax = 16

/**
 * The places of `times` in rising order; equal times keep their order. Null when they rise already. Rows come in as a few long
 * rising stretches (series), or as one with late rows in between: either is merged in few passes. The order lies in `room`.
 */
export async function orderByTime(
  times: Float64Array,
  pacer: Pacer,
  room = new OrderRoom(),
): Promise<Int32Array | null> {
  const bounds = await risingStretches(times, pacer)
  if (bounds.length <= 2) return null
  const keyed = room.keyed(0, times.length)
  await inParts(0, times.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      keyed.times[place] = times[place]
      keyed.places[place] = place
    }
  })
  const other = room.keyed(1, times.length)
  const late = bounds.length > stretchesMax ? await countLate(times, pacer) : null
  if (late === null) return (await mergeRising(keyed, bounds, other, pacer)).places
  return (await mergeLate(keyed, late, other, pacer)).places
}

/** Merges neighbouring stretches until one is left, to and fro between the two. */
async function mergeRising(keyed: Keyed, stretches: Int32Array, other: Keyed, pacer: Pacer): Promise<Keyed> {
  let bounds = stretches
  let from = keyed
  let to = other
  while (bounds.length > 2) {
    const merge = new Merge(from, from, to)
    const merged = new Int32Array((bounds.length >>> 1) + 1)
    for (let index = 0; index + 1 < bounds.length; index += 2) {
      const middle = bounds[index + 1]
      const end = index + 2 < bounds.length ? bounds[index + 2] : middle
      if (end - bounds[index] <= shortRows) {
        mergeShort(from, to, bounds[index], middle, end)
        if (pacer.spend(end - bounds[index])) await pacer.rest()
      } else {
        merge.begin(bounds[index], middle, middle, end)
        for (let rows = merge.goOn(); rows > 0; rows = merge.goOn()) if (pacer.spend(rows)) await pacer.rest()
      }
      merged[(index >>> 1) + 1] = end
    }
    bounds = merged
    ;[from, to] = [to, from]
  }
  return from
}

/** How many rows are before one that is earlier in the list; null when they are many. */
async function countLate(times: Float64Array, pacer: Pacer): Promise<number | null> {
  let late = 0
  let newestMs = Number.NEGATIVE_INFINITY
  await inParts(0, times.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      if (times[place] >= newestMs) newestMs = times[place]
      else late++
    }
  })
  return late * 4 > times.length ? null : late
}

/** Takes the late rows out, orders them, and merges them with the others. */
async function mergeLate(keyed: Keyed, late: number, to: Keyed, pacer: Pacer): Promise<Keyed> {
  const { times, places } = keyed
  const taken: Keyed = { times: new Float64Array(late), places: new Int32Array(late) }
  let inTime = 0
  let out = 0
  let newestMs = Number.NEGATIVE_INFINITY
  await inParts(0, times.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      const ms = times[place]
      const isLate = ms < newestMs
      const target = isLate ? taken : keyed
      const at = isLate ? out++ : inTime++
      if (!isLate) newestMs = ms
      target.times[at] = ms
      target.places[at] = places[place]
    }
  })
  const other: Keyed = { times: new Float64Array(late), places: new Int32Array(late) }
  const ordered = await mergeRising(taken, await risingStretches(taken.times, pacer), other, pacer)
  // Of equal times those in time come first: a late row is older than a row before it.
  const merge = new Merge(keyed, ordered, to)
  merge.begin(0, inTime, 0, late)
  for (let merged = merge.goOn(); merged > 0; merged = merge.goOn()) if (pacer.spend(merged)) await pacer.rest()
  return to
}

/** As `Merge`, of neighbours, for stretches that are not worth more. */
function mergeShort(from: Keyed, to: Keyed, start: number, middle: number, end: number): void {
  const { times, places } = from
  let left = start
  let right = middle
  for (let place = start; place < end; place++) {
    const takesLeft = right === end || (left < middle && times[left] <= times[right])
    const source = takesLeft ? left++ : right++
    to.times[place] = times[source]
    to.places[place] = places[source]
  }
}

/** Merges a rising stretch of each of two into a third, a part at a time; of equal times the first one's come first. */
class Merge {
  readonly #first: Keyed
  readonly #second: Keyed
  readonly #to: Keyed
  #left = 0
  #leftEnd = 0
  #right = 0
  #rightEnd = 0
  #place = 0

  constructor(first: Keyed, second: Keyed, to: Keyed) {
    this.#first = first
    this.#second = second
    this.#to = to
  }

  /** The result begins where the first one's stretch does. */
  begin(left: number, leftEnd: number, right: number, rightEnd: number): void {
    this.#left = left
    this.#leftEnd = leftEnd
    this.#right = right
    this.#rightEnd = rightEnd
    this.#place = left
  }

  /** Returns how many rows it has merged: none when it is over. */
  goOn(): number {
    const { times: firstTimes, places: firstPlaces } = this.#first
    const { times: secondTimes, places: secondPlaces } = this.#second
    const { times, places } = this.#to
    const leftEnd = this.#leftEnd
    const rightEnd = this.#rightEnd
    const begun = this.#place
    const stop = begun + rowsPerSpend
    let left = this.#left
    let right = this.#right
    let place = begun
    if (left < leftEnd && right < rightEnd) {
      let leftMs = firstTimes[left]
      let rightMs = secondTimes[right]
      while (place < stop) {
        if (leftMs <= rightMs) {
          times[place] = leftMs
          places[place++] = firstPlaces[left++]
          if (left === leftEnd) break
          leftMs = firstTimes[left]
        } else {
          times[place] = rightMs
          places[place++] = secondPlaces[right++]
          if (right === rightEnd) break
          rightMs = secondTimes[right]
        }
      }
    }
    if (place < stop) {
      const isLeft = left < leftEnd
      const from = isLeft ? this.#first : this.#second
      const start = isLeft ? left : right
      const end = Math.min(isLeft ? leftEnd : rightEnd, start + stop - place)
      times.set(from.times.subarray(start, end), place)
      places.set(from.places.subarray(start, end), place)
      place += end - start
      if (isLeft) left = end
      else right = end
    }
    this.#left = left
    this.#right = right
    this.#place = place
    return place - begun
  }
}
