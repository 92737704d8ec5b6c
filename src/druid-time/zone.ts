// Time zones as Joda-Time has them: offsets at instants, and the way back from local time, which keeps the offset it came from.
import { msPerDay } from '../model/instant.ts'

const hourMs = 3_600_000
const offsetForm = /^([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?$/
/** Longer than any two changes of a zone's offset lie apart that cancel each other. */
const scanStepMs = 7 * msPerDay

/** From `fromMs` on (until the next one) the offset is `offsetMs`. */
export interface ZoneChange {
  readonly fromMs: number
  readonly offsetMs: number
}

/** Of a time on a zone's clock. */
export interface LocalMoments {
  readonly moments: readonly [number, number?]
  /** The clock never shows it. */
  readonly skipped: boolean
}

/** Before, each zone keeps its local mean time. What `Intl` makes of days before 1582 is another calendar's. */
export const historyFromMs = Date.UTC(1800, 0, 1)
/** From some years before on, each zone repeats the rules of its last year. */
const tableUntilMs = Date.UTC(2128, 0, 1)
/** Its last years, in which a year of each length begins on each day of the week. */
const lastYears = Array.from({ length: 40 }, (_, index) => 2088 + index)
const tableAfter = 2000

/** The calendar repeats itself, and so do a zone's rules: what comes behind the end is as a cycle before. */
export const cycleMs = 146_097 * msPerDay
export const cycleEndMs = Date.UTC(2088, 0, 1) + cycleMs

const startOfYear = (year: number): number => new Date(0).setUTCFullYear(year, 0, 1)
const yearForm = (startMs: number, nextMs: number): string =>
  `${(nextMs - startMs) / msPerDay} ${(((startMs / msPerDay) % 7) + 7) % 7}`
const lastYearOfForm = new Map(
  lastYears.map((year) => [yearForm(startOfYear(year), startOfYear(year + 1)), startOfYear(year)] as const),
)

/** An instant within the table's time at which a zone has the offset of this one. */
function withinTable(ms: number): number {
  if (ms < historyFromMs) return historyFromMs
  if (ms < tableUntilMs) return ms
  const year = new Date(Math.min(ms, 8.64e15 - 400 * msPerDay)).getUTCFullYear()
  const startMs = startOfYear(year)
  return ms - startMs + lastYearOfForm.get(yearForm(startMs, startOfYear(year + 1)))!
}

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
  readonly #format: Intl.DateTimeFormat | null
  readonly #changes = new Map<string, readonly ZoneChange[]>()
  #asked = 0
  #table: readonly ZoneChange[] | null = null

  private constructor(name: string, fixedMs: number | null, format: Intl.DateTimeFormat | null) {
    this.name = name
    this.#fixedMs = fixedMs
    this.#format = format
    this.calendarName = format?.resolvedOptions().timeZone ?? name
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
      const zone = new Zone(text, null, new Intl.DateTimeFormat('en-US', { ...fields, timeZone: text }))
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
    if (this.#format === null) return this.#fixedMs ?? 0
    // Who asks often is answered from a table, which costs as much as a few thousand questions.
    if (this.#table === null && ++this.#asked > tableAfter) this.#table = this.changes(historyFromMs, tableUntilMs)
    return this.#table === null ? this.#ask(ms) : offsetIn(this.#table, withinTable(ms))
  }

  #ask(ms: number): number {
    if (this.#format === null) throw new Error('a fixed zone is not asked')
    const second = Math.floor(withinTable(ms) / 1000) * 1000
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(second)) parts[type] = Number(value)
    const day = Date.UTC(parts['year']!, parts['month']! - 1, parts['day'])
    return day + ((parts['hour']! * 60 + parts['minute']!) * 60 + parts['second']!) * 1000 - second
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
    if (this.#fixedMs !== null) return [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: this.#fixedMs }]
    const key = `${fromMs} ${untilMs}`
    const known = this.#changes.get(key)
    if (known !== undefined) return known
    const found: ZoneChange[] = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: this.#ask(fromMs) }]
    for (let at = Math.max(fromMs, historyFromMs); at < untilMs; at += scanStepMs) {
      const next = Math.min(at + scanStepMs, untilMs)
      const before = found.at(-1)!.offsetMs
      // Far ahead, the table knows.
      if ((next > tableUntilMs ? this.offset(next) : this.#ask(next)) === before) continue
      const changeMs = this.#changeBetween(at, next, before)
      found.push({ fromMs: changeMs, offsetMs: this.#ask(changeMs) })
    }
    if (this.#changes.size > 20) this.#changes.clear()
    this.#changes.set(key, found)
    return found
  }

  /** The instant of the next change of the offset after `ms`, or `untilMs` where that is earlier. */
  sameOffsetUntil(ms: number, untilMs: number): number {
    if (this.#fixedMs !== null) return untilMs
    const offsetMs = this.offset(ms)
    for (let at = Math.max(ms, historyFromMs); at < untilMs; at += scanStepMs) {
      const next = Math.min(at + scanStepMs, untilMs)
      if (this.offset(next) !== offsetMs) return this.#changeBetween(at, next, offsetMs)
    }
    return untilMs
  }

  #changeBetween(fromMs: number, untilMs: number, before: number): number {
    let low = Math.floor(fromMs / 1000)
    let high = Math.ceil(untilMs / 1000)
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#ask(middle * 1000) === before) low = middle
      else high = middle
    }
    return high * 1000
  }
}

/** The offset at an instant, by halves. */
function offsetIn(changes: readonly ZoneChange[], ms: number): number {
  let [low, high] = [0, changes.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (changes[middle]!.fromMs <= ms) low = middle
    else high = middle
  }
  return changes[low]!.offsetMs
}

const zones = new Map<string, Zone>()

const fields = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
  calendar: 'iso8601',
} as const satisfies Intl.DateTimeFormatOptions

/** `Z`, or `+02:00`. */
export function formatOffset(offsetMs: number): string {
  const size = Math.abs(offsetMs)
  const pad = (value: number): string => String(value).padStart(2, '0')
  const seconds = Math.floor(size / 1000) % 60
  const text = `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(size / hourMs))}:${pad(Math.floor(size / 60_000) % 60)}`
  return seconds === 0 ? text : `${text}:${pad(seconds)}`
}
