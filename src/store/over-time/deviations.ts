import { lostIn, lostInProduct } from '../../lib/lost-in-sum.ts'
import type { ItemRollup } from './function-of-time.ts'

/** Powers of two to scale values by, so that they stay at most `scaledMax`: otherwise squares would overflow or lose digits. */
const largestFactor = 2 ** 600
const smallestFactor = 2 ** -600
const scaledMax = 2 ** 500

/** The standard deviation of a sample: Welford's method for single values, Chan's for several values at once. */
export class Deviations {
  #factor = largestFactor
  /** The first value. Distances from it keep more digits than the values themselves. */
  #origin = 0
  /** The distance of the mean from the origin. */
  #mean = 0
  #squares = 0

  /** `count` is the number of values so far, including this one. */
  add(value: number, count: number): void {
    this.#scaleFor(Math.abs(value))
    const scaled = value * this.#factor
    if (count === 1) this.#origin = scaled
    const fromOrigin = scaled - this.#origin
    const difference = fromOrigin - this.#mean
    this.#mean += difference / count
    this.#squares += difference * (fromOrigin - this.#mean)
  }

  /** `count` is the number of values so far, including these. */
  addRollup(rollup: Pick<ItemRollup, 'count' | 'first' | 'sum' | 'lost' | 'squares'>, count: number): void {
    const { count: added, first, squares } = rollup
    this.#scaleFor(Math.max(Math.abs(first.value), Math.abs(rollup.sum) / added, Math.sqrt(squares)))
    const factor = this.#factor
    const [scaledFirst, sum, lost] = [first.value * factor, rollup.sum * factor, rollup.lost * factor]
    if (count === added) this.#origin = scaledFirst
    const fromFirst = totalFrom(sum, lost, added, scaledFirst)
    const squaresOfThese = Math.max(0, squares * factor * factor - (fromFirst * fromFirst) / added)
    const before = count - added
    const difference = totalFrom(sum, lost, added, this.#origin) / added - this.#mean
    this.#mean += (difference / count) * added
    this.#squares += squaresOfThese + difference * difference * ((before / count) * added)
  }

  /** Null if it is beyond the largest double. */
  ofSample(count: number): number | null {
    const deviation = Math.sqrt(this.#squares / (count - 1)) / this.#factor
    return Number.isFinite(deviation) ? deviation : null
  }

  clear(): void {
    this.#factor = largestFactor
    this.#origin = 0
    this.#mean = 0
    this.#squares = 0
  }

  #scaleFor(size: number): void {
    while (size * this.#factor > scaledMax && this.#factor > smallestFactor) this.#scaleDown()
  }

  #scaleDown(): void {
    this.#factor *= smallestFactor
    this.#origin *= smallestFactor
    this.#mean *= smallestFactor
    this.#squares *= smallestFactor
    this.#squares *= smallestFactor
  }
}

/** The total distance of values from an origin, from their sum and its rounding error. Large parts cancel, so they must not be rounded. */
function totalFrom(sum: number, lost: number, count: number, origin: number): number {
  const product = count * origin
  const left = sum - product
  return left + (lostIn(sum, -product, left) + lost - lostInProduct(count, origin, product))
}
