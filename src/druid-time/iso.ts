// ISO 8601 as Joda-Time reads and writes it: dates, periods and intervals.
import { addMonths, type Duration } from '../model/duration.ts'
import { daysFromCivil, daysInMonth, formatInstant, msPerDay } from '../model/instant.ts'
import { formatOffset, Zone } from './zone.ts'

/** A Joda-Time period, in its separate units. */
export interface Period {
  readonly years: number
  readonly months: number
  readonly weeks: number
  readonly days: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
  readonly ms: number
}

export interface Interval {
  readonly startMs: number
  /** Exclusive. */
  readonly endMs: number
}

/** The furthest instant, before and after 1970 (the limit of JavaScript dates). Parsed instants beyond it are clamped to it. */
const furthestMs = 8.64e15
export const eternity: Interval = { startMs: -furthestMs, endMs: furthestMs }

const periodForm =
  /^P(?!$)(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)W)?(?:([+-]?\d+)D)?(?:T(?!$)(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+)(?:[.,](\d{1,9}))?S)?)?$/i

/** The largest Java int: Joda-Time counts units in ints. */
const integerMax = 2 ** 31 - 1

/** Null when the text is not an ISO 8601 period. */
export function parsePeriod(text: string): Period | null {
  const match = periodForm.exec(text)
  if (match === null) return null
  const part = (group: number): number => Number(match[group] ?? 0)
  if ([1, 2, 3, 4, 5, 6, 7].some((group) => Math.abs(part(group)) > integerMax)) return null
  const fraction = Number((match[8] ?? '').slice(0, 3).padEnd(3, '0'))
  return {
    years: part(1),
    months: part(2),
    weeks: part(3),
    days: part(4),
    hours: part(5),
    minutes: part(6),
    seconds: part(7),
    ms: match[7]?.startsWith('-') === true ? -fraction : fraction,
  }
}

export const periodOf = (duration: Duration): Period => ({ ...duration, hours: 0, minutes: 0, seconds: 0 })
export const periodMonths = (period: Period): number => period.years * 12 + period.months
export const periodDays = (period: Period): number => period.weeks * 7 + period.days
export const periodTimeMs = (period: Period): number =>
  ((period.hours * 60 + period.minutes) * 60 + period.seconds) * 1000 + period.ms

/** An instant moved by `times` periods on the zone's calendar. */
export function addPeriod(ms: number, period: Period, times: number, zone: Zone): number {
  const months = periodMonths(period) * times
  const days = periodDays(period) * times
  let moved = ms
  if (months !== 0) moved = zone.toInstant(addMonths(zone.toLocal(moved), months), moved)
  if (days !== 0) moved = zone.toInstant(zone.toLocal(moved) + days * msPerDay, moved)
  return moved + periodTimeMs(period) * times
}

const dateForm =
  /^([+-]?\d{1,9})(?:-(\d{1,2})(?:-(\d{1,2}))?|-W(\d{1,2})(?:-([1-7]))?|-(\d{3}))?(?:T(?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?(?:[.,](\d+))?)?(Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?)?$/

/** The instant of a date or date-time, in `zone` when the text has no offset; null when the text is neither. */
export function parseInstantText(text: string, zone: Zone = Zone.utc): number | null {
  const match = dateForm.exec(text)
  if (match === null) return null
  const days = dayNumber(match)
  const part = (group: number): number => Number(match[group] ?? 0)
  const [hour, minute, second] = [part(7), part(8), part(9)]
  if (days === null || minute > 59 || second > 59 || hour > 24 || (hour === 24 && minute + second > 0)) return null
  // A fraction belongs to the smallest unit that is written.
  const unitMs = match[9] !== undefined ? 1000 : match[8] !== undefined ? 60_000 : 3_600_000
  const fractionMs = match[10] === undefined ? 0 : Math.floor(Number(`0.${match[10]}`) * unitMs + 1e-6)
  const local = days * msPerDay + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs
  if (match[11] === undefined) return clamp(zone === Zone.utc ? local : zone.toInstant(local, local))
  const offset = Zone.find(match[11].length === 3 ? `${match[11]}:00` : match[11])
  return offset === null ? null : clamp(local - offset.offset(0))
}

const clamp = (ms: number): number => Math.max(Math.min(ms, furthestMs), -furthestMs)

function dayNumber(match: RegExpExecArray): number | null {
  const year = Number(match[1])
  if (match[4] !== undefined) {
    const week = Number(match[4])
    const fourth = daysFromCivil(year, 1, 4)
    const monday = fourth - ((((fourth + 3) % 7) + 7) % 7)
    return week < 1 || week > 53 ? null : monday + (week - 1) * 7 + Number(match[5] ?? 1) - 1
  }
  if (match[6] !== undefined) {
    const day = Number(match[6])
    return day < 1 || day > 366 ? null : daysFromCivil(year, 1, 1) + day - 1
  }
  const month = Number(match[2] ?? 1)
  const day = Number(match[3] ?? 1)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  return daysFromCivil(year, month, day)
}

/** `start/end`, `start/period` or `period/end`; null when the text is none of them, or ends before it starts. */
export function parseInterval(text: string): Interval | null {
  const parts = text.split('/')
  if (parts.length !== 2) return null
  const [left, right] = parts as [string, string]
  if (/^P/i.test(left)) {
    const period = parsePeriod(left)
    const endMs = parseInstantText(right)
    return period === null || endMs === null ? null : ordered(clamp(addPeriod(endMs, period, -1, Zone.utc)), endMs)
  }
  const startMs = parseInstantText(left)
  if (startMs === null) return null
  const period = /^P/i.test(right) ? parsePeriod(right) : null
  const endMs = period === null ? parseInstantText(right) : clamp(addPeriod(startMs, period, 1, Zone.utc))
  return endMs === null ? null : ordered(startMs, endMs)
}

const ordered = (startMs: number, endMs: number): Interval | null => (startMs <= endMs ? { startMs, endMs } : null)

/** Sorted, with intervals that touch or overlap merged. */
export function condense(intervals: readonly Interval[]): readonly Interval[] {
  const condensed: Interval[] = []
  for (const { startMs, endMs } of [...intervals].sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)) {
    const last = condensed.at(-1)
    if (last !== undefined && startMs <= last.endMs) {
      condensed[condensed.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, endMs) }
    } else condensed.push({ startMs, endMs })
  }
  return condensed
}

/** `2013-08-31T00:00:00.000-07:00`, with `Z` in UTC. */
export function formatTimestamp(ms: number, zone: Zone = Zone.utc): string {
  if (zone === Zone.utc) return formatInstant(ms)
  const offset = zone.offset(ms)
  return formatInstant(ms + offset).slice(0, -1) + (offset === 0 ? 'Z' : formatOffset(offset))
}
