// Druid's arithmetic of time in SQL, on milliseconds.

import { bind } from '../lib/bind-sql.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import { msPerDay } from '../model/instant.ts'
import { historyFromMs } from './calendar-offsets.ts'
import { type Period, periodDays, periodMonths, periodTimeMs } from './iso.ts'
import { type NativeBuckets, nativeBucketStart, nextBucket, walkStarts } from './native-granularity.ts'
import { walkRuns } from './walk-runs.ts'
import { cycleEndMs, cycleMs, type Zone } from './zone.ts'

/** Where instants may lie; an offset outside is that of the end. */
export interface TimeRange {
  readonly fromMs: number
  readonly untilMs: number
}

/** What zones are read for when nothing tells where the instants lie. */
export const wideRange: TimeRange = { fromMs: Date.UTC(1900, 0, 1), untilMs: Date.UTC(2100, 0, 1) }

/** The last instant of a Date. */
const latestMs = 8.64e15

/** More buckets than any walk in a query should have. */
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

/**
 * For offsets whose changes are few enough to be written out. For others the engine's calendar is asked: it takes longer for each row,
 * but its text is short.
 */
const writtenRangeMs = 20 * 365 * msPerDay

/** The instant of the last cycle of a zone's rules with the offset of one behind it. */
const withinCycle = (ms: Sql): Sql =>
  bind(
    ms,
    (x) =>
      sql`CASE WHEN ${x} < ${sql.long(cycleEndMs)} THEN ${x} ELSE ${x} - ((${x} - ${sql.long(cycleEndMs)}) // ${sql.long(cycleMs)} + 1) * ${sql.long(cycleMs)} END`,
  )

/** Local time minus UTC at an instant. */
function offsetAt(ms: Sql, zone: Zone, range: TimeRange): Sql {
  if (!zone.fixed && range.untilMs - range.fromMs > writtenRangeMs) return askedOffset(ms, zone)
  const changes = zone
    .changes(range.fromMs, range.untilMs)
    .map(({ fromMs, offsetMs }) => ({ fromMs, value: sql.long(offsetMs) }))
  if (changes.length === 1) return steps(ms, changes)
  return bind(range.untilMs > cycleEndMs ? withinCycle(ms) : ms, (x) => steps(x, changes))
}

/** Of instants that are further than any calendar, the offset of the last one that it has. */
function askedOffset(ms: Sql, zone: Zone): Sql {
  const within = sql`least(greatest(${ms}, ${sql.long(historyFromMs)}), ${sql.long(latestMs)})`
  const name = sql.literal(zone.calendarName)
  return bind(within, (x) => sql`(epoch_ms(timezone(${name}, timezone('UTC', make_timestamp_ms(${x})))) - ${x})`)
}

export function toLocal(ms: Sql, zone: Zone, range: TimeRange): Sql {
  if (zone.fixed) return zone.offset(0) === 0 ? ms : sql`(${ms} + ${sql.long(zone.offset(0))})`
  return bind(ms, (x) => sql`(${x} + ${offsetAt(x, zone, range)})`)
}

/** The instant of a local time that was come to from the instant `near`. */
function toInstant(local: Sql, near: Sql, zone: Zone, range: TimeRange): Sql {
  if (zone.fixed) return zone.offset(0) === 0 ? local : sql`(${local} - ${sql.long(zone.offset(0))})`
  return bind(local, (l) =>
    bind(offsetAt(near, zone, range), (here) =>
      bind(offsetAt(sql`(${l} - ${here})`, zone, range), (there) => {
        // A local time that was skipped lies as far after the change as it lies in the gap.
        const settled = offsetAt(sql`(${l} - ${there})`, zone, range)
        return sql`CASE WHEN ${there} = ${here} OR ${settled} = ${there} THEN ${l} - ${there} ELSE ${l} - least(${here}, ${there}) END`
      }),
    ),
  )
}

/** The instant of a local time that came from a text: nothing tells which of two it is but the offset now. */
export const fromLocal = (local: Sql, zone: Zone, range: TimeRange): Sql =>
  bind(local, (x) => toInstant(x, x, zone, range))

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

/** A range with the whole of the buckets at its ends, whose offsets may be others. */
function reaching(granularity: NativeBuckets, { fromMs, untilMs }: TimeRange): TimeRange {
  if (granularity.zone.fixed || granularity.kind === 'walk') return { fromMs, untilMs }
  return {
    fromMs: nativeBucketStart(granularity, fromMs) - 2 * msPerDay,
    untilMs: nextBucket(granularity, nativeBucketStart(granularity, untilMs)) + 2 * msPerDay,
  }
}

