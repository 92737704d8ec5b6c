// Buckets of time, aligned as Apache Druid aligns them in UTC (PeriodGranularity): one unit alone by the calendar (weeks from Monday),
// several units in whole multiples since 1970-01-01, compound periods by walking from 1970-01-01.
import { addDuration, type Duration, parseDuration } from './duration.ts'
import { civilFromDays, daysFromCivil, msPerDay } from './instant.ts'

export type Granularity =
  | { readonly kind: 'all' }
  /** Buckets of one width: they start at `originMs` plus whole widths. */
  | { readonly kind: 'uniform'; readonly widthMs: number; readonly originMs: number }
  /** Buckets of whole months since 1970-01. */
  | { readonly kind: 'months'; readonly months: number }
  /** Months together with days or time, walked from 1970-01-01T00:00Z. */
  | { readonly kind: 'compound'; readonly duration: Duration }

const uniform = (widthMs: number): Granularity => ({ kind: 'uniform', widthMs, originMs: 0 })
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

const oneWeek = /^P0*1W$/

/** A simple name in any case, or an ISO 8601 period longer than nothing; null when the text is neither. */
export function parseGranularity(text: string): Granularity | null {
  const name = text.toLowerCase()
  if (Object.hasOwn(granularityNames, name)) return granularityNames[name as keyof typeof granularityNames]
  const duration = parseDuration(text)
  if (duration === null) return null
  if (oneWeek.test(text)) return granularityNames.week
  const { months, days, ms } = duration
  const widthMs = days * msPerDay + ms
  if (months === 0) return widthMs > 0 && Number.isSafeInteger(widthMs) ? uniform(widthMs) : null
  return widthMs === 0 ? { kind: 'months', months } : { kind: 'compound', duration }
}

function monthsSince1970(ms: number): number {
  const { year, month } = civilFromDays(Math.floor(ms / msPerDay))
  return (year - 1970) * 12 + month - 1
}

function startOfMonth(monthsSince: number): number {
  const year = 1970 + Math.floor(monthsSince / 12)
  return daysFromCivil(year, monthsSince - Math.floor(monthsSince / 12) * 12 + 1, 1) * msPerDay
}

function compoundStart(duration: Duration, ms: number): number {
  let start = 0
  if (ms < 0) {
    while (start > ms) start = addDuration(start, duration, -1)
    return start
  }
  for (let next = addDuration(start, duration, 1); next <= ms; next = addDuration(start, duration, 1)) start = next
  return start
}

/** The start of the bucket that holds `ms`. Not for `all`, whose one bucket is stamped by the range. */
export function bucketStart(granularity: Exclude<Granularity, { kind: 'all' }>, ms: number): number {
  switch (granularity.kind) {
    case 'uniform':
      return Math.floor((ms - granularity.originMs) / granularity.widthMs) * granularity.widthMs + granularity.originMs
    case 'months':
      return startOfMonth(Math.floor(monthsSince1970(ms) / granularity.months) * granularity.months)
    case 'compound':
      return compoundStart(granularity.duration, ms)
  }
}

/** The start of the bucket after the one that starts at `startMs`. */
export function nextBucketStart(granularity: Exclude<Granularity, { kind: 'all' }>, startMs: number): number {
  switch (granularity.kind) {
    case 'uniform':
      return startMs + granularity.widthMs
    case 'months':
      return startOfMonth(monthsSince1970(startMs) + granularity.months)
    case 'compound': {
      // Walking back from 1970 clamps days, so a step forwards need not undo a step backwards: ask for the bucket that follows.
      const { duration } = granularity
      if (startMs >= 0) return addDuration(startMs, duration, 1)
      let after = 0
      for (let before = addDuration(after, duration, -1); before > startMs; before = addDuration(after, duration, -1))
        after = before
      return after
    }
  }
}
