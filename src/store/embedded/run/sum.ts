// Sums that keep what each addition loses (Knuth's two-sum), so that a mean over millions of values is right to the last digits.

import { lostIn } from '../../../lib/lost-in-sum.ts'

/** Sums in danger of overflowing are kept times 2^-64: exact but for numbers that vanish beside such sums. */
const scale = 2 ** -64

/** Sum, its error and the count of some values; results are written here so that no object is made for each bucket. */
export interface Sum {
  sum: number
  error: number
  count: number
}

/** Sums the values of rows [start, end) that are not null. */
export function sumRows(values: Float64Array, start: number, end: number, factor: number, into: Sum): void {
  let sum = 0
  let error = 0
  let count = 0
  for (let row = start; row < end; row++) {
    const value = values[row] * factor
    if (Number.isNaN(value)) continue
    const next = sum + value
    // As `lostIn`, which V8 does not inline here: called, it costs a third of the loop.
    const added = next - sum
    error += sum - (next - added) + (value - added)
    sum = next
    count++
  }
  into.sum = sum
  into.error = error
  into.count = count
}

/** What is kept of the values of many slots: their sums, what these lost, how many there are, and their bounds. */
export interface SummedSlots {
  readonly sums: Float64Array
  readonly errors: Float64Array
  readonly counts: Float64Array | Int32Array
  /** NaN where there is no value. */
  readonly least: Float64Array
  readonly greatest: Float64Array
}

/** As `sumRows`, going on from what a slot has, so that it does not matter how its rows are cut. */
export function addToSlot(slots: SummedSlots, slot: number, values: Float64Array, start: number, end: number): void {
  let sum = slots.sums[slot]
  let error = slots.errors[slot]
  let least = slots.least[slot]
  let greatest = slots.greatest[slot]
  let count = 0
  for (let row = start; row < end; row++) {
    const value = values[row]
    if (Number.isNaN(value)) continue
    const next = sum + value
    error += lostIn(sum, value, next)
    sum = next
    count++
    if (!(value >= least)) least = value
    if (!(value <= greatest)) greatest = value
  }
  slots.sums[slot] = sum
  slots.errors[slot] = error
  slots.counts[slot] += count
  slots.least[slot] = least
  slots.greatest[slot] = greatest
}

/** The sums of many groups of one metric. */
export class GroupSums {
  // There is room for a week of hours at first. They grow at different times: each is megabytes that are moved.
  #sums = new Float64Array(215)
  #errors = new Float64Array(230)
  #counts = new Float64Array(245)
  #shortest = 215
  readonly #scaled = new Set<number>()
  readonly #rescaled: Sum = { sum: 0, error: 0, count: 0 }

  /** Adds what `part` says of rows [start, end) of `values`; they are read again when the sum overflows. */
  add(group: number, part: Sum, values: Float64Array, start: number, end: number): void {
    if (!this.#isScaled(group) && this.#put(group, part.sum, part.error, part.count)) return
    this.#beginScaling(group)
    const rescaled = this.#rescaled
    sumRows(values, start, end, scale, rescaled)
    this.#put(group, rescaled.sum, rescaled.error, rescaled.count)
  }

  /** Adds a sum of which the values are not at hand. */
  addSum(group: number, sum: number, error: number, count: number): void {
    if (!this.#isScaled(group) && this.#put(group, sum, error, count)) return
    this.#beginScaling(group)
    this.#put(group, sum * scale, error * scale, count)
  }

  /** `NaN` where a group has no value; an infinity where the sum is beyond all doubles. */
  sum(group: number): number {
    const count = group < this.#shortest ? this.#counts[group] : 0
    if (count === 0) return Number.NaN
    const sum = this.#sums[group] + this.#errors[group]
    return this.#isScaled(group) ? sum / scale : sum
  }

  /** `NaN` where a group has no value. */
  mean(group: number): number {
    const count = group < this.#shortest ? this.#counts[group] : 0
    if (count === 0) return Number.NaN
    const mean = (this.#sums[group] + this.#errors[group]) / count
    if (!this.#isScaled(group)) return mean
    // Rounding may lead a hair beyond the largest double.
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, mean / scale))
  }

  #isScaled(group: number): boolean {
    return this.#scaled.size > 0 && this.#scaled.has(group)
  }

  #beginScaling(group: number): void {
    if (this.#isScaled(group)) return
    this.#sums[group] *= scale
    this.#errors[group] *= scale
    this.#scaled.add(group)
  }

  /** False, and nothing is added, where the sum would overflow. */
  #put(group: number, sum: number, error: number, count: number): boolean {
    if (group >= this.#shortest) this.#grow(group)
    const before = this.#sums[group]
    const next = before + sum
    const lost = this.#errors[group] + lostIn(before, sum, next) + error
    if (!Number.isFinite(next + lost)) return false
    this.#sums[group] = next
    this.#errors[group] = lost
    this.#counts[group] += count
    return true
  }

  #grow(group: number): void {
    this.#sums = grown(this.#sums, group)
    this.#errors = grown(this.#errors, group)
    this.#counts = grown(this.#counts, group)
    this.#shortest = Math.min(this.#sums.length, this.#errors.length, this.#counts.length)
  }
}

function grown(values: Float64Array<ArrayBuffer>, group: number): Float64Array<ArrayBuffer> {
  if (group < values.length) return values
  const copy = new Float64Array(Math.max(group + 1, values.length * 2))
  copy.set(values)
  return copy
}
