// Druid's granularities: time buckets by name, by duration, and by ISO period with a zone and an origin (PeriodGranularity).
import { addMonths } from '../model/duration.ts'
import { WalkedStarts } from '../model/granularity.ts'
import { civilFromDays, msPerDay } from '../model/instant.ts'
import { addPeriod, type Period, periodDays, periodMonths, periodTimeMs } from './iso.ts'
import type { Zone } from './zone.ts'

export const mondayMs = 4 * msPerDay

export type NativeGranularity =
  | { readonly kind: 'all' }
  /** Buckets of one width that start at the origin plus whole widths, independent of any calendar. */
  | { readonly kind: 'uniform'; readonly widthMs: number; readonly originMs: number; readonly zone: Zone }
  /** Buckets of one width on the zone's local clock. Druid's are an hour or shorter and have no origin of their own. */
  | { readonly kind: 'localTime'; readonly widthMs: number; readonly originLocalMs?: number; readonly zone: Zone }
  /** Whole days since the local origin, on the zone's calendar. */
  | { readonly kind: 'days'; readonly days: number; readonly originLocalMs: number; readonly zone: Zone }
  /** Whole months since the local origin, on the zone's calendar. */
  | { readonly kind: 'months'; readonly months: number; readonly originLocalMs: number; readonly zone: Zone }
  /** A period of several units, stepped from the origin. */
  | { readonly kind: 'walk'; readonly period: Period; readonly originMs: number; readonly zone: Zone }

export type NativeBuckets = Exclude<NativeGranularity, { kind: 'all' }>

const units = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'ms'] as const

/** The granularity of an ISO period; null when it is empty or negative. */
export function periodGranularity(period: Period, zone: Zone, originMs: number | null): NativeBuckets | null {
  const used = units.filter((unit) => period[unit] !== 0)
  const only = used[0]
  if (only === undefined || units.some((unit) => period[unit] < 0)) return null
  const origin = originMs ?? zone.toInstant(0, 0)
  if (used.length > 1) return compound(period, zone, origin)
  const count = period[only]
  const aligned = count === 1 && originMs === null
  const originLocalMs = originMs === null ? 0 : zone.toLocal(originMs)
  if (only === 'years' || only === 'months') {
    return { kind: 'months', months: periodMonths(period), originLocalMs: aligned ? 0 : originLocalMs, zone }
  }
  if (only === 'weeks')
    return { kind: 'days', days: count * 7, originLocalMs: aligned ? mondayMs : originLocalMs, zone }
  if (only === 'days') return { kind: 'days', days: count, originLocalMs: aligned ? 0 : originLocalMs, zone }
  const widthMs = periodTimeMs(period)
  return aligned ? { kind: 'localTime', widthMs, zone } : { kind: 'uniform', widthMs, originMs: origin, zone }
}

const hourMs = 3_600_000

/**
 * An origin to send to Druid 33 with buckets of several hours and no other unit, such as `PT6H`; null for other periods. Without an origin Druid
 * rounds towards 1970: rows from before 1970 are lost, or the query never ends. With a bucket start after 1970 as the origin it rounds down.
 */
export function laterOrigin(period: string, zone: Zone): number | null {
  const widthMs = Number(/^PT(\d+)H$/.exec(period)?.[1] ?? 0) * hourMs
  if (widthMs <= hourMs) return null
  const originMs = zone.toInstant(0, 0)
  return originMs + (Math.floor(-originMs / widthMs) + 1) * widthMs
}

/** A compound period has one width if it has no months, and no days either unless every day has 24 hours. */
function compound(period: Period, zone: Zone, originMs: number): NativeBuckets {
  const hasDays = periodDays(period) !== 0
  if (periodMonths(period) !== 0 || (hasDays && !zone.fixed)) return { kind: 'walk', period, originMs, zone }
  return { kind: 'uniform', widthMs: periodDays(period) * msPerDay + periodTimeMs(period), originMs, zone }
}

const floorTo = (value: number, width: number): number => Math.floor(value / width) * width

function monthIndex(localMs: number): number {
  const { year, month } = civilFromDays(Math.floor(localMs / msPerDay))
  return year * 12 + month - 1
}

/** Whole months from one local time to another, rounded down. */
function monthsBetween(fromMs: number, toMs: number): number {
  const months = monthIndex(toMs) - monthIndex(fromMs)
  return addMonths(fromMs, months) > toMs ? months - 1 : months
}

/** The start of the bucket that holds `ms`. */
export function nativeBucketStart(granularity: NativeBuckets, ms: number): number {
  const { zone } = granularity
  switch (granularity.kind) {
    case 'uniform':
      return floorTo(ms - granularity.originMs, granularity.widthMs) + granularity.originMs
    case 'localTime':
      return localStart(granularity, ms)
    case 'days': {
      const { originLocalMs, days } = granularity
      return zone.toStart(floorTo(zone.toLocal(ms) - originLocalMs, days * msPerDay) + originLocalMs, ms)
    }
    case 'months': {
      const { originLocalMs, months } = granularity
      const between = floorTo(monthsBetween(originLocalMs, zone.toLocal(ms)), months)
      return zone.toStart(addMonths(originLocalMs, between), ms)
    }
    case 'walk':
      return walkOf(granularity).bucket(ms).start
  }
}

/**
 * The start according to the offset at `ms`. If clocks changed since that start by a part of a bucket's width, the start is not on a boundary by
 * its own offset. The bucket then continues the one before the change if the clock showed the same hour there, or else starts at the change.
 * So at Lord Howe one bucket has 90 minutes and another has 30.
 */
