import { addPeriod, periodOf } from '../druid-time/iso.ts'
import { Zone } from '../druid-time/zone.ts'
import { addDuration, type Duration, parseDuration } from '../model/duration.ts'
import { earliestMs, latestMs, namesZone, parseInstant } from '../model/instant.ts'
import type { Range } from '../model/plan.ts'
import type { Faults } from './faults.ts'
import type { RangeRequest } from './requests.ts'

const forms = 'an ISO 8601 date-time such as "2026-01-01T00:00:00Z" or a duration such as "PT15M"'

type Side = { readonly instantMs: number } | { readonly duration: Duration }

function readSide(text: string, path: string, faults: Faults, zone = Zone.utc): Side | null {
  const instantMs = parseInstant(text)
  if (instantMs !== null) return { instantMs: namesZone(text) ? instantMs : momentOf(instantMs, zone) }
  const duration = parseDuration(text)
  if (duration !== null) return { duration }
  faults.add(
    path,
    `${JSON.stringify(text)} is neither a date-time nor a duration. Give ${forms}, in the years 0001 to 9999`,
  )
  return null
}

/** The instant of a local time in a zone: the earlier of two, and the end of the gap for a skipped time. */
function momentOf(localMs: number, zone: Zone): number {
  const { moments, skipped } = zone.momentsOf(localMs)
  return withinYears(skipped ? zone.sameOffsetSince(Math.max(...moments.map(Number))) : moments[0])
}

/** Limits a sum to the years 0001 to 9999; there are no items outside. */
const withinYears = (ms: number): number => Math.min(Math.max(ms, earliestMs), latestMs)

const open: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/**
 * The range between `start_date` and `end_date`, one of which may be a duration relative to the other. If the start is a duration and there is no end, the
 * range ends at `nowMs`. Dates without a zone are local times in `zone`, and durations follow its calendar.
 */
export function readRange(request: RangeRequest, nowMs: number, faults: Faults, zone = Zone.utc): Range {
  const { start_date, end_date } = request
  const start = start_date == null ? null : readSide(start_date, 'start_date', faults, zone)
  const end = end_date == null ? null : readSide(end_date, 'end_date', faults, zone)
  const moved = (ms: number, duration: Duration, sign: 1 | -1): number =>
    withinYears(zone === Zone.utc ? addDuration(ms, duration, sign) : addPeriod(ms, periodOf(duration), sign, zone))
  if ((start_date != null && start === null) || (end_date != null && end === null)) return open
  if (start !== null && 'duration' in start) {
    if (end === null || 'instantMs' in end) {
      const toMs = end?.instantMs ?? nowMs
      return { fromMs: moved(toMs, start.duration, -1), toMs }
    }
    faults.add(
      'start_date',
      'it may be a duration only if end_date is a date-time or left out. Give one of the two as a date-time',
    )
    return open
  }
  const fromMs = start?.instantMs ?? open.fromMs
  if (end !== null && 'duration' in end) {
    if (start !== null) return { fromMs, toMs: moved(fromMs, end.duration, 1) }
    faults.add('end_date', 'it may be a duration only if start_date is a date-time. Give one of the two as a date-time')
    return open
  }
  const toMs = end?.instantMs ?? open.toMs
  if (fromMs > toMs) faults.add('start_date', 'it is after end_date. Swap the two')
  return { fromMs, toMs }
}

/** The instant of `date`; a duration means `nowMs` minus it, which may be before the year 0001. */
export function readDate(text: string, nowMs: number, faults: Faults): number {
  const side = readSide(text, 'date', faults)
  if (side === null) return nowMs
  return 'instantMs' in side ? side.instantMs : addDuration(nowMs, side.duration, -1)
}
