// Periods, units and zones of Druid's time functions in SQL, on the engine's timestamps. The arithmetic is shared with native queries.

import {
  floorFromOrigin,
  floorToBucket,
  fromLocal,
  toLocal as localMs,
  nextBucketSql,
  shift as shiftMs,
  wideRange,
} from '../../druid-time/bucket-sql.ts'
import { formatTime as formatMs, parseTimeBy, parseTimePattern, patternPieces } from '../../druid-time/format-sql.ts'
import { type Period, parsePeriod, periodDays, periodMonths, periodTimeMs } from '../../druid-time/iso.ts'
import { isUsable, mondayMs, type NativeBuckets, periodGranularity } from '../../druid-time/native-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { TimeUnit } from '../parse/syntax.ts'
import { plainInteger } from './engine-names.ts'

/** Throws a Problem when the zone is unknown. */
export function readZone(text: string, place: Place): Zone {
  const zone = Zone.find(text)
  if (zone !== null) return zone
  throw sqlProblem(place, `${quoted(text)} is not a time zone: write one as 'Europe/Madrid' or '+02:00'`)
}

const msOf = (at: Sql): Sql => sql`epoch_ms(${at})`
const atMs = (ms: Sql): Sql => sql`make_timestamp_ms(${ms})`

/** An instant as the clocks of the zone show it. */
export function timestampToLocal(at: Sql, zone: Zone): Sql {
  return zone === Zone.utc ? at : atMs(localMs(msOf(at), zone))
}

/** The inverse of `timestampToLocal`. */
export function toUtc(local: Sql, zone: Zone): Sql {
  return zone === Zone.utc ? local : atMs(fromLocal(msOf(local), zone))
}

const patternCharsMax = 200

function checkLength(pattern: string, place: Place): void {
  if (pattern.length > patternCharsMax)
    throw sqlProblem(place, `a pattern can have at most ${patternCharsMax} characters`)
}

/** Formats an instant by a Joda-Time pattern, on the clocks of the zone. */
export function formatByPattern(at: Sql, pattern: string, zone: Zone, place: Place): Sql {
  checkLength(pattern, place)
  const pieces = patternPieces(pattern)
  if (pieces !== null) return formatMs(msOf(at), pieces, zone)
  throw sqlProblem(
    place,
    `${quoted(pattern)} is not a valid pattern: a quote is not closed, or a letter has no meaning`,
  )
}

/** The instant of a text parsed by a pattern; null where the text does not match. */
export function parseTime(text: Sql, pattern: string, zone: Zone, place: Place): Sql {
  checkLength(pattern, place)
  const format = parseTimePattern(pattern)
  if (format === null) throw sqlProblem(place, `strings cannot be parsed with the pattern ${quoted(pattern)}`)
  return atMs(parseTimeBy(text, format, zone))
}

/** An ISO period such as `PT5M`. An empty one is refused. */
export function readPeriod(text: string, place: Place): Period {
  const period = parsePeriod(text)
  if (period === null || Object.values(period).every((part) => part === 0)) {
    throw sqlProblem(place, `${quoted(text)} is not a period: write one as 'PT5M', 'P1D' or 'P1M'`)
  }
  return period
}

const unitPeriods: Readonly<Record<TimeUnit, Partial<Period>>> = {
  MILLISECOND: { ms: 1 },
  SECOND: { seconds: 1 },
  MINUTE: { minutes: 1 },
  HOUR: { hours: 1 },
  DAY: { days: 1 },
  WEEK: { weeks: 1 },
  MONTH: { months: 1 },
  QUARTER: { months: 3 },
  YEAR: { years: 1 },
}

const nothing: Period = { years: 0, months: 0, weeks: 0, days: 0, hours: 0, minutes: 0, seconds: 0, ms: 0 }

export function unitPeriod(unit: TimeUnit): Period {
  return { ...nothing, ...unitPeriods[unit] }
}

/** The period as an interval, `count` times. */
function intervalOf(period: Period, count: Sql): Sql {
  return writeInterval({ months: periodMonths(period), days: periodDays(period), ms: periodTimeMs(period) }, count)
}

