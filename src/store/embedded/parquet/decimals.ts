// Doubles that are decimals of a few digits, as most sensors give them, are kept as whole numbers: 21.5 with one digit behind the point is
// 215. Neighbours then differ by little, which doubles do not show. Divided again, each is the double that it was, bit for bit.
import type { ArrayMaker } from '../../../lib/spare-buffers.ts'
import { differenceValueMax } from './differences.ts'
import { sliceRows } from './slices.ts'

/** More digits behind the point than this hardly ever pay. */
export const digitsMax = 6
const powers = Array.from({ length: digitsMax + 1 }, (_, digits) => 10 ** digits)

/** How many digits these numbers have behind the point, `least` or more; null when some have more, are too large or are -0. NaN is none of them. */
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
  // Then each of them is exact, also with more digits than it needs: products are wrong by less than a half.
  return most * power <= differenceValueMax ? digits : null
}

/** How many digits a number has behind the point, `least` or more; null when it has more than count. */
export function digitsOfOne(value: number, least: number): number | null {
  for (let digits = least; digits <= digitsMax; digits++) if (roundTo(value, digits) === value) return digits
  return null
}

/** The nearest decimal of so many digits. */
export function roundTo(value: number, digits: number): number {
  const power = powers[digits]
  return Math.round(value * power) / power
}

/** Decimals of so many digits as whole numbers. */
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

/** What the whole numbers of a column are divided by; 1 where they are no decimals. */
export function divisorOf(digits: number | null): number {
  return powers[digits ?? 0]
}
