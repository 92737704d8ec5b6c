// Times on the clock of a zone: formatting, and parsing of typed times.
import { runtimeOffsets, runtimeZoneName } from '../../../src/druid-time/runtime-zone.ts'
import { formatOffset } from '../../../src/druid-time/zone.ts'
import { msPerDay } from '../../../src/model/instant.ts'
import { parseWhen } from '../../../src/model/when.ts'
import { timeText } from './formats.ts'

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const isZone = (name: string): boolean => runtimeZoneName(name) !== null

/** Offsets are looked up for each instant: computing all changes of a zone takes too long for a page. */
const calendars = new Map<string, (ms: number) => number>()

/** Local time minus UTC at an instant. */
function offsetAt(ms: number, zone: string): number {
  if (zone === 'UTC') return 0
  const known = calendars.get(zone)
  const calendar = known ?? runtimeOffsets(zone)
  if (known === undefined) calendars.set(zone, calendar)
  return calendar(Math.floor(ms / 1000) * 1000)
}

/** The time on the zone's clock at an instant, in milliseconds as if it were UTC. */
export const localMsOf = (ms: number, zone: string): number => ms + offsetAt(ms, zone)

/** The time on the zone's clock, as in `2026-01-01 08:00:00`; fractions are shown unless zero. */
export const clockText = (ms: number, zone: string): string => timeText(new Date(localMsOf(ms, zone)).toISOString())

/** The offset, as in `UTC+01:00`; `UTC` if it is zero. */
export function offsetText(ms: number, zone: string): string {
  const offsetMs = offsetAt(ms, zone)
  return `UTC${offsetMs === 0 ? '' : formatOffset(offsetMs)}`
}

/** The zone with its offset at an instant: `Europe/Madrid, UTC+01:00`. */
export const zoneText = (zone: string, ms: number): string =>
  zone === 'UTC' ? zone : `${zone}, ${offsetText(ms, zone)}`

/** The instant of a time on the zone's clock: the earlier one if the time occurs twice, the end of the gap if it never occurs. */
export function instantAt(localMs: number, zone: string): number {
  // Offsets are shorter than a day, so any change of the offset is within this range.
  const byOffsets = [-msPerDay, msPerDay]
    .map((apart) => localMs - offsetAt(localMs + apart, zone))
    .sort((a, b) => a - b)
  const shown = byOffsets.find((ms) => localMsOf(ms, zone) === localMs)
  if (shown !== undefined) return shown
  let [before, after] = byOffsets as [number, number]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localMsOf(middle, zone) < localMs) before = middle
    else after = middle
  }
  return after
}

/** The start of the day, moved by a number of days. */
export function midnight(ms: number, zone: string, days = 0): number {
  const localMs = localMsOf(ms, zone)
  return instantAt((Math.floor(localMs / msPerDay) + days) * msPerDay, zone)
}

/** The instant of a typed time in the zone, and whether the text names only a day; null if it cannot be parsed. */
export function readWhen(text: string, zone: string, nowMs: number): { ms: number; isDay: boolean } | null {
  const when = parseWhen(text, nowMs)
  if (when === null) return null
  const { kind, ms, isDay } = when
  if (kind === 'day') return { ms: midnight(nowMs, zone, ms / msPerDay), isDay }
  return { ms: kind === 'clock' ? instantAt(ms, zone) : ms, isDay }
}
