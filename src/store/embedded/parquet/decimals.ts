// Doubles that are decimals of a few digits, as most sensors send them, are stored as whole numbers: 21.5 with one digit after the point
// becomes 215. Neighbours then differ by small whole numbers, while the bits of doubles differ widely. Division restores each double bit for bit.
import type { ArrayMaker } from '../../../lib/spare-buffers.ts'
import { differenceValueMax } from './differences.ts'
import { sliceRows } from './slices.ts'

/** More digits after the decimal point than this hardly ever save space. */
export const digitsMax = 6
const powers = Array.from({ length: digitsMax + 1 }, (_, digits) => 10 ** digits)

/** Digits after the decimal point of these numbers, at least `least`; null when some have too many, are too large or are -0. NaN is ignored. */
export function* digitsOf(values: Float64Array, least: number): Generator<void, number | null> {
  let digits = least
  let power = powers[digits]
  let most = 0
  for (let start = 0; start < values.length; start += sliceRows) {
    const end = Math.min(values.length, start + sliceRows)
    for (let row = start; row < end; row++) {
      const value = values[row]
      if (Number.isNaN(value)) continue
      if (Math.round(value * power) / power !== value) {
        const more = digitsOfOne(value, digits + 1)
        if (more === null) return null
        digits = more
        power = powers[digits]
      }
      if (Object.is(value, -0)) return null
      const size = Math.abs(value)
      if (size > most) most = size
    }
    yield
  }
  // Within this bound each number is exact, even with more digits than it needs: the products are off by less than one half.
  return most * power <= differenceValueMax ? digits : null
}

/** Digits after the decimal point of a number, at least `least`; null when it has more than `digitsMax`. */
export function digitsOfOne(value: number, least: number): number | null {
  for (let digits = least; digits <= digitsMax; digits++) if (roundTo(value, digits) === value) return digits
  return null
}

/** The nearest decimal with this number of digits. */
export function roundTo(value: number, digits: number): number {
  const power = powers[digits]
  return Math.round(value * power) / power
}

/** Converts decimals with this number of digits to whole numbers. */
export function* toWholeNumbers(
  values: Float64Array,
  digits: number,
  arrays: Pick<ArrayMaker, 'float64'>,
): Generator<void, Float64Array> {
  const power = powers[digits]
  const whole = arrays.float64(values.length)
  for (let start = 0; start < values.length; start += sliceRows) {
    const end = Math.min(values.length, start + sliceRows)
    for (let row = start; row < end; row++) whole[row] = Math.round(values[row] * power)
    yield
  }
  return whole
}

/** The divisor of a column's whole numbers; 1 when its values are not decimals. */
export function divisorOf(digits: number | null): number {
  return powers[digits ?? 0]
}
