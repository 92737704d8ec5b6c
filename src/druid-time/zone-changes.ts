// The offsets of one zone, from its first change to the end of time. `zone-rules.ts` selects their source.
import { msPerDay } from '../model/instant.ts'

/** The offset `offsetMs` applies from `fromMs` until the next change. A zone's first entry starts at `-Infinity`. */
export interface ZoneChange {
  readonly fromMs: number
  readonly offsetMs: number
}

const startOfYear = (year: number): number => Date.UTC(year, 0, 1)

/** Sources list every change before this year. Some years earlier, each zone already repeats the rules of its last year. */
const knownUntilYear = 2128
export const knownUntilMs = startOfYear(knownUntilYear)
/** The last known years. Among them, a year of each length starts on each day of the week. */
const lastYears = Array.from({ length: 40 }, (_, index) => knownUntilYear - 40 + index)

/** The calendar repeats after this, and so do a zone's rules: an instant after the end has the offset of one a cycle earlier. */
const cycleMs = 146_097 * msPerDay
const cycleEndYear = lastYears[0]! + 400
const cycleEndMs = startOfYear(cycleEndYear)

/** Years of the same form have the same dates on the same days of the week. */
const yearForm = (year: number): string =>
  `${(startOfYear(year + 1) - startOfYear(year)) / msPerDay} ${new Date(startOfYear(year)).getUTCDay()}`
const lastYearOfForm = new Map(lastYears.map((year) => [yearForm(year), year]))

export class ZoneChanges {
  readonly #all: readonly ZoneChange[]
  /** Index of the last lookup: the next instant is likely to be near it. */
  #last = 0

  /** `known` is in time order. Its changes from `knownUntilMs` on are ignored; those of the last years before are repeated instead. */
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

  /** The start of the unbroken period with the offset of `ms`; `-Infinity` where the offset never changed before. */
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
      // The offset never changes again, or the cycle restarts.
      if (this.#all.at(-1)!.fromMs < knownUntilMs) return untilMs
      at += cycleEndMs - within
    }
    return untilMs
  }

  /** The offsets in force between two instants, the first from `-Infinity` on. None are listed after the end of the cycle. */
  between(fromMs: number, untilMs: number): readonly ZoneChange[] {
    const [first, last] = [this.#indexAt(fromMs), this.#indexAt(untilMs)]
    const { offsetMs } = this.#all[first]!
    return [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs }, ...this.#all.slice(first + 1, last + 1)]
  }

  /** Binary search. */
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

/** The changes of the years that are not known, copied from known years of the same form. */
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

/** For an instant after the cycle, the instant of the last cycle that has the same offset. */
function withinCycle(ms: number): number {
  return ms < cycleEndMs ? ms : ms - (Math.floor((ms - cycleEndMs) / cycleMs) + 1) * cycleMs
}
