import { digitNine, digitZero, dot, lowerE, minus, upperE } from '../../lib/ascii.ts'
import { skipScalar } from './skip.ts'

const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const exactMax = 2 ** 53

/** Whether a number begins with this byte. */
export function beginsNumber(byte: number): boolean {
  return byte === minus || (byte >= digitZero && byte <= digitNine)
}

/**
 * Writes the double nearest to the number at `start` to `values[row]`; an infinity if it is beyond the range. Returns the place after the number.
 * Digits up to 2^53 are an exact integer, and so is the power of ten up to 10^22: a single division then rounds only once, as required
 * (Clinger, "How to Read Floating Point Numbers Accurately").
 */
export function readDouble(bytes: Buffer, start: number, values: Float64Array, row: number): number {
  const negative = bytes[start] === minus
  let at = negative ? start + 1 : start
  let digits = 0
  let byte = bytes[at]!
  while (byte >= digitZero && byte <= digitNine) {
    digits = digits * 10 + (byte - digitZero)
    byte = bytes[++at]!
  }
  let decimals = 0
  if (byte === dot) {
    const point = at
    byte = bytes[++at]!
    while (byte >= digitZero && byte <= digitNine) {
      digits = digits * 10 + (byte - digitZero)
      byte = bytes[++at]!
    }
    decimals = at - point - 1
  }
  if (digits < exactMax && decimals <= 22 && byte !== lowerE && byte !== upperE) {
    const value = digits / powersOfTen[decimals]!
    values[row] = negative ? -value : value
    return at
  }
  const end = skipScalar(bytes, at)
  values[row] = Number(bytes.toString('latin1', start, end))
  return end
}

/**
 * Writes the integer at `start` to `values[row]` if it is written as plain digits below 2^53. Returns the place after it, or -1 for any other
 * form.
 */
export function readPlainWhole(bytes: Buffer, start: number, values: Float64Array, row: number): number {
  const negative = bytes[start] === minus
  let at = negative ? start + 1 : start
  let digits = 0
  let byte = bytes[at]!
  while (byte >= digitZero && byte <= digitNine) {
    digits = digits * 10 + (byte - digitZero)
    byte = bytes[++at]!
  }
  if (digits >= exactMax || byte === dot || byte === lowerE || byte === upperE) return -1
  // 0 - 0 is 0, whereas -0 would be a second zero.
  values[row] = negative ? 0 - digits : digits
  return at
}