export interface PeriodParts {
  readonly months: number
  readonly days: number
  readonly ms: number
}

/** As an interval of the engine, `count` times. At least one part must not be 0. */
export function writeInterval({ months, days, ms }: PeriodParts, count?: Sql): Sql {
  const times = count === undefined ? sql`` : sql` * ${count}`
  const parts = [
    ...(months === 0 ? [] : [sql`to_months(CAST(${plainInteger(months)}${times} AS INTEGER))`]),
    ...(days === 0 ? [] : [sql`to_days(CAST(${plainInteger(days)}${times} AS INTEGER))`]),
    ...(ms === 0 ? [] : [sql`to_milliseconds(${plainInteger(ms)}${times})`]),
  ]
  return parts.slice(1).reduce((sum, part) => sql`${sum} + ${part}`, parts[0]!)
}

/** An instant moved by `count` periods on the zone's calendar. */
export function shiftTimestamp(at: Sql, period: Period, zone: Zone, count: Sql): Sql {
  if (zone === Zone.utc) return sql`(${at} + (${intervalOf(period, count)}))`
  return atMs(shiftMs(msOf(at), period, count, zone))
}

/** The start of the bucket that holds the instant. Buckets of one unit follow the calendar; others are counted from `origin` or 1970. */
export function floorTo(at: Sql, period: Period, zone: Zone, origin: Sql | null, place: Place): Sql {
  const granularity = granularityOf(period, zone, place)
  if (origin !== null) {
    return atMs(floorFromOrigin(msOf(at), period, msOf(origin), zone) ?? refuseUnits('with an origin', place))
  }
  const byWalk = (): Sql =>
    floorToBucket(msOf(at), granularity, wideRange) ?? refuseUnits('with this many buckets', place)
  return inUtc(at, granularity) ?? atMs(byWalk())
}

function granularityOf(period: Period, zone: Zone, place: Place): NativeBuckets {
  const found = periodGranularity(period, zone, null)
  if (found !== null && isUsable(found)) return found
  throw sqlProblem(place, 'the period is longer than the supported times, or negative')
}

function refuseUnits(where: string, place: Place): never {
  throw sqlProblem(
    place,
    `a period of several units is not supported ${where}: use one unit, such as P1M, P1D or PT90M`,
  )
}

/** Uses the engine's own functions, which take less time per row; null where it has none. */
function inUtc(at: Sql, granularity: NativeBuckets): Sql | null {
  const { kind, zone } = granularity
  if (zone !== Zone.utc) return null
  if (kind === 'localTime') {
    return sql`time_bucket(to_milliseconds(${plainInteger(granularity.widthMs)}), ${at}, TIMESTAMP '1970-01-01')`
  }
  const unit = calendarUnit(granularity)
  if (unit === null) return null
  // Cast to dates: in a comparison of date_trunc with a time at which no unit starts, the engine treats null as a different time.
  const day = unit === 'day' ? at : sql`date_trunc(${sql.literal(unit)}, ${at})`
  return sql`CAST(CAST(${day} AS DATE) AS TIMESTAMP)`
}

function calendarUnit(granularity: NativeBuckets): string | null {
  if (granularity.kind === 'days') {
    const { days, originLocalMs } = granularity
    return days === 1 ? 'day' : days === 7 && originLocalMs === mondayMs ? 'week' : null
  }
  if (granularity.kind !== 'months' || granularity.originLocalMs !== 0) return null
  return granularity.months === 1 ? 'month' : granularity.months === 12 ? 'year' : null
}

/** The start of the bucket, or of the next one if the instant is not a start itself. */
export function ceilTo(at: Sql, period: Period, zone: Zone, origin: Sql | null, place: Place): Sql {
  const next =
    origin === null
      ? (x: Sql): Sql => nextBucketSql(x, granularityOf(period, zone, place))
      : (x: Sql): Sql => shiftMs(x, period, sql.long(1), zone)
  return atMs(
    bind(msOf(at), (x) =>
      bind(
        msOf(floorTo(atMs(x), period, zone, origin, place)),
        (start) => sql`CASE WHEN ${start} = ${x} THEN ${x} ELSE ${next(start)} END`,
      ),
    ),
  )
}
