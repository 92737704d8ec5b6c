// Periods, units and zones of Druid's time functions as DuckDB SQL. Buckets are those of Druid's granularities.
import { type Duration, fixedMs, parseDuration } from '../../model/duration.ts'
import { type Place, quoted, sqlProblem } from './sql-problem.ts'
import { literal, plainInteger, type SqlText, sql } from './sql-text.ts'
import type { TimeUnit } from './syntax.ts'

/** A zone of the calendar, or a fixed offset. */
export type Zone = { readonly name: string } | { readonly offsetMs: number } | null

/** Zones that were asked for, by the way they were written: to find one takes longer than all else in a query. */
const zones = new Map<string, string>()
const zonesMax = 1000

/** Null is UTC. Throws a Problem where there is no such zone. */
export function readZone(text: string, place: Place): Zone {
  if (text === 'UTC' || text === 'Z' || text === 'Etc/UTC' || text === 'GMT') return null
  const offset = /^([+-])(\d\d):?(\d\d)$/.exec(text)
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3])
    return { offsetMs: (offset[1] === '-' ? -1 : 1) * minutes * 60_000 }
  }
  const known = zones.get(text)
  if (known !== undefined) return { name: known }
  try {
    const name = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
    if (zones.size < zonesMax) zones.set(text, name)
    return { name }
  } catch {
    throw sqlProblem(place, `${quoted(text)} is no time zone: write one as 'Europe/Madrid' or '+02:00'`)
  }
}

const milliseconds = (ms: number): SqlText => sql`to_milliseconds(${plainInteger(ms)})`

/** An instant as the clocks of the zone show it. */
export function toLocal(at: SqlText, zone: Zone): SqlText {
  if (zone === null) return at
  if ('offsetMs' in zone) return sql`(${at} + ${milliseconds(zone.offsetMs)})`
  return sql`timezone(${literal(zone.name)}, timezone('UTC', ${at}))`
}

/** The inverse of `toLocal`. */
export function toUtc(local: SqlText, zone: Zone): SqlText {
  if (zone === null) return local
  if ('offsetMs' in zone) return sql`(${local} - ${milliseconds(zone.offsetMs)})`
  return sql`timezone('UTC', timezone(${literal(zone.name)}, ${local}))`
}

/** An ISO period such as `PT5M`, longer than nothing. */
export function readPeriod(text: string, place: Place): Duration {
  const period = parseDuration(text)
  if (period === null || (period.years === 0 && period.months === 0 && fixedMs(period) === 0)) {
    throw sqlProblem(place, `${quoted(text)} is no period: write one as 'PT5M', 'P1D' or 'P1M'`)
  }
  return period
}

const unitPeriods: Readonly<Record<TimeUnit, Partial<Duration>>> = {
  MILLISECOND: { ms: 1 },
  SECOND: { ms: 1000 },
  MINUTE: { ms: 60_000 },
  HOUR: { ms: 3_600_000 },
  DAY: { days: 1 },
  WEEK: { weeks: 1 },
  MONTH: { months: 1 },
  QUARTER: { months: 3 },
  YEAR: { years: 1 },
}

export function unitPeriod(unit: TimeUnit): Duration {
  return { years: 0, months: 0, weeks: 0, days: 0, ms: 0, ...unitPeriods[unit] }
}

/** The period as an interval, `count` times. */
export function intervalOf(period: Duration, count?: SqlText): SqlText {
  const months = period.years * 12 + period.months
  const days = period.weeks * 7 + period.days
  const times = count === undefined ? sql`` : sql` * ${count}`
  const parts = [
    ...(months === 0 ? [] : [sql`to_months(CAST(${plainInteger(months)}${times} AS INTEGER))`]),
    ...(days === 0 ? [] : [sql`to_days(CAST(${plainInteger(days)}${times} AS INTEGER))`]),
    ...(period.ms === 0 ? [] : [sql`to_milliseconds(${plainInteger(period.ms)}${times})`]),
  ]
  return parts.slice(1).reduce((sum, part) => sql`${sum} + ${part}`, parts[0]!)
}

/** An instant moved by `count` periods (1 where it is left out), by the calendar of the zone. */
export function shift(at: SqlText, period: Duration, zone: Zone, count?: SqlText): SqlText {
  // What is shorter than a day is the same length wherever it is added.
  if (isOfTime(period)) return sql`(${at} + (${intervalOf(period, count)}))`
  return toUtc(sql`(${toLocal(at, zone)} + (${intervalOf(period, count)}))`, zone)
}

const isOfTime = (period: Duration): boolean =>
  period.years === 0 && period.months === 0 && period.weeks === 0 && period.days === 0

/** The start of the bucket that holds the instant. Buckets of one unit are the calendar's, others are counted from `origin` or 1970. */
export function floorTo(at: SqlText, period: Duration, zone: Zone, origin: SqlText | null, place: Place): SqlText {
  const parts = [period.years * 12 + period.months, period.weeks * 7 + period.days, period.ms].filter(
    (part) => part !== 0,
  )
  if (parts.length > 1)
    throw sqlProblem(place, 'a period of several units is not taken here: use one unit, as P1D or PT90M')
  if (isOfTime(period)) {
    const start = origin ?? toUtc(sql`TIMESTAMP '1970-01-01'`, zone)
    return sql`time_bucket(${intervalOf(period)}, ${at}, ${start})`
  }
  const local = toLocal(at, zone)
  if (origin !== null) return toUtc(sql`time_bucket(${intervalOf(period)}, ${local}, ${toLocal(origin, zone)})`, zone)
  const unit = calendarUnit(period)
  if (unit !== null) return toUtc(sql`CAST(date_trunc(${literal(unit)}, ${local}) AS TIMESTAMP)`, zone)
  return toUtc(sql`time_bucket(${intervalOf(period)}, ${local}, TIMESTAMP '1970-01-01')`, zone)
}

function calendarUnit({ years, months, weeks, days }: Duration): string | null {
  if (years === 1 && months === 0) return 'year'
  if (years === 0 && months === 1) return 'month'
  if (weeks === 1 && days === 0) return 'week'
  if (weeks === 0 && days === 1) return 'day'
  return null
}

/** The start of the bucket, or of the next one where the instant is no start itself. */
export function ceilTo(at: SqlText, period: Duration, zone: Zone, origin: SqlText | null, place: Place): SqlText {
  return shift(floorTo(sql`(${at} - to_milliseconds(1))`, period, zone, origin, place), period, zone)
}
