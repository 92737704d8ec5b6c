// Longs are 64-bit signed integers.
const longMin = -(2n ** 63n)
const longMax = 2n ** 63n - 1n

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Counts trailing zeros. A loop, because a regular expression anchored at the end is quadratic on long runs of zeros. */
function trailingZeros(digits: string): number {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.length - end
}

/** Parses a JSON number as a long, exactly; returns the reason if it is not one. */
export function parseLong(text: string): bigint | 'not_whole' | 'out_of_range' {
  const [, sign, whole = '', fraction = '', exponent = '0'] = numberForm.exec(text) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  if (all === '') return 0n
  const ending = trailingZeros(all)
  const digits = all.slice(0, all.length - ending)
  const zeros = Number(exponent) - fraction.length + ending
  if (zeros < 0) return 'not_whole'
  // A long has at most 19 digits.
  if (digits.length + zeros > 19) return 'out_of_range'
  const value = BigInt(`${sign}${digits}${'0'.repeat(zeros)}`)
  return value < longMin || value > longMax ? 'out_of_range' : value
}

/** Parses digits with an optional minus sign as a long; null for any other text, or out of range. */
export function plainLong(text: string): bigint | null {
  const long = /^-?\d+$/.test(text) ? parseLong(text) : null
  return typeof long === 'bigint' ? long : null
}
