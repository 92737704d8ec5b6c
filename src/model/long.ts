// Longs are whole numbers of 64 bits.
const longMin = -(2n ** 63n)
const longMax = 2n ** 63n - 1n

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

/** The long that digits spell, with a minus before them or none; null where they spell none. */
export function plainLong(text: string): bigint | null {
  const long = /^-?\d+$/.test(text) ? parseLong(text) : null
  return typeof long === 'bigint' ? long : null
}
