// Writes numbers as JSON.stringify does, directly into bytes: most values are whole or have few decimals and need no intermediate string.

/** The longest double is `-2.2250738585072014e-308`; this leaves some spare. */
export const numberBytesMax = 32

const zero = 0x30
const minus = 0x2d
const point = 0x2e

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/** Above this, a scaled double may lie between two whole numbers that both map back to it. */
const scaledMax = 2 ** 50

/** The number of values converted with String directly after one with too many decimals. */
const triesSkipped = 7

/** The most decimals tried before falling back to String. */
const decimalsMax = 12

/** Writes a whole number of at most 2^53 at `at`; returns its end. */
export function writeWhole(out: Uint8Array, at: number, value: number): number {
  let rest = value
  let start = at
  if (rest < 0) {
    out[start++] = minus
    rest = -rest
  }
  return writeDigits(out, start, rest, countDigits(rest))
}

function countDigits(value: number): number {
  if (value < 10) return 1
  if (value < 100) return 2
  if (value < 1000) return 3
  if (value < 10_000) return 4
  let digits = 5
  while (digits < 16 && value >= powersOfTen[digits]!) digits += 1
  return digits
}

/** Writes exactly `digits` digits, padded with leading zeros. */
function writeDigits(out: Uint8Array, at: number, value: number, digits: number): number {
  const end = at + digits
  let rest = value
  let index = end - 1
  // Beyond 31 bits doubles must be divided; below, integer division is several times as fast.
  while (rest > 0x7fff_ffff) {
    const tenth = Math.floor(rest / 10)
    out[index--] = zero + (rest - tenth * 10)
    rest = tenth
  }
  let small = rest | 0
  while (index >= at) {
    const tenth = (small / 10) | 0
    out[index--] = zero + (small - tenth * 10)
    small = tenth
  }
  return end
}

/** Writes an ASCII text. */
export function writeAscii(out: Uint8Array, at: number, text: string): number {
  const { length } = text
  for (let index = 0; index < length; index += 1) out[at + index] = text.charCodeAt(index)
  return at + length
}

/** Writes the doubles of one column. It remembers their number of decimals, which rarely changes within a column. */
export class DoubleWriter {
  #decimals = 2
  /** Remaining values for which decimals are not tried, because an earlier one had too many. */
  #skips = 0

  /** Writes a finite value at `at`, which has capacity for `numberBytesMax`; returns its end. */
  write(out: Uint8Array, at: number, value: number): number {
    if (Math.abs(value) < scaledMax) {
      if (Math.floor(value) === value) return writeWhole(out, at, value)
      if (this.#skips > 0) this.#skips -= 1
      else {
        const end = this.#writeDecimals(out, at, value)
        if (end > 0) return end
        this.#skips = triesSkipped
      }
    }
    return writeAscii(out, at, String(value))
  }

  /**
   * If `scaled / 10^k` equals the value for a whole `scaled`, the digits of `scaled` with `k` decimals parse back to the value, because that
   * division rounds as parsing does. For the smallest such `k` there is no shorter text. Returns 0 if no `k` fits.
   */
  #writeDecimals(out: Uint8Array, at: number, value: number): number {
    const size = Math.abs(value)
    // Smaller values are written with an exponent.
    if (size < 1e-6) return 0
    for (let decimals = this.#decimals; decimals <= decimalsMax; decimals += 2) {
      const power = powersOfTen[decimals]!
      const scaled = Math.round(size * power)
      if (scaled > scaledMax) {
        // A large value among smaller ones: start again with few decimals.
        this.#decimals = 2
        return 0
      }
      if (scaled / power === size) {
        this.#decimals = decimals
        return writeDecimal(out, at, value < 0, scaled, decimals)
      }
    }
    return 0
  }
}

/** Writes `scaled / 10^decimals` without trailing zeros. */
function writeDecimal(out: Uint8Array, at: number, negative: boolean, scaled: number, decimals: number): number {
  let digits = scaled
  let places = decimals
  while (digits % 10 === 0) {
    digits /= 10
    places -= 1
  }
  let end = at
  if (negative) out[end++] = minus
  const power = powersOfTen[places]!
  const whole = Math.floor(digits / power)
  end = writeDigits(out, end, whole, countDigits(whole))
  out[end++] = point
  return writeDigits(out, end, digits - whole * power, places)
}