/** The start of the bucket that holds `ms`. `null` when the granularity has too many buckets in the range. */
export function floorToBucket(ms: Sql, granularity: NativeBuckets, rowRange: TimeRange): Sql | null {
  const { zone } = granularity
  const range = reaching(granularity, rowRange)
  switch (granularity.kind) {
    case 'uniform':
      return floorFrom(ms, granularity.widthMs, sql.long(modulo(granularity.originMs, granularity.widthMs)))
    case 'localTime': {
      const { widthMs } = granularity
      if (zone.changes(range.fromMs, range.untilMs).every(({ offsetMs }) => offsetMs % widthMs === 0))
        return floorTo(ms, widthMs)
      return bind(ms, (x) =>
        bind(offsetAt(x, zone, range), (offset) => sql`(${floorTo(sql`(${x} + ${offset})`, widthMs)} - ${offset})`),
      )
    }
    case 'days': {
      const width = granularity.days * msPerDay
      const origin = sql.long(modulo(granularity.originLocalMs, width))
      return bind(ms, (x) => toInstant(floorFrom(toLocal(x, zone, range), width, origin), x, zone, range))
    }
    case 'months':
      return bind(ms, (x) =>
        toInstant(
          floorMonths(toLocal(x, zone, range), granularity.months, sql.long(granularity.originLocalMs)),
          x,
          zone,
          range,
        ),
      )
    case 'walk': {
      const walked = stepsOfWalk(granularity, range)
      if (walked === null) return null
      // The steps are compared with, and null is before none of them.
      return bind(ms, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN ${steps(x, walked(x))} END`)
    }
  }
}

/**
 * The start of the bucket that holds `ms`, counted from an origin that each row has. `null` for a period of several units that is not always as
 * long: one with months, or with days where not all have 24 hours.
 */
export function floorFromOrigin(ms: Sql, period: Period, origin: Sql, zone: Zone): Sql | null {
  const [months, days, timeMs] = [periodMonths(period), periodDays(period), periodTimeMs(period)]
  const isOfSeveral = [months, days, timeMs].filter((part) => part !== 0).length > 1
  if (isOfSeveral && (months !== 0 || !zone.fixed)) return null
  const widthMs = isOfSeveral ? days * msPerDay + timeMs : timeMs
  return bind(ms, (x) => {
    if (widthMs !== 0) return bind(origin, (from) => floorFrom(x, widthMs, from))
    return bind(toLocal(origin, zone, wideRange), (start) => {
      const at = toLocal(x, zone, wideRange)
      const floor = months === 0 ? floorFrom(at, days * msPerDay, start) : floorMonths(at, months, start)
      return toInstant(floor, x, zone, wideRange)
    })
  })
}

const modulo = (value: number, width: number): number => value - Math.floor(value / width) * width

/** The starts of buckets, of an instant; `null` where they are too many to be written. */
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
export function nextBucketSql(start: Sql, granularity: NativeBuckets, rowRange: TimeRange): Sql {
  const { zone } = granularity
  const range = reaching(granularity, rowRange)
  switch (granularity.kind) {
    case 'uniform':
    case 'localTime':
      return sql`(${start} + ${sql.long(granularity.widthMs)})`
    case 'days':
      return bind(start, (x) =>
        toInstant(sql`(${toLocal(x, zone, range)} + ${sql.long(granularity.days * msPerDay)})`, x, zone, range),
      )
    case 'months':
      return bind(start, (x) =>
        toInstant(addMonthsTo(toLocal(x, zone, range), sql.long(granularity.months)), x, zone, range),
      )
    case 'walk':
      return shift(start, granularity.period, sql.long(1), zone, wideRange)
  }
}

/** An instant moved by a period `times` over, by the zone's calendar. */
export function shift(ms: Sql, period: Period, times: Sql, zone: Zone, range: TimeRange): Sql {
  const [months, days, rest] = [periodMonths(period), periodDays(period), periodTimeMs(period)]
  const byMonths = (x: Sql, n: Sql): Sql =>
    toInstant(addMonthsTo(toLocal(x, zone, range), sql`${sql.long(months)} * ${n}`), x, zone, range)
  const byDays = (x: Sql, n: Sql): Sql =>
    toInstant(sql`(${toLocal(x, zone, range)} + ${sql.long(BigInt(days) * BigInt(msPerDay))} * ${n})`, x, zone, range)
  return bind(times, (n) => {
    const moved = months === 0 ? ms : bind(ms, (x) => byMonths(x, n))
    const further = days === 0 ? moved : bind(moved, (x) => byDays(x, n))
    return rest === 0 ? further : sql`(${further} + ${sql.long(rest)} * ${n})`
  })
}
