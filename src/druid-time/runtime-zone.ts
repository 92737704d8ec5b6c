// The offset changes of a zone from the runtime's calendar. The calendar only formats local times, so each change is found by searching.
import { msPerDay } from '../model/instant.ts'
import { knownUntilMs, type ZoneChange } from './zone-changes.ts'

const hourMs = 3_600_000
const quarterMs = 900_000

/** Before this, every zone uses its local mean time. */
const historyFromMs = Date.UTC(1800, 0, 1)

/** Two offset changes that cancel each other are further apart than these steps, before and after 1900. Gaza has a winter of one week in 2040. */
const earlyStepMs = 28 * msPerDay
const stepMs = 6 * msPerDay
const earlyUntilMs = Date.UTC(1900, 0, 1)

/** The runtime's canonical name of a zone, the same for all spellings; null when it does not know the name. */
export function runtimeZoneName(timeZone: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** Takes some tens of milliseconds. */
export function runtimeZoneChanges(timeZone: string): readonly ZoneChange[] {
  const offsetAt = runtimeOffsets(timeZone)
  const found: ZoneChange[] = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: offsetAt(historyFromMs) }]
  for (let at = historyFromMs, next = at; at < knownUntilMs; at = next) {
    next = at + (at < earlyUntilMs ? earlyStepMs : stepMs)
    const before = found.at(-1)!.offsetMs
    if (offsetAt(next) === before) continue
    const fromMs = changeBetween(at, next, (ms) => offsetAt(ms) === before)
    found.push({ fromMs, offsetMs: offsetAt(fromMs) })
    // There may be another one in the same step.
    next = fromMs
  }
  return found
}

/** Nearly all changes are on a quarter of an hour, which takes half as many lookups to find. */
function changeBetween(fromMs: number, untilMs: number, isBefore: (ms: number) => boolean): number {
  const atMs = firstAfter(fromMs, untilMs, quarterMs, isBefore)
  return isBefore(atMs - 1000) ? atMs : firstAfter(atMs - quarterMs, atMs, 1000, isBefore)
}

/** Binary search over whole units since 1970. */
function firstAfter(fromMs: number, untilMs: number, unitMs: number, isBefore: (ms: number) => boolean): number {
  let [low, high] = [Math.floor(fromMs / unitMs), Math.ceil(untilMs / unitMs)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isBefore(middle * unitMs)) low = middle
    else high = middle
  }
  return high * unitMs
}

/** Local time minus UTC at a whole second. Formatting the day and time suffices: no clock is a day away from UTC. */
export function runtimeOffsets(timeZone: string): (ms: number) => number {
  const { format } = new Intl.DateTimeFormat('en-US', { ...fields, timeZone })
  return (ms) => {
    // Formatted as `31, 19:00:00`.
    const [day, hour, minute, second] = format(ms).split(/\D+/).map(Number)
    const shownMs = hour! * hourMs + minute! * 60_000 + second! * 1000
    const dayMs = Math.floor(ms / msPerDay) * msPerDay
    const days = [0, 1, -1].find((days) => new Date(dayMs + days * msPerDay).getUTCDate() === day)!
    return days * msPerDay + shownMs - (ms - dayMs)
  }
}

const fields = {
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const satisfies Intl.DateTimeFormatOptions
