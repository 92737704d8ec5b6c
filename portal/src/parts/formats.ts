// Formats of numbers and times. Numbers follow the browser's language.

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 })
const scientific = (digits: number) =>
  new Intl.NumberFormat(undefined, { notation: 'scientific', maximumFractionDigits: digits })
const shortScientific = scientific(5)

/** The decimal separator of the browser's language; a point if that is neither a point nor a comma. */
export const decimalMark: '.' | ',' =
  new Intl.NumberFormat().formatToParts(0.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.'

export const countText = (count: number): string => whole.format(count)

/** So large or so small that its zeros are hard to count. */
const isFar = (size: number): boolean => size >= 1e9 || size < 1e-4

/** At most six significant digits, for readings. */
export const valueText = (value: number): string =>
  (value !== 0 && isFar(Math.abs(value)) ? shortScientific : short).format(value)

/** The tick labels of an axis, `step` apart, with enough digits to distinguish them. */
export function markTexts(marks: readonly number[], step: number): string[] {
  const largest = Math.max(0, ...marks.map(Math.abs))
  if (largest !== 0 && isFar(largest)) {
    const { format } = scientific(Math.min(15, Math.max(0, Math.ceil(Math.log10(largest / step)))))
    return marks.map((mark) => (mark === 0 ? '0' : format(mark)))
  }
  // One more decimal, because a step may be 2.5 of a unit.
  const decimals = Math.min(15, Math.max(0, 1 - Math.floor(Math.log10(step))))
  const { format } = new Intl.NumberFormat(undefined, { maximumFractionDigits: decimals })
  return marks.map(format)
}

export function rateText(perSecond: number): string {
  if (perSecond === 0 || perSecond >= 100) return whole.format(perSecond)
  return tenths.format(perSecond)
}

const steps = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function bytesText(bytes: number): string {
  let step = 0
  let size = bytes
  while (size >= 1024 && step < steps.length - 1) {
    size /= 1024
    step += 1
  }
  return `${step === 0 || size >= 100 ? Math.round(size) : tenths.format(size)} ${steps[step]}`
}

/** `2026-01-01T08:00:00.000Z` becomes `2026-01-01 08:00:00`; fractions are kept unless zero. */
export const timeText = (iso: string): string => iso.replace('T', ' ').replace(/(\.000)?Z$/, '')

export const plural = (count: number, one: string, more = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : more}`

/** A duration in seconds, with one decimal. */
export const secondsText = (seconds: number): string => `${tenths.format(seconds)} s`

/** A duration in its two largest units: `5 h 12 min`. */
export function durationText(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const
  const first = units.findIndex(([, size]) => Math.round(seconds) >= size)
  if (first === -1) return `${short.format(seconds)} s`
  const [[unit, size], next] = [units[first]!, units[first + 1]]
  if (next === undefined) return `${short.format(seconds)} s`
  const rounded = Math.round(seconds / next[1])
  const [whole, rest] = [Math.floor((rounded * next[1]) / size), rounded % (size / next[1])]
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next[0]}`
}
