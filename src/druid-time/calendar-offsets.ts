// The offsets of a zone, asked of the calendar, and kept in tables by parts of the time once they are asked for often.
import { msPerDay } from '../model/instant.ts'

/** From `fromMs` on (until the next one) the offset is `offsetMs`. */
export interface ZoneChange {
  readonly fromMs: number
  readonly offsetMs: number
}

/** Longer than any two changes of a zone's offset lie apart that cancel each other. */
const scanStepMs = 7 * msPerDay

/** Before, each zone keeps its local mean time. What `Intl` makes of days before 1582 is another calendar's. */
export const historyFromMs = Date.UTC(1800, 0, 1)
/** From some years before on, each zone repeats the rules of its last year. */
const tableUntilMs = Date.UTC(2128, 0, 1)
/** Its last years, in which a year of each length begins on each day of the week. */
const lastYears = Array.from({ length: 40 }, (_, index) => 2088 + index)

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

/** A table is made of so much time: a few milliseconds' work. */
const partMs = 4 * 52 * scanStepMs
/** Questions about a part after which its table is made, which costs as much as some more of them. */
const askedMax = 100

export class CalendarOffsets {
  readonly #format: Intl.DateTimeFormat
  readonly #asked: number[] = []
  readonly #parts: (readonly ZoneChange[])[] = []

  private constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  /** The same for all spellings of a zone. */
  static of(timeZone: string): { readonly calendarName: string; readonly offsets: CalendarOffsets } {
    const format = new Intl.DateTimeFormat('en-US', { ...fields, timeZone })
    const { timeZone: calendarName } = format.resolvedOptions()
    const offsets = known.get(calendarName) ?? new CalendarOffsets(format)
    known.set(calendarName, offsets)
    return { calendarName, offsets }
  }

  /** Local time minus UTC at an instant. */
  at(ms: number): number {
    const within = withinTable(ms)
    const part = Math.floor((within - historyFromMs) / partMs)
    const changes = this.#parts[part]
    if (changes !== undefined) return offsetIn(changes, within)
    const asked = (this.#asked[part] ?? 0) + 1
    this.#asked[part] = asked
    if (asked <= askedMax) return this.ask(within)
    const startMs = historyFromMs + part * partMs
    const made = this.changesBetween(startMs, Math.min(startMs + partMs, tableUntilMs))
    this.#parts[part] = made
    return offsetIn(made, within)
  }

  /** As the calendar says. */
  ask(ms: number): number {
    const second = Math.floor(withinTable(ms) / 1000) * 1000
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(second)) parts[type] = Number(value)
    const day = Date.UTC(parts['year']!, parts['month']! - 1, parts['day'])
    return day + ((parts['hour']! * 60 + parts['minute']!) * 60 + parts['second']!) * 1000 - second
  }

  /** The offsets between two instants, the first from `-Infinity` on. */
  changesBetween(fromMs: number, untilMs: number): readonly ZoneChange[] {
    const found: ZoneChange[] = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: this.ask(fromMs) }]
    for (let at = Math.max(fromMs, historyFromMs); at < untilMs; at += scanStepMs) {
      const next = Math.min(at + scanStepMs, untilMs)
      const before = found.at(-1)!.offsetMs
      // Far ahead, the table knows.
      if ((next > tableUntilMs ? this.at(next) : this.ask(next)) === before) continue
      const changeMs = this.#changeBetween(at, next, before)
      found.push({ fromMs: changeMs, offsetMs: this.ask(changeMs) })
    }
    return found
  }

  /** The instant of the next change of the offset after `ms`, or `untilMs` where that is earlier. */
  sameUntil(ms: number, untilMs: number): number {
    const offsetMs = this.at(ms)
    for (let at = Math.max(ms, historyFromMs); at < untilMs; at += scanStepMs) {
      const next = Math.min(at + scanStepMs, untilMs)
      if (this.at(next) !== offsetMs) return this.#changeBetween(at, next, offsetMs)
    }
    return untilMs
  }

  #changeBetween(fromMs: number, untilMs: number, before: number): number {
    let low = Math.floor(fromMs / 1000)
    let high = Math.ceil(untilMs / 1000)
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.ask(middle * 1000) === before) low = middle
      else high = middle
    }
    return high * 1000
  }
}

/** By the calendar's names, of which there are some hundreds. */
const known = new Map<string, CalendarOffsets>()

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
