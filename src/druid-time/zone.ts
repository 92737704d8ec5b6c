// Time zones as Joda-Time has them: offsets at instants, and the way back from local time, which keeps the offset it came from.
import { msPerDay } from '../model/instant.ts'
import { CalendarOffsets, type ZoneChange } from './calendar-offsets.ts'

const hourMs = 3_600_000
const offsetForm = /^([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?$/

/** Of a time on a zone's clock. */
export interface LocalMoments {
  readonly moments: readonly [number, number?]
  /** The clock never shows it. */
  readonly skipped: boolean
}

/** The calendar repeats itself, and so do a zone's rules: what comes behind the end is as a cycle before. */
export const cycleMs = 146_097 * msPerDay
export const cycleEndMs = Date.UTC(2088, 0, 1) + cycleMs

/**
 * Names that no tz database has, and that the calendar takes all the same: with BST it means Bangladesh, whose writer means Britain's summer.
 * They are the three letters of old Java; those that the database has (EST, MST, HST, CET, EET, WET, MET) are not among them.
 */
const shortNames = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
)

export class Zone {
  readonly name: string
  /** The name as every calendar knows it, whatever case it was asked for in. */
  readonly calendarName: string
  readonly #fixedMs: number | null
  readonly #offsets: CalendarOffsets | null
  readonly #changes = new Map<string, readonly ZoneChange[]>()

  private constructor(name: string, fixedMs: number | null, calendar: ReturnType<typeof CalendarOffsets.of> | null) {
    this.name = name
    this.#fixedMs = fixedMs
    this.#offsets = calendar?.offsets ?? null
    this.calendarName = calendar?.calendarName ?? name
  }

  static readonly utc = new Zone('UTC', 0, null)

  /** A name of the tz database or an offset like `-08:00`; null when there is no such zone. */
  static find(text: string): Zone | null {
    if (['UTC', 'Z', 'Etc/UTC', 'GMT'].includes(text)) return Zone.utc
    const offset = offsetForm.exec(text)
    if (offset !== null) {
      const [, sign, hours, minutes, seconds = '0'] = offset
      const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
      if (Number(hours) > 23 || Number(minutes) > 59) return null
      return ms === 0 ? Zone.utc : new Zone(text, sign === '-' ? -ms : ms, null)
    }
    if (!/^[A-Za-z]/.test(text) || shortNames.has(text.toUpperCase())) return null
    try {
      const known = zones.get(text)
      if (known !== undefined) return known
      const calendar = CalendarOffsets.of(text)
      const zone = calendar.calendarName === 'UTC' ? Zone.utc : new Zone(text, null, calendar)
      // Names come in any case: more spellings than zones are not kept.
      if (zones.size < 1000) zones.set(text, zone)
      return zone
    } catch {
      return null
    }
  }

  get fixed(): boolean {
    return this.#fixedMs !== null
  }

  /** Local time minus UTC at an instant. */
  offset(ms: number): number {
    return this.#offsets === null ? (this.#fixedMs ?? 0) : this.#offsets.at(ms)
  }

  toLocal(ms: number): number {
    return ms + this.offset(ms)
  }

  /** The instant of a local time, with the offset of `nearMs` where the local time occurs twice. */
  toInstant(localMs: number, nearMs: number): number {
    const near = this.offset(nearMs)
    const guess = localMs - near
    const there = this.offset(guess)
    if (there === near) return guess
    const other = localMs - there
    // A local time that was skipped: the instant of the change itself, or as far after it as the time lies in the gap.
    return this.offset(other) === there ? other : localMs - Math.min(near, there)
  }

  /**
   * The instants of a local time: one, or two where the clock shows it twice, the earlier one first. `skipped` where the clock
   * never shows it: the two are as far after the change as it lies in the gap, by the old offset, and as far before its end, by the new one.
   */
  momentsOf(localMs: number): LocalMoments {
    // No offset is as long as a day, so the change lies between.
    const earlier = this.offset(localMs - msPerDay)
    const later = this.offset(localMs + msPerDay)
    const byBoth = [localMs - earlier, localMs - later] as const
    if (earlier === later) return { moments: [byBoth[0]], skipped: false }
    const [before, after] = [this.offset(byBoth[0]) === earlier, this.offset(byBoth[1]) === later]
    if (before !== after) return { moments: [before ? byBoth[0] : byBoth[1]], skipped: false }
    const [first, second] = byBoth
    return { moments: [Math.min(first, second), Math.max(first, second)], skipped: !before }
  }

  /** The offsets between two instants, the first from `-Infinity` on; behind `cycleEndMs` they repeat. */
  changes(fromMs: number, wantedMs: number): readonly ZoneChange[] {
    const untilMs = Math.min(wantedMs, cycleEndMs)
    if (this.#offsets === null) return [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: this.#fixedMs ?? 0 }]
    const key = `${fromMs} ${untilMs}`
    const known = this.#changes.get(key)
    if (known !== undefined) return known
    const found = this.#offsets.changesBetween(fromMs, untilMs)
    if (this.#changes.size > 20) this.#changes.clear()
    this.#changes.set(key, found)
    return found
  }

  /** The instant of the next change of the offset after `ms`, or `untilMs` where that is earlier. */
  sameOffsetUntil(ms: number, untilMs: number): number {
    return this.#offsets === null ? untilMs : this.#offsets.sameUntil(ms, untilMs)
  }
}

const zones = new Map<string, Zone>()

/** `Z`, or `+02:00`. */
export function formatOffset(offsetMs: number): string {
  const size = Math.abs(offsetMs)
  const pad = (value: number): string => String(value).padStart(2, '0')
  const seconds = Math.floor(size / 1000) % 60
  const text = `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(size / hourMs))}:${pad(Math.floor(size / 60_000) % 60)}`
  return seconds === 0 ? text : `${text}:${pad(seconds)}`
}
