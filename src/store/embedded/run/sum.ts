// Sums that track the rounding error of each addition (Knuth's two-sum), so that a mean over millions of values is correct to the last digits.

import { lostIn } from '../../../lib/lost-in-sum.ts'

/** Sums that would overflow are scaled by 2^-64. This is exact except for numbers that are negligible in such sums. */
const scale = 2 ** -64

/** The sum, rounding error and count of some values. Results are written into it, to avoid an object for each bucket. */
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
    // The same as `lostIn`. V8 does not inline it here, and the call would cost a third of the loop.
    const added = next - sum
    error += sum - (next - added) + (value - added)
    sum = next
    count++
  }
  into.sum = sum
  into.error = error
  into.count = count
}

/** The sums, rounding errors, counts and bounds of the values of many slots. */
export interface SummedSlots {
  readonly sums: Float64Array
  readonly errors: Float64Array
  readonly counts: Float64Array | Int32Array
  /** NaN where there is no value. */
  readonly least: Float64Array
  readonly greatest: Float64Array
}

/** Continues the sum of a slot, so that the result does not depend on how its rows are split. */
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
  // The initial capacity is a week of hours. The arrays grow at different times, since growing one moves megabytes.
  #sums = new Float64Array(215)
  #errors = new Float64Array(230)
  #counts = new Float64Array(245)
  #shortest = 215
  readonly #scaled = new Set<number>()
  readonly #rescaled: Sum = { sum: 0, error: 0, count: 0 }

  /** Adds `part`, the sum of rows [start, end) of `values`. The rows are read again if the sum overflows. */
  add(group: number, part: Sum, values: Float64Array, start: number, end: number): void {
    if (!this.#isScaled(group) && this.#put(group, part.sum, part.error, part.count)) return
    this.#beginScaling(group)
    const rescaled = this.#rescaled
    sumRows(values, start, end, scale, rescaled)
    this.#put(group, rescaled.sum, rescaled.error, rescaled.count)
  }

  /** Adds a sum whose values are not available. */
  addSum(group: number, sum: number, error: number, count: number): void {
    if (!this.#isScaled(group) && this.#put(group, sum, error, count)) return
    this.#beginScaling(group)
    this.#put(group, sum * scale, error * scale, count)
  }

  /** `NaN` if a group has no value; infinite if the sum is beyond the largest double. */
  sum(group: number): number {
    const count = group < this.#shortest ? this.#counts[group] : 0
    if (count === 0) return Number.NaN
    const sum = this.#sums[group] + this.#errors[group]
    return this.#isScaled(group) ? sum / scale : sum
  }

  /** `NaN` if a group has no value. */
  mean(group: number): number {
    const count = group < this.#shortest ? this.#counts[group] : 0
    if (count === 0) return Number.NaN
    const mean = (this.#sums[group] + this.#errors[group]) / count
    if (!this.#isScaled(group)) return mean
    // Rounding may slightly exceed the largest double.
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

  /** Returns false, and adds nothing, if the sum would overflow. */
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
