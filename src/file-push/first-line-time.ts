import { type LinePrecision, linePrecisions, msOfLineTime } from '../model/line-format.ts'
import { timeOfLine } from './line-counts.ts'
import type { PushedRows } from './rows.ts'

/** The most lines that are parsed: parsing all of a long file without times would be slow. */
const linesMax = 1000
/** Longer lines are not parsed. */
const lineBytesMax = 64 * 1024

const likelyPrecisions: ReadonlySet<LinePrecision> = new Set(['us', 'ms', 's'])
const likelyFromMs = Date.UTC(2000, 0, 1)
const likelyUntilMs = Date.UTC(2100, 0, 1)

/** A time that would be plausible in a coarser unit than the given one. */
export interface LikelyPrecision {
  readonly time: string
  readonly given: LinePrecision
  readonly givenMs: number
  readonly likely: LinePrecision
  readonly likelyMs: number
}

/** Remembers the first time in a file of line protocol, which shows whether the given unit is plausible. */
export class FirstLineTime {
  readonly #given: LinePrecision
  #looked = 0
  #time: bigint | null = null

  constructor(given: LinePrecision) {
    this.#given = given
  }

  async *of(lines: PushedRows): AsyncGenerator<readonly Uint8Array[]> {
    for await (const group of lines) {
      for (const line of group) {
        if (this.#time !== null || this.#looked >= linesMax) break
        this.#looked++
        if (line.length <= lineBytesMax) this.#time = timeOfLine(line)
      }
      yield group
    }
  }

  /** Null if no coarser unit gives a plausible time. Units differ by a factor of 1000, so at most one does. */
  likelyPrecision(): LikelyPrecision | null {
    const [time, given] = [this.#time, this.#given]
    if (time === null) return null
    const msIn = (precision: LinePrecision): number => Number(msOfLineTime(time, precision))
    const coarser = linePrecisions.slice(linePrecisions.indexOf(given) + 1)
    const likely = coarser.find(
      (unit) => likelyPrecisions.has(unit) && msIn(unit) >= likelyFromMs && msIn(unit) < likelyUntilMs,
    )
    if (likely === undefined) return null
    return { time: `${time}`, given, givenMs: msIn(given), likely, likelyMs: msIn(likely) }
  }
}
