import { lostIn, lostInProduct } from '../../lib/lost-in-sum.ts'
import type { ItemRollup } from './function-of-time.ts'

/** Powers of two that numbers are kept times, each while they are no larger than `scaledMax`: squares of others are no doubles, or lose digits. */
const largestFactor = 2 ** 600
const smallestFactor = 2 ** -600
const scaledMax = 2 ** 500

/** The deviation of a sample, value by value (Welford) or of several values at once (Chan). */
export class Deviations {
  #factor = largestFactor
  /** The first value: how far others are from it has more digits left than they have. */
  #origin = 0
  /** How far the mean is from that. */
  #mean = 0
  #squares = 0

  /** `count` are the values so far, with this one. */
  add(value: number, count: number): void {
    this.#scaleFor(Math.abs(value))
    const scaled = value * this.#factor
    if (count === 1) this.#origin = scaled
    const fromOrigin = scaled - this.#origin
    const difference = fromOrigin - this.#mean
    this.#mean += difference / count
    this.#squares += difference * (fromOrigin - this.#mean)
  }

  /** `count` are the values so far, with these. */
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

  /** Null where it is beyond all doubles. */
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

/** How far values are from an origin in all, from their sum and what it lost: large parts cancel, so nothing of them may be rounded away. */
function totalFrom(sum: number, lost: number, count: number, origin: number): number {
  const product = count * origin
  const left = sum - product
  return left + (lostIn(sum, -product, left) + lost - lostInProduct(count, origin, product))
}
