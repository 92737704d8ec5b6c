// InfluxDB line protocol as a push body: the unit of its timestamps, and whether each line or each field of a line is a row.

/** Media type of line protocol bodies, for paths that do not imply it. */
export const lineMediaType = 'text/plain'

/** A longer line is not split by field: it is one row and is rejected as too large. Each rejected row would repeat the head of its line. */
export const splitLineBytesMax = 64 * 1024

/** Ordered by their numbers in the journal. */
export const linePrecisions = ['ns', 'us', 'ms', 's', 'm', 'h'] as const
export type LinePrecision = (typeof linePrecisions)[number]

export const precisionNames: Readonly<Record<LinePrecision, string>> = {
  ns: 'nanoseconds',
  us: 'microseconds',
  ms: 'milliseconds',
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
}

const lineFormatList = [
  'lines-ns',
  'lines-us',
  'lines-ms',
  'lines-s',
  'lines-m',
  'lines-h',
  'fields-ns',
  'fields-us',
  'fields-ms',
  'fields-s',
  'fields-m',
  'fields-h',
] as const

/** With `lines-` each line is a row, with `fields-` each field of a line. The suffix is the unit of the timestamps. */
export type LineFormat = (typeof lineFormatList)[number]

export const lineFormats: readonly LineFormat[] = lineFormatList

export function lineFormatOf(precision: LinePrecision, isByField: boolean): LineFormat {
  return isByField ? `fields-${precision}` : `lines-${precision}`
}

export function isLineFormat(format: string): format is LineFormat {
  return lineFormats.some((known) => known === format)
}

export function isByField(format: LineFormat): boolean {
  return format.startsWith('fields-')
}

export function precisionOf(format: LineFormat): LinePrecision {
  const precision = linePrecisions.find((one) => format.endsWith(`-${one}`))
  if (precision === undefined) throw new Error(`${format} has no precision`)
  return precision
}

const unitsOfMs: Readonly<Record<LinePrecision, bigint>> = { ns: 1_000_000n, us: 1000n, ms: 1n, s: 1n, m: 1n, h: 1n }
const msOfUnit: Readonly<Record<LinePrecision, bigint>> = {
  ns: 1n,
  us: 1n,
  ms: 1n,
  s: 1000n,
  m: 60_000n,
  h: 3_600_000n,
}

/** Milliseconds to a line protocol timestamp, rounded down to the precision. */
export function lineTimeOf(ms: number, precision: LinePrecision): bigint {
  return BigInt(Math.floor(ms / Number(msOfUnit[precision]))) * unitsOfMs[precision]
}

/** A line protocol timestamp to milliseconds, rounded down. */
export function msOfLineTime(time: bigint, precision: LinePrecision): bigint {
  const units = unitsOfMs[precision]
  const ms = time / units
  const whole = time < 0n && ms * units !== time ? ms - 1n : ms
  return whole * msOfUnit[precision]
}
