// Time buckets, aligned as in Apache Druid's PeriodGranularity in UTC: a single unit follows the calendar (weeks start on Monday), multiples
// of a unit are counted from 1970-01-01, and compound periods are walked from 1970-01-01.
import { addMonths, type Duration, fixedMs, parseDuration } from './duration.ts'
import { civilFromDays, daysFromCivil, msPerDay } from './instant.ts'

export type Granularity =
  | { readonly kind: 'all' }
  /** Buckets of equal width, starting at `originMs` plus multiples of the width. */
  | { readonly kind: 'uniform'; readonly widthMs: number; readonly originMs: number }
  /** Buckets of whole months, counted from 1970-01. */
  | { readonly kind: 'months'; readonly months: number }
  /** Months combined with days or time, walked from 1970-01-01T00:00Z. */
  | { readonly kind: 'compound'; readonly duration: Duration }

/** Buckets in the local time of a zone. `src/druid-time` defines them and turns them into `TimeBuckets` when a plan runs. */
export interface ZonedGranularity {
  readonly kind: 'zoned'
  readonly zone: string
  readonly buckets:
    | { readonly kind: 'localTime'; readonly widthMs: number }
    | { readonly kind: 'days'; readonly days: number; readonly originLocalMs: number }
    | { readonly kind: 'months'; readonly months: number; readonly originLocalMs: number }
    /** Months or days combined with other units, walked from the origin. */
    | { readonly kind: 'walk'; readonly duration: Duration; readonly originMs: number }
}

/** A granularity with bucket starts of its own; the single bucket of `all` starts with the query's range. */
export type BucketGranularity = Exclude<Granularity, { kind: 'all' }>

const uniform = (widthMs: number) => ({ kind: 'uniform', widthMs, originMs: 0 }) as const
const minuteMs = 60_000
const hourMs = 3_600_000
/** 1970-01-05, the first Monday. */
const mondayMs = 4 * msPerDay

export const granularityNames = {
  all: { kind: 'all' },
  none: uniform(1),
  second: uniform(1000),
  minute: uniform(minuteMs),
  five_minute: uniform(5 * minuteMs),
  ten_minute: uniform(10 * minuteMs),
  fifteen_minute: uniform(15 * minuteMs),
  thirty_minute: uniform(30 * minuteMs),
  hour: uniform(hourMs),
  six_hour: uniform(6 * hourMs),
  eight_hour: uniform(8 * hourMs),
  day: uniform(msPerDay),
  week: { kind: 'uniform', widthMs: 7 * msPerDay, originMs: mondayMs },
  month: { kind: 'months', months: 1 },
  quarter: { kind: 'months', months: 3 },
  year: { kind: 'months', months: 12 },
} as const satisfies Record<string, Granularity>

/** The ISO 8601 period of each named granularity, used to build its buckets in a time zone. */
const periodOfName: ReadonlyMap<string, string> = new Map([
  ['second', 'PT1S'],
  ['minute', 'PT1M'],
  ['five_minute', 'PT5M'],
  ['ten_minute', 'PT10M'],
  ['fifteen_minute', 'PT15M'],
  ['thirty_minute', 'PT30M'],
  ['hour', 'PT1H'],
  ['six_hour', 'PT6H'],
  ['eight_hour', 'PT8H'],
  ['day', 'P1D'],
  ['week', 'P1W'],
  ['month', 'P1M'],
  ['quarter', 'P3M'],
  ['year', 'P1Y'],
])

/** The ISO 8601 period of a granularity that is a name or an interval (`5m`); other texts are returned unchanged. */
export const granularityPeriod = (text: string): string =>
  periodOfName.get(text.toLowerCase()) ?? periodOfInterval(text) ?? text

/** Buckets of a longer period would start before the earliest date that can be written. */
const periodYearsMax = 9999

/**
 * Parses a simple name in any case, an ISO 8601 period, or a number with a unit (`5m`, the interval notation of dashboards). Periods must be longer
 * than zero and at most 9,999 years. Returns null for any other text.
 */
export function parseGranularity(text: string): Granularity | null {
  const name = text.toLowerCase()
  if (Object.hasOwn(granularityNames, name)) return granularityNames[name as keyof typeof granularityNames]
  const duration = parseDuration(granularityPeriod(text))
  return duration === null ? null : periodGranularity(duration)
}

/** Describes the forms that `parseGranularity` accepts, for error messages; `without` omits a name that is not valid in that context. */
export function granularityForms(without?: keyof typeof granularityNames): string {
  const names = Object.keys(granularityNames).filter((name) => name !== without)
  return `${names.join(', ')} (in any case), or a period longer than zero and at most 9,999 years, in ISO 8601 such as PT5M, P1D or P1M, or as 500ms, 30s, 5m, 1h, 1d or 1w`
}

