// Exact arithmetic on longs: doubles while they are exact, `bigint` beyond.
import type { NumberColumn } from '../head/chunk.ts'
import { Amounts } from './amounts.ts'

/** Sums of doubles are exact below 2^53, so a sum is moved to the `bigint` total before the next value could pass that. */
const keptMax = 2 ** 52
const addedMax = 2 ** 51

/** The exact long of a row. */
function digitsAt({ values, exact }: NumberColumn, row: number): bigint {
  return exact !== null && Math.abs(values[row]) >= 2 ** 53 ? exact[row] : BigInt(values[row])
}

export class LongSums {
  readonly #kept = new Amounts()
  readonly #counts = new Amounts()
  readonly #putAway = new Map<number, bigint>()

  addRows(group: number, column: NumberColumn, start: number, end: number): void {
    const { values } = column
    let sum = this.#kept.at(group)
    let count = 0
    for (let row = start; row < end; row++) {
      const value = values[row]
      if (Number.isNaN(value)) continue
      count++
      if (value >= addedMax || value <= -addedMax) {
        this.#put(group, digitsAt(column, row))
        continue
      }
      sum += value
      if (sum <= keptMax && sum >= -keptMax) continue
      this.#put(group, BigInt(sum))
      sum = 0
    }
    this.#kept.set(group, sum)
    this.#counts.add(group, count)
  }

  /** Adds the sum of at least one value. */
  addSum(group: number, sum: bigint): void {
    this.#put(group, sum)
    this.#counts.add(group, 1)
  }

  /** Wraps around at 64 bits, as Druid's longs do. Null if there is no value. */
  value(group: number): bigint | null {
    if (this.#counts.at(group) === 0) return null
    return BigInt.asIntN(64, (this.#putAway.get(group) ?? 0n) + BigInt(this.#kept.at(group)))
  }

  #put(group: number, sum: bigint): void {
    this.#putAway.set(group, (this.#putAway.get(group) ?? 0n) + sum)
  }
}

export class LongExtremes {
  readonly #isLeast: boolean
  readonly #values = new Amounts(Number.NaN)
  /** The exact longs of groups whose double is not exact. */
  readonly #digits = new Map<number, bigint>()

  constructor(isLeast: boolean) {
    this.#isLeast = isLeast
  }

  addRows(group: number, column: NumberColumn, start: number, end: number): void {
    const { values } = column
    for (let row = start; row < end; row++) {
      const value = values[row]
      if (Number.isNaN(value)) continue
      this.add(group, value, Math.abs(value) >= 2 ** 53 ? digitsAt(column, row) : null)
    }
  }

  /** `digits` is the exact long, given for values of 2^53 and more. */
  add(group: number, value: number, digits: bigint | null): void {
    const known = this.#values.at(group)
    if (!Number.isNaN(known) && !this.#isBetter(group, value, digits, known)) return
    this.#values.set(group, value)
    if (digits !== null) this.#digits.set(group, digits)
    else this.#digits.delete(group)
  }

  value(group: number): bigint | null {
    const value = this.#values.at(group)
    return Number.isNaN(value) ? null : (this.#digits.get(group) ?? BigInt(value))
  }

  #isBetter(group: number, value: number, digits: bigint | null, known: number): boolean {
    if (value !== known || digits === null) return this.#isLeast ? value < known : value > known
    const knownDigits = this.#digits.get(group) ?? BigInt(known)
    return this.#isLeast ? digits < knownDigits : digits > knownDigits
  }
}
