// Druid's time arithmetic in SQL, on milliseconds. Values that depend on a zone's clocks come from functions that the service registers with the
// engine (`src/sql-engine/duckdb/zone-functions.ts`): the engine's own zone rules may differ.

import { bind } from '../lib/bind-sql.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import { msPerDay } from '../model/instant.ts'
import { type Period, periodDays, periodMonths, periodTimeMs } from './iso.ts'
import { type NativeBuckets, walkStarts } from './native-granularity.ts'
import { walkRuns } from './walk-runs.ts'
import type { Zone } from './zone.ts'

/** The range in which instants may lie. */
export interface TimeRange {
  readonly fromMs: number
  readonly untilMs: number
}

/** Used where the range is not known. */
export const wideRange: TimeRange = { fromMs: Date.UTC(1900, 0, 1), untilMs: Date.UTC(2100, 0, 1) }

/** The most buckets, or runs of buckets, of a walk that are written into a query. */
const walkBucketsMax = 5000

interface Step {
  readonly fromMs: number
  readonly value: Sql
}

/** The value of the last step at or before `ms`, as a tree of CASEs. */
function steps(ms: Sql, found: readonly Step[]): Sql {
  if (found.length === 1) return found[0]!.value
  const middle = found.length >> 1
  return sql`CASE WHEN ${ms} < ${sql.long(found[middle]!.fromMs)} THEN ${steps(ms, found.slice(0, middle))} ELSE ${steps(ms, found.slice(middle))} END`
}

const nameOf = (zone: Zone): Sql => sql.literal(zone.name)
/** The zone functions return whole milliseconds as doubles. */
const long = (ms: Sql): Sql => sql`CAST(${ms} AS BIGINT)`

export function toLocal(ms: Sql, zone: Zone): Sql {
  if (zone.fixed) return zone.offset(0) === 0 ? ms : sql`(${ms} + ${sql.long(zone.offset(0))})`
  return bind(ms, (x) => sql`(${x} + ${long(sql`zone_offset(${nameOf(zone)}, ${x})`)})`)
}

/** The instant of a local time that was computed from the instant `near`. */
function toInstant(local: Sql, near: Sql, zone: Zone): Sql {
  if (zone.fixed) return zone.offset(0) === 0 ? local : sql`(${local} - ${sql.long(zone.offset(0))})`
  return long(sql`zone_instant(${nameOf(zone)}, ${local}, ${near})`)
}

/** The instant of a local time that was parsed from text. Where it occurs twice, the offset at `local`, read as UTC, decides. */
export const fromLocal = (local: Sql, zone: Zone): Sql => bind(local, (x) => toInstant(x, x, zone))

const floorTo = (value: Sql, width: number): Sql =>
  width === 1
    ? value
    : bind(value, (x) => sql`(${x} - ((${x} % ${sql.long(width)}) + ${sql.long(width)}) % ${sql.long(width)})`)

const floorFrom = (value: Sql, width: number, origin: Sql): Sql =>
  origin.text === zero.text ? floorTo(value, width) : sql`(${floorTo(sql`(${value} - ${origin})`, width)} + ${origin})`

const zero = sql.long(0)

const timestamp = (localMs: Sql): Sql => sql`make_timestamp_ms(${localMs})`

/** Months since year 0. */
const monthIndex = (localMs: Sql): Sql => sql`(year(${timestamp(localMs)}) * 12 + month(${timestamp(localMs)}) - 1)`

const addMonthsTo = (localMs: Sql, months: Sql): Sql =>
  sql`epoch_ms(${timestamp(localMs)} + to_months(CAST(${months} AS INTEGER)))`

/** The start of a bucket of whole months since the local origin. */
function floorMonths(localMs: Sql, months: number, origin: Sql): Sql {
  if (origin.text === zero.text) {
    const unit = months === 1 ? 'month' : months === 3 ? 'quarter' : months === 12 ? 'year' : null
    if (unit !== null) return sql`epoch_ms(date_trunc(${sql.literal(unit)}, ${timestamp(localMs)}))`
  }
  return bind(localMs, (local) =>
    bind(sql`${monthIndex(local)} - ${monthIndex(origin)}`, (between) => {
      const whole = sql`(${between} - CASE WHEN ${addMonthsTo(origin, between)} > ${local} THEN 1 ELSE 0 END)`
      return addMonthsTo(origin, floorTo(sql`CAST(${whole} AS BIGINT)`, months))
    }),
  )
}

/** A call of the bucket functions; null where plain SQL suffices: for a fixed zone, uniform buckets and walks. */
function byClocks(granularity: NativeBuckets, edge: 'start' | 'next', ms: Sql): Sql | null {
  const { kind, zone } = granularity
  if (zone.fixed || kind === 'uniform' || kind === 'walk') return null
  const text = sql.literal(JSON.stringify({ ...granularity, zone: zone.name }))
  return long(edge === 'start' ? sql`bucket_start(${text}, ${ms})` : sql`bucket_next(${text}, ${ms})`)
}

/** The start of the bucket that holds `ms`. `null` when the granularity has too many buckets in the range. */
export function floorToBucket(ms: Sql, granularity: NativeBuckets, range: TimeRange): Sql | null {
  return byClocks(granularity, 'start', ms) ?? plainFloor(ms, granularity, range)
}

