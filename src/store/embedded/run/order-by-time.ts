import { forEachChunk } from '../../../lib/for-each-chunk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { GrowableInt32 } from '../head/growable.ts'

/** Rows that are merged between two calls of the pacer. */
const rowsPerSpend = 8192

interface Keyed {
  readonly times: Float64Array
  readonly places: Int32Array
}

/** Memory for ordering rows, reused for other rows: that overwrites the order made in it. */
export class OrderBuffers {
  readonly #kept: Keyed[] = []

  /** Two separate buffers, `which` 0 and 1. Their initial content is undefined. */
  keyed(which: 0 | 1, length: number): Keyed {
    let kept = this.#kept[which]
    if (kept === undefined || kept.times.length < length) {
      kept = { times: new Float64Array(length), places: new Int32Array(length) }
      this.#kept[which] = kept
    }
    return { times: kept.times.subarray(0, length), places: kept.places.subarray(0, length) }
  }
}

/** The starts of the ascending runs of `times`, and its length at the end. */
async function risingSlices(times: Float64Array, pacer: Pacer): Promise<Int32Array> {
  const bounds = new GrowableInt32()
  let beforeMs = Number.POSITIVE_INFINITY
  await forEachChunk(0, times.length, pacer, (start, end) => {
    // The loop writes to a local variable: V8 would allocate an object for each number written to a captured one.
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

/** Merges of at most this many rows are done in one step. */
const shortRows = 256
/** With more ascending runs than this, it pays to extract single late rows first. */
const slicesMax = 16

/**
 * The places of `times` in ascending order; equal times keep their order. Null if they are ascending already. Rows come as a few long
 * ascending runs (series), or as one run with late rows in between; either is merged in few passes. The result is stored in `room`.
 */
export async function orderByTime(
  times: Float64Array,
  pacer: Pacer,
  room = new OrderBuffers(),
): Promise<Int32Array | null> {
  const bounds = await risingSlices(times, pacer)
  if (bounds.length <= 2) return null
  const keyed = room.keyed(0, times.length)
  await forEachChunk(0, times.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      keyed.times[place] = times[place]
      keyed.places[place] = place
    }
  })
  const other = room.keyed(1, times.length)
  const late = bounds.length > slicesMax ? await countLate(times, pacer) : null
  if (late === null) return (await mergeRising(keyed, bounds, other, pacer)).places
  return (await mergeLate(keyed, late, other, pacer)).places
}

/** Merges neighbouring runs until one is left, alternating between the two buffers. */
async function mergeRising(keyed: Keyed, slices: Int32Array, other: Keyed, pacer: Pacer): Promise<Keyed> {
  let bounds = slices
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
        for (let rows = merge.mergePart(); rows > 0; rows = merge.mergePart()) if (pacer.spend(rows)) await pacer.rest()
      }
      merged[(index >>> 1) + 1] = end
    }
    bounds = merged
    ;[from, to] = [to, from]
  }
  return from
}

/** The number of rows that are earlier than a row before them; null if they are more than a quarter. */
async function countLate(times: Float64Array, pacer: Pacer): Promise<number | null> {
  let late = 0
  let newestMs = Number.NEGATIVE_INFINITY
  await forEachChunk(0, times.length, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      if (times[place] >= newestMs) newestMs = times[place]
      else late++
    }
  })
  return late * 4 > times.length ? null : late
}

/** Extracts the late rows, sorts them, and merges them with the others. */
async function mergeLate(keyed: Keyed, late: number, to: Keyed, pacer: Pacer): Promise<Keyed> {
  const { times, places } = keyed
  const taken: Keyed = { times: new Float64Array(late), places: new Int32Array(late) }
  let inTime = 0
  let out = 0
  let newestMs = Number.NEGATIVE_INFINITY
  await forEachChunk(0, times.length, pacer, (start, end) => {
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
  const ordered = await mergeRising(taken, await risingSlices(taken.times, pacer), other, pacer)
  // Of equal times, rows in time come first, as before: a late row follows a newer row, and so all rows in time of its own date.
  const merge = new Merge(keyed, ordered, to)
  merge.begin(0, inTime, 0, late)
  for (let merged = merge.mergePart(); merged > 0; merged = merge.mergePart())
    if (pacer.spend(merged)) await pacer.rest()
  return to
}

/** Does the same as `Merge` for neighbouring runs that are short. */
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

/** Merges an ascending run of each of two buffers into a third, a part at a time. Of equal times, those of the first buffer come first. */
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

  /** The result starts at `left`. */
  begin(left: number, leftEnd: number, right: number, rightEnd: number): void {
    this.#left = left
    this.#leftEnd = leftEnd
    this.#right = right
    this.#rightEnd = rightEnd
    this.#place = left
  }

  /** Merges a part and returns its number of rows: 0 when the merge is complete. */
  mergePart(): number {
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