function localStart(granularity: LocalTime, ms: number): number {
  const { zone, widthMs, originLocalMs = 0 } = granularity
  const shown = (at: number): number => floorTo(zone.toLocal(at) - originLocalMs, widthMs) + originLocalMs
  const startMs = shown(ms) - zone.offset(ms)
  if ((zone.toLocal(startMs) - originLocalMs) % widthMs === 0) return startMs
  const changeMs = zone.sameOffsetSince(ms)
  return shown(changeMs - 1) === shown(ms) ? localStart(granularity, changeMs - 1) : changeMs
}

type LocalTime = NativeBuckets & { kind: 'localTime' }

const walks = new WeakMap<NativeBuckets, WalkedStarts>()

/** Steps from the origin one period at a time, as Druid does, and backwards for instants before the origin. */
function walkOf(granularity: NativeBuckets & { kind: 'walk' }): WalkedStarts {
  const { period, originMs, zone } = granularity
  const known = walks.get(granularity)
  if (known !== undefined) return known
  const walk = new WalkedStarts(originMs, (ms, sign) => addPeriod(ms, period, sign, zone))
  walks.set(granularity, walk)
  return walk
}

/** The starts of the walk's buckets that hold the instants of a range; null when there are more than `bucketsMax`. */
export function walkStarts(
  granularity: NativeBuckets & { kind: 'walk' },
  fromMs: number,
  untilMs: number,
  bucketsMax: number,
): readonly number[] | null {
  const { period, originMs, zone } = granularity
  const starts: number[] = []
  for (let at = originMs; at > fromMs; ) {
    at = addPeriod(at, period, -1, zone)
    if (at <= untilMs && starts.push(at) > bucketsMax) return null
  }
  starts.reverse()
  let before = originMs
  for (let at = originMs; at <= untilMs; at = addPeriod(at, period, 1, zone)) {
    if (at > fromMs) {
      if (starts.length === 0 && before <= fromMs) starts.push(before)
      if (starts.push(at) > bucketsMax) return null
    }
    before = at
  }
  if (starts.length === 0) starts.push(before)
  return [...new Set(starts)]
}

/** The start of the bucket after the one that starts at `startMs`. */
export function nextBucket(granularity: NativeBuckets, startMs: number): number {
  const { zone } = granularity
  switch (granularity.kind) {
    case 'uniform':
      return startMs + granularity.widthMs
    case 'localTime':
      return bucketEnd(granularity, startMs)
    case 'days':
      return zone.toInstant(zone.toLocal(startMs) + granularity.days * msPerDay, startMs)
    case 'months':
      return zone.toInstant(addMonths(zone.toLocal(startMs), granularity.months), startMs)
    case 'walk':
      return walkOf(granularity).bucket(startMs).next
  }
}

/**
 * The first instant after `ms` that is not in its bucket. Around a clock change this may be before the next bucket in the order of starts, or
 * before further instants of the same bucket: local time is rounded with the offset that each instant has.
 */
export function bucketEnd(granularity: NativeBuckets, ms: number): number {
  const startMs = nativeBucketStart(granularity, ms)
  if (granularity.kind === 'uniform' || granularity.kind === 'walk') return Math.ceil(nextBucket(granularity, startMs))
  const { zone } = granularity
  for (let at = ms; ; ) {
    const offset = zone.offset(at)
    at = zone.sameOffsetUntil(at, Math.ceil(localEnd(granularity, at + offset) - offset))
    if (zone.fixed || nativeBucketStart(granularity, at) !== startMs) return at
  }
}

type LocalBuckets = Exclude<NativeBuckets, { kind: 'uniform' | 'walk' }>

/** The end of a local time's bucket on a clock that never changes; always after the local time. */
function localEnd(granularity: LocalBuckets, localMs: number): number {
  switch (granularity.kind) {
    case 'localTime': {
      const { originLocalMs = 0, widthMs } = granularity
      return floorTo(localMs - originLocalMs, widthMs) + originLocalMs + widthMs
    }
    case 'days': {
      const { originLocalMs, days } = granularity
      return floorTo(localMs - originLocalMs, days * msPerDay) + originLocalMs + days * msPerDay
    }
    case 'months': {
      const { originLocalMs, months } = granularity
      return addMonths(originLocalMs, floorTo(monthsBetween(originLocalMs, localMs), months) + months)
    }
  }
}

/** Years of four digits. Origins and periods beyond them are not usable. */
const [earliestMs, latestMs] = [Date.UTC(-1, 0, 1), Date.UTC(10_000, 0, 1)]
const monthsMax = 12 * 10_000
/** The most steps from an origin to the year 2100: each one is computed. */
const stepsMax = 200_000

/** Whether the origin and the buckets lie within the supported years, and a walk needs few enough steps. */
export function isUsable(granularity: NativeGranularity): boolean {
  const within = (ms: number): boolean => ms >= earliestMs && ms <= latestMs
  switch (granularity.kind) {
    case 'months':
      return granularity.months <= monthsMax && within(granularity.originLocalMs)
    case 'days':
      return granularity.days <= monthsMax * 31 && within(granularity.originLocalMs)
    case 'walk': {
      const { period, originMs } = granularity
      const stepMs = (periodMonths(period) * 28 + periodDays(period)) * msPerDay + periodTimeMs(period)
      return within(originMs) && stepMs <= latestMs && Math.abs(originMs - Date.UTC(2100, 0, 1)) / stepMs <= stepsMax
    }
    default:
      return true
  }
}
