// Numbers as JSON.stringify writes them, straight into bytes: most values are whole or have few decimals, and those need no text.

/** The most bytes a double takes: `-2.2250738585072014e-308`, and some spare. */
export const numberBytesMax = 32

const zero = 0x30
const minus = 0x2d
const point = 0x2e

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/** Above this, a double scaled by a power of ten may lie between two whole numbers that are both it. */
const scaledMax = 2 ** 50

/** After a value that had too many decimals, so many go straight to their text. */
const triesSkipped = 7

/** Decimals tried before a value's own text is asked for. */
const decimalsMax = 12

/** Writes a whole number of at most 2^53 at `at`; returns where it ends. */
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

/** Exactly `digits` digits, with zeros in front. */
function writeDigits(out: Uint8Array, at: number, value: number, digits: number): number {
  const end = at + digits
  let rest = value
  let index = end - 1
  // Beyond 31 bits the division of doubles is needed; below, that of integers is several times as fast.
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

/** Writes the characters of a text of ASCII. */
export function writeAscii(out: Uint8Array, at: number, text: string): number {
  const { length } = text
  for (let index = 0; index < length; index += 1) out[at + index] = text.charCodeAt(index)
  return at + length
}

/** Writes doubles of one column: remembers how many decimals they have, which is mostly the same for all. */
export class DoubleWriter {
  #decimals = 2
  /** Values to come that are not worth a try, as the ones before them had too many decimals. */
  #skips = 0

  /** Writes a finite value at `at`, with room for `numberBytesMax`; returns where it ends. */
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
   * When `scaled / 10^k` is the value, for a whole `scaled`, then the digits of `scaled` with `k` decimals are read back as the value,
   * since that division is rounded as reading is; and for the smallest such `k` no shorter text is. Returns 0 where it is not so.
   */
  #writeDecimals(out: Uint8Array, at: number, value: number): number {
    const size = Math.abs(value)
    // Below this, texts have an exponent.
    if (size < 1e-6) return 0
    for (let decimals = this.#decimals; decimals <= decimalsMax; decimals += 2) {
      const power = powersOfTen[decimals]!
      const scaled = Math.round(size * power)
      if (scaled > scaledMax) {
        // A larger value among smaller ones: the next one begins with fewer decimals again.
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

/** `scaled / 10^decimals`, without zeros at its end. */
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
