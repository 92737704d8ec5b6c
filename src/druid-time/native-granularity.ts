// Druid's granularities: buckets of time by name, by duration, and by ISO period with a zone and an origin (PeriodGranularity).
import { addMonths } from '../model/duration.ts'
import { WalkedStarts } from '../model/granularity.ts'
import { civilFromDays, msPerDay } from '../model/instant.ts'
import { addPeriod, type Period, periodDays, periodMonths, periodTimeMs } from './iso.ts'
import type { Zone } from './zone.ts'

export const mondayMs = 4 * msPerDay

export type NativeGranularity =
  | { readonly kind: 'all' }
  /** Buckets of one width that start at the origin plus whole widths: no calendar comes into it. */
  | { readonly kind: 'uniform'; readonly widthMs: number; readonly originMs: number; readonly zone: Zone }
  /** Of one width on the zone's local clock: hours and less of a zone whose offset they divide the day by. Druid's have no origin of their own. */
  | { readonly kind: 'localTime'; readonly widthMs: number; readonly originLocalMs?: number; readonly zone: Zone }
  /** Whole days since the local origin, on the zone's calendar. */
  | { readonly kind: 'days'; readonly days: number; readonly originLocalMs: number; readonly zone: Zone }
  /** Whole months since the local origin, on the zone's calendar. */
  | { readonly kind: 'months'; readonly months: number; readonly originLocalMs: number; readonly zone: Zone }
  /** Units together, walked from the origin. */
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
 * An origin for Druid 33 of buckets by several hours and nothing else, such as `PT6H`; null for other periods. Without one it rounds towards 1970,
 * where rows from before are lost or the query never ends; from a start of theirs behind 1970 it rounds down.
 */
export function laterOrigin(period: string, zone: Zone): number | null {
  const widthMs = Number(/^PT(\d+)H$/.exec(period)?.[1] ?? 0) * hourMs
  if (widthMs <= hourMs) return null
  const originMs = zone.toInstant(0, 0)
  return originMs + (Math.floor(-originMs / widthMs) + 1) * widthMs
}

/** Without months, and without days or where every day has 24 hours, a compound period has one width. */
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
 * By the offset that the instant has. Where clocks changed since by a part of a bucket's width, that is no start by the offset of then: the
 * bucket goes on where the clock showed the same hour before, or begins with the change. So one at Lord Howe has 90 minutes, and one has 30.
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

/** Druid's way: from the origin, step by step. Before the origin the steps lead backwards. */
function walkOf(granularity: NativeBuckets & { kind: 'walk' }): WalkedStarts {
  const { period, originMs, zone } = granularity
  const known = walks.get(granularity)
  if (known !== undefined) return known
  const walk = new WalkedStarts(originMs, (ms, sign) => addPeriod(ms, period, sign, zone))
  walks.set(granularity, walk)
  return walk
}

/** The starts of the buckets of a walk that hold the instants between two; null when they are more than `bucketsMax`. */
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
 * Behind the instants from `ms` on that are in its bucket. Where clocks change, this may be before the next bucket in the order of starts, or
 * before instants of the bucket that was left: local time is rounded, and keeps the offset that the instant has.
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

/** Where the bucket of a local time ends on a clock that never changes: always later. */
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

/** Years that have names of four digits: origins and periods that go further mean nothing. */
const [earliestMs, latestMs] = [Date.UTC(-1, 0, 1), Date.UTC(10_000, 0, 1)]
const monthsMax = 12 * 10_000
/** Steps from an origin to our times: each is taken. */
const stepsMax = 200_000

/** Whether its origin and its buckets lie where there are times, and its steps can be taken. */
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