function plainFloor(ms: Sql, granularity: NativeBuckets, range: TimeRange): Sql | null {
  const { zone } = granularity
  switch (granularity.kind) {
    case 'uniform':
      return floorFrom(ms, granularity.widthMs, sql.long(modulo(granularity.originMs, granularity.widthMs)))
    case 'localTime':
      return toInstant(floorTo(toLocal(ms, zone), granularity.widthMs), ms, zone)
    case 'days': {
      const width = granularity.days * msPerDay
      const origin = sql.long(modulo(granularity.originLocalMs, width))
      return toInstant(floorFrom(toLocal(ms, zone), width, origin), ms, zone)
    }
    case 'months': {
      const { months, originLocalMs } = granularity
      return toInstant(floorMonths(toLocal(ms, zone), months, sql.long(originLocalMs)), ms, zone)
    }
    case 'walk': {
      const walked = stepsOfWalk(granularity, range)
      if (walked === null) return null
      // The steps are compared with `<`, so null would be assigned to the last one.
      return bind(ms, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN ${steps(x, walked(x))} END`)
    }
  }
}

/**
 * The start of the bucket that holds `ms`, counted from an origin that each row has. `null` for a period of several units whose length varies:
 * one with months, or one with days in a zone where not every day has 24 hours.
 */
export function floorFromOrigin(ms: Sql, period: Period, origin: Sql, zone: Zone): Sql | null {
  const [months, days, timeMs] = [periodMonths(period), periodDays(period), periodTimeMs(period)]
  const isOfSeveral = [months, days, timeMs].filter((part) => part !== 0).length > 1
  if (isOfSeveral && (months !== 0 || !zone.fixed)) return null
  const widthMs = isOfSeveral ? days * msPerDay + timeMs : timeMs
  return bind(ms, (x) => {
    if (widthMs !== 0) return bind(origin, (from) => floorFrom(x, widthMs, from))
    return bind(toLocal(origin, zone), (start) => {
      const at = toLocal(x, zone)
      const floor = months === 0 ? floorFrom(at, days * msPerDay, start) : floorMonths(at, months, start)
      return zone.fixed ? toInstant(floor, x, zone) : long(sql`zone_start(${nameOf(zone)}, ${floor}, ${x})`)
    })
  })
}

const modulo = (value: number, width: number): number => value - Math.floor(value / width) * width

/** The starts of the walk's buckets, as steps for an instant; `null` when there are too many to write into a query. */
function stepsOfWalk(
  granularity: NativeBuckets & { kind: 'walk' },
  { fromMs, untilMs }: TimeRange,
): ((ms: Sql) => readonly Step[]) | null {
  const starts = walkStarts(granularity, fromMs, untilMs, walkBucketsMax)
  if (starts !== null) {
    const found = starts.map((start) => ({ fromMs: start, value: sql.long(start) }))
    return () => found
  }
  if (periodMonths(granularity.period) !== 0) return null
  const runs = walkRuns(granularity, fromMs, untilMs)
  if (runs.length > walkBucketsMax) return null
  return (ms) =>
    runs.map(({ fromMs: start, widthMs }) => {
      const width = sql.long(widthMs)
      return { fromMs: start, value: sql`${ms} - ((${ms} - ${sql.long(start)}) % ${width} + ${width}) % ${width}` }
    })
}

/** The start of the bucket after the one that starts at `start`. */
export function nextBucketSql(start: Sql, granularity: NativeBuckets): Sql {
  const { zone } = granularity
  const asked = byClocks(granularity, 'next', start)
  if (asked !== null) return asked
  switch (granularity.kind) {
    case 'uniform':
    case 'localTime':
      return sql`(${start} + ${sql.long(granularity.widthMs)})`
    case 'days':
      return sql`(${start} + ${sql.long(granularity.days * msPerDay)})`
    case 'months':
      return bind(start, (x) => toInstant(addMonthsTo(toLocal(x, zone), sql.long(granularity.months)), x, zone))
    case 'walk':
      return shift(start, granularity.period, sql.long(1), zone)
  }
}

/** An instant moved by `times` periods on the zone's calendar. */
export function shift(ms: Sql, period: Period, times: Sql, zone: Zone): Sql {
  const [months, days, rest] = [periodMonths(period), periodDays(period), periodTimeMs(period)]
  const byMonths = (x: Sql, n: Sql): Sql =>
    toInstant(addMonthsTo(toLocal(x, zone), sql`${sql.long(months)} * ${n}`), x, zone)
  const byDays = (x: Sql, n: Sql): Sql =>
    toInstant(sql`(${toLocal(x, zone)} + ${sql.long(BigInt(days) * BigInt(msPerDay))} * ${n})`, x, zone)
  return bind(times, (n) => {
    const moved = months === 0 ? ms : bind(ms, (x) => byMonths(x, n))
    const further = days === 0 ? moved : bind(moved, (x) => byDays(x, n))
    return rest === 0 ? further : sql`(${further} + ${sql.long(rest)} * ${n})`
  })
}
