// Sums that keep what each addition loses (Knuth's two-sum), so that a mean over millions of values is right to the last digits.

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
    const added = next - sum
    error += sum - (next - added) + (value - added)
    sum = next
    count++
  }
  into.sum = sum
  into.error = error
  into.count = count
}

/** The sums of many groups of one metric. */
export class GroupSums {
  // They grow at different times: each is megabytes that are moved.
  #sums = new Float64Array(22)
  #errors = new Float64Array(25)
  #counts = new Float64Array(28)
  #shortest = 22
  readonly #scaled = new Set<number>()
  readonly #rescaled: Sum = { sum: 0, error: 0, count: 0 }

  /** Adds what `part` says of rows [start, end) of `values`; they are read again when the sum overflows. */
  add(group: number, part: Sum, values: Float64Array, start: number, end: number): void {
    if (group >= this.#shortest) this.#grow(group)
    if (this.#scaled.size > 0 && this.#scaled.has(group)) {
      this.#addScaled(group, values, start, end)
      return
    }
    const before = this.#sums[group]
    const next = before + part.sum
    const added = next - before
    const error = this.#errors[group] + (before - (next - added) + (part.sum - added)) + part.error
    if (Number.isFinite(next + error)) {
      this.#sums[group] = next
      this.#errors[group] = error
      this.#counts[group] += part.count
      return
    }
    this.#beginScaling(group)
    this.#addScaled(group, values, start, end)
  }

  /** Adds a sum of which the values are not at hand. */
  addSum(group: number, sum: number, error: number, count: number): void {
    if (group >= this.#shortest) this.#grow(group)
    let factor = this.#scaled.has(group) ? scale : 1
    if (factor === 1 && !Number.isFinite(this.#sums[group] + sum + (this.#errors[group] + error))) {
      this.#beginScaling(group)
      factor = scale
    }
    const before = this.#sums[group]
    const next = before + sum * factor
    const added = next - before
    this.#errors[group] += before - (next - added) + (sum * factor - added) + error * factor
    this.#sums[group] = next
    this.#counts[group] += count
  }

  /** `NaN` where a group has no value; an infinity where the sum is beyond all doubles. */
  sum(group: number): number {
    const count = group < this.#shortest ? this.#counts[group] : 0
    if (count === 0) return Number.NaN
    const sum = this.#sums[group] + this.#errors[group]
    return this.#scaled.has(group) ? sum / scale : sum
  }

  /** `NaN` where a group has no value. */
  mean(group: number): number {
    const count = group < this.#shortest ? this.#counts[group] : 0
    if (count === 0) return Number.NaN
    const mean = (this.#sums[group] + this.#errors[group]) / count
    if (!this.#scaled.has(group)) return mean
    // Rounding may lead a hair beyond the largest double.
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, mean / scale))
  }

  #beginScaling(group: number): void {
    this.#sums[group] *= scale
    this.#errors[group] *= scale
    this.#scaled.add(group)
  }

  #addScaled(group: number, values: Float64Array, start: number, end: number): void {
    const part = this.#rescaled
    sumRows(values, start, end, scale, part)
    const before = this.#sums[group]
    const next = before + part.sum
    const added = next - before
    this.#errors[group] += before - (next - added) + (part.sum - added) + part.error
    this.#sums[group] = next
    this.#counts[group] += part.count
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