/** Converts a number with a unit to an ISO 8601 period. Units are lowercase only, because `M` could mean a month. */
const intervalUnits = new Map<string, (count: number) => string>([
  ['ms', (count) => `PT${count / 1000}S`],
  ['s', (count) => `PT${count}S`],
  ['m', (count) => `PT${count}M`],
  ['h', (count) => `PT${count}H`],
  ['d', (count) => `P${count}D`],
  ['w', (count) => `P${count}W`],
])

function periodOfInterval(text: string): string | undefined {
  const [, count = '', unit = ''] = /^(\d{1,12})([a-z]+)$/.exec(text) ?? []
  return intervalUnits.get(unit)?.(Number(count))
}

function periodGranularity(duration: Duration): Granularity | null {
  const months = duration.years * 12 + duration.months
  const widthMs = fixedMs(duration)
  if (months / 12 + widthMs / (365.2425 * msPerDay) > periodYearsMax) return null
  if (months > 0) return widthMs === 0 ? { kind: 'months', months } : { kind: 'compound', duration }
  const isOneWeek = duration.weeks === 1 && widthMs === 7 * msPerDay
  if (isOneWeek) return granularityNames.week
  return widthMs === 0 ? null : uniform(widthMs)
}

function monthsSince1970(ms: number): number {
  const { year, month } = civilFromDays(Math.floor(ms / msPerDay))
  return (year - 1970) * 12 + month - 1
}

function startOfMonth(monthsSince: number): number {
  const year = 1970 + Math.floor(monthsSince / 12)
  return daysFromCivil(year, monthsSince - Math.floor(monthsSince / 12) * 12 + 1, 1) * msPerDay
}

/** One step of a compound walk: years, then months, each clamped to the end of the month, then the fixed part. */
function step(ms: number, duration: Duration, sign: 1 | -1): number {
  const afterYears = addMonths(ms, sign * duration.years * 12)
  return addMonths(afterYears, sign * duration.months) + sign * fixedMs(duration)
}

/** Caches the starts of compound buckets, computed on demand. Days are clamped along the way, so starts can only be found by walking from the origin. */
export class WalkedStarts {
  readonly #step: (ms: number, sign: 1 | -1) => number
  readonly #forwards: number[]
  readonly #backwards: number[]

  constructor(originMs: number, step: (ms: number, sign: 1 | -1) => number) {
    this.#step = step
    this.#forwards = [originMs]
    this.#backwards = [originMs]
  }

  /** The start of the bucket that contains `ms`, and the start of the next bucket. */
  bucket(ms: number): { start: number; next: number } {
    if (!Number.isFinite(ms)) throw new Error(`no bucket holds the instant ${ms}`)
    if (ms >= this.#forwards[0]!) {
      const starts = this.#forwards
      while (starts.at(-1)! <= ms) starts.push(this.#step(starts.at(-1)!, 1))
      const after = firstIndex(starts.length, (index) => starts[index]! > ms)
      return { start: starts[after - 1]!, next: starts[after]! }
    }
    const starts = this.#backwards
    while (starts.at(-1)! > ms) starts.push(this.#step(starts.at(-1)!, -1))
    const at = firstIndex(starts.length, (index) => starts[index]! <= ms)
    return { start: starts[at]!, next: starts[at - 1]! }
  }
}

/** Binary search: the first index below `length` for which `holds` is true; `holds` must be monotonic. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Caches walks, because a query uses the same granularity many times. An entry lives as long as its granularity. */
const walks = new WeakMap<Duration, WalkedStarts>()

function walkOf(duration: Duration): WalkedStarts {
  let walk = walks.get(duration)
  if (walk === undefined) {
    walk = new WalkedStarts(0, (ms, sign) => step(ms, duration, sign))
    walks.set(duration, walk)
  }
  return walk
}

/** The start of the bucket that contains `ms`. */
export function bucketStart(granularity: BucketGranularity, ms: number): number {
  switch (granularity.kind) {
    case 'uniform':
      return Math.floor((ms - granularity.originMs) / granularity.widthMs) * granularity.widthMs + granularity.originMs
    case 'months':
      return startOfMonth(Math.floor(monthsSince1970(ms) / granularity.months) * granularity.months)
    case 'compound':
      return walkOf(granularity.duration).bucket(ms).start
  }
}

/** The start of the bucket after the one that starts at `startMs`. */
export function nextBucketStart(granularity: BucketGranularity, startMs: number): number {
  switch (granularity.kind) {
    case 'uniform':
      return startMs + granularity.widthMs
    case 'months':
      return startOfMonth(monthsSince1970(startMs) + granularity.months)
    case 'compound':
      return walkOf(granularity.duration).bucket(startMs).next
  }
}
