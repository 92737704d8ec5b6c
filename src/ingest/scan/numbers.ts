import { digitNine, digitZero, dot, lowerE, minus, upperE } from './ascii.ts'
import { skipScalar } from './skip.ts'

const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const exactMax = 2 ** 53
const longMin = -(2n ** 63n)
const longMax = 2n ** 63n - 1n

/** Whether a number begins with this byte. */
export function beginsNumber(byte: number): boolean {
  return byte === minus || (byte >= digitZero && byte <= digitNine)
}

/**
 * Writes the double nearest to the number at `start` to `values[row]`; an infinity where it is beyond the range. The answer is the
 * place after the number. Up to 2^53 the digits are an exact integer, and so is the power of ten up to 10^22: one division then rounds
 * just once, as it should (Clinger, "How to Read Floating Point Numbers Accurately").
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
 * Writes the whole number at `start` to `values[row]` when it is spelt as plain digits below 2^53. The answer is the place after it, or
 * -1 for any other spelling.
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
  // 0 - 0 is 0 where -0 would be a second zero.
  values[row] = negative ? 0 - digits : digits
  return at
}

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** How many zeros the digits end in. A loop, since an expression that looks for them at the end takes quadratic time on long runs of zeros. */
function trailingZeros(digits: string): number {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.length - end
}

/** The long that a JSON number spells, digit for digit; else why it is none. */
export function parseLong(text: string): bigint | 'not_whole' | 'out_of_range' {
  const [, sign, whole = '', fraction = '', exponent = '0'] = numberForm.exec(text) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  if (all === '') return 0n
  const ending = trailingZeros(all)
  const digits = all.slice(0, all.length - ending)
  const zeros = Number(exponent) - fraction.length + ending
  if (zeros < 0) return 'not_whole'
  // A long has 19 digits at most.
  if (digits.length + zeros > 19) return 'out_of_range'
  const value = BigInt(`${sign}${digits}${'0'.repeat(zeros)}`)
  return value < longMin || value > longMax ? 'out_of_range' : value
}
