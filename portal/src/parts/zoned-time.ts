// Times on the clocks of a zone: how they are shown, and which instant one means that somebody typed.
import { runtimeOffsets, runtimeZoneName } from '../../../src/druid-time/runtime-zone.ts'
import { formatOffset } from '../../../src/druid-time/zone.ts'
import { msPerDay } from '../../../src/model/instant.ts'
import { parseWhen } from '../../../src/model/when.ts'
import { timeText } from './formats.ts'

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const isZone = (name: string): boolean => runtimeZoneName(name) !== null

/** The calendar is asked for each instant: to learn all changes of a zone takes it longer than a page may take. */
const calendars = new Map<string, (ms: number) => number>()

/** Local time minus UTC at an instant. */
function offsetAt(ms: number, zone: string): number {
  if (zone === 'UTC') return 0
  const known = calendars.get(zone)
  const calendar = known ?? runtimeOffsets(zone)
  if (known === undefined) calendars.set(zone, calendar)
  return calendar(Math.floor(ms / 1000) * 1000)
}

/** What the zone's clock shows at an instant, in milliseconds as if it were UTC's. */
export const localMsOf = (ms: number, zone: string): number => ms + offsetAt(ms, zone)

/** `2026-01-01 08:00:00` as the zone's clock shows it; fractions only where there are any. */
export const clockText = (ms: number, zone: string): string => timeText(new Date(localMsOf(ms, zone)).toISOString())

/** `UTC+01:00`; `UTC` where clocks show that. */
export function offsetText(ms: number, zone: string): string {
  const offsetMs = offsetAt(ms, zone)
  return `UTC${offsetMs === 0 ? '' : formatOffset(offsetMs)}`
}

/** The zone with its offset at an instant: `Europe/Madrid, UTC+01:00`. */
export const zoneText = (zone: string, ms: number): string =>
  zone === 'UTC' ? zone : `${zone}, ${offsetText(ms, zone)}`

/** The instant of a time on the zone's clock: the earlier one where it is shown twice, the end of the gap where it never is. */
export function instantAt(localMs: number, zone: string): number {
  // No offset is as long as a day, so a change lies between.
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

/** The midnight that begins the day, moved by so many days. */
export function midnight(ms: number, zone: string, days = 0): number {
  const localMs = localMsOf(ms, zone)
  return instantAt((Math.floor(localMs / msPerDay) + days) * msPerDay, zone)
}

/** The instant that a text means which somebody typed on the zone's clocks, and whether it names a day alone; null where it cannot be read. */
export function readWhen(text: string, zone: string, nowMs: number): { ms: number; isDay: boolean } | null {
  const when = parseWhen(text, nowMs)
  if (when === null) return null
  const { kind, ms, isDay } = when
  if (kind === 'day') return { ms: midnight(nowMs, zone, ms / msPerDay), isDay }
  return { ms: kind === 'clock' ? instantAt(ms, zone) : ms, isDay }
}
