// The offsets of one zone, from its first change to the end of time. Where they come from is `zone-rules.ts`.
import { msPerDay } from '../model/instant.ts'

/** From `fromMs` on (until the next one) the offset is `offsetMs`. The first of a zone is from `-Infinity` on. */
export interface ZoneChange {
  readonly fromMs: number
  readonly offsetMs: number
}

const startOfYear = (year: number): number => Date.UTC(year, 0, 1)

/** Until then a source says each change. From some years before on, each zone repeats the rules of its last year. */
const knownUntilYear = 2128
export const knownUntilMs = startOfYear(knownUntilYear)
/** The last years, in which a year of each length begins on each day of the week. */
const lastYears = Array.from({ length: 40 }, (_, index) => knownUntilYear - 40 + index)

/** The calendar repeats itself, and so do a zone's rules: what comes behind the end is as a cycle before. */
const cycleMs = 146_097 * msPerDay
const cycleEndYear = lastYears[0]! + 400
const cycleEndMs = startOfYear(cycleEndYear)

/** Years of one form have the same dates on the same days of the week. */
const yearForm = (year: number): string =>
  `${(startOfYear(year + 1) - startOfYear(year)) / msPerDay} ${new Date(startOfYear(year)).getUTCDay()}`
const lastYearOfForm = new Map(lastYears.map((year) => [yearForm(year), year]))

export class ZoneChanges {
  readonly #all: readonly ZoneChange[]
  /** Where the last instant was: the next one is likely near. */
  #last = 0

  /** In their order; those until `knownUntilMs` tell the rest. */
  constructor(known: readonly ZoneChange[]) {
    const all: ZoneChange[] = []
    for (const change of [...known.filter(({ fromMs }) => fromMs < knownUntilMs), ...repeated(known)]) {
      if (all.at(-1)?.offsetMs !== change.offsetMs) all.push(change)
    }
    this.#all = all
  }

  get isUtc(): boolean {
    return this.#all.length === 1 && this.#all[0]!.offsetMs === 0
  }

  /** Local time minus UTC at an instant. */
  at(ms: number): number {
    return this.#all[this.#indexAt(withinCycle(ms))]!.offsetMs
  }

  /** The first instant that has the offset of this one, with all between; `-Infinity` where it always had. */
  sameSince(ms: number): number {
    const within = withinCycle(ms)
    const { fromMs } = this.#all[this.#indexAt(within)]!
    return fromMs + ms - within
  }

  /** The instant of the next change of the offset after `ms`, or `untilMs` where that is earlier. */
  sameUntil(ms: number, untilMs: number): number {
    for (let at = ms; at < untilMs; ) {
      const within = withinCycle(at)
      const next = this.#all[this.#indexAt(within) + 1]
      if (next !== undefined) return Math.min(next.fromMs + at - within, untilMs)
      // Nothing changes any more, or the cycle begins anew.
      if (this.#all.at(-1)!.fromMs < knownUntilMs) return untilMs
      at += cycleEndMs - within
    }
    return untilMs
  }

  /** The offsets between two instants, the first from `-Infinity` on; behind the end of the cycle there are none. */
  between(fromMs: number, untilMs: number): readonly ZoneChange[] {
    const [first, last] = [this.#indexAt(fromMs), this.#indexAt(untilMs)]
    const { offsetMs } = this.#all[first]!
    return [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs }, ...this.#all.slice(first + 1, last + 1)]
  }

  /** By halves. */
  #indexAt(ms: number): number {
    const all = this.#all
    if (all[this.#last]!.fromMs <= ms && ms < (all[this.#last + 1]?.fromMs ?? Number.POSITIVE_INFINITY))
      return this.#last
    let [low, high] = [0, all.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (all[middle]!.fromMs <= ms) low = middle
      else high = middle
    }
    this.#last = low
    return low
  }
}

/** The changes of the years that are not known, as those of a known year of the same form. */
function repeated(known: readonly ZoneChange[]): ZoneChange[] {
  const found: ZoneChange[] = []
  for (let year = knownUntilYear; year < cycleEndYear; year++) {
    const likeYear = lastYearOfForm.get(yearForm(year))!
    const [fromMs, untilMs] = [startOfYear(likeYear), startOfYear(likeYear + 1)]
    for (const change of known) {
      if (change.fromMs >= fromMs && change.fromMs < untilMs)
        found.push({ ...change, fromMs: change.fromMs - fromMs + startOfYear(year) })
    }
  }
  return found
}

/** The instant of the last cycle with the offset of one behind it. */
function withinCycle(ms: number): number {
  return ms < cycleEndMs ? ms : ms - (Math.floor((ms - cycleEndMs) / cycleMs) + 1) * cycleMs
}
