// Windows to search for the items nearest to a date. They widen from the date, so items found in the first window cost little.
import { earliestMs, latestMs } from '../../model/instant.ts'
import type { Range } from '../../model/plan.ts'
import type { Bounds } from './druid-query.ts'

const firstWidthMs = 3_600_000
const widening = 8

export type Direction = 'backwards' | 'forwards'

/** Ranges that together cover `range` from its end (or start) on, each wider than the one before. `widest` returns the whole rest at once. */
export class TimeWindows {
  readonly #direction: Direction
  readonly #bounds: Bounds
  #left: Range
  #widthMs = firstWidthMs

  constructor(range: Range, direction: Direction, bounds: Bounds) {
    this.#left = range
    this.#direction = direction
    this.#bounds = bounds
  }

  /** Null when the whole range was returned. */
  next(): Range | null {
    const { fromMs, toMs } = this.#left
    if (fromMs > toMs) return null
    // The first window extends beyond the known bounds, so it also covers rows newer than the bounds.
    const isBackwards = this.#direction === 'backwards'
    const anchorMs = isBackwards
      ? Math.min(toMs, this.#bounds.maxMs, latestMs)
      : Math.max(fromMs, this.#bounds.minMs, earliestMs)
    const farMs = isBackwards ? Math.max(fromMs, this.#bounds.minMs) : Math.min(toMs, this.#bounds.maxMs)
    const isLast =
      Math.abs(anchorMs - farMs) <= this.#widthMs * 2 || (isBackwards ? anchorMs <= farMs : anchorMs >= farMs)
    if (isLast) return this.widest()
    const edgeMs = isBackwards ? anchorMs - this.#widthMs : anchorMs + this.#widthMs
    this.#widthMs *= widening
    if (isBackwards) {
      this.#left = { fromMs, toMs: edgeMs - 1 }
      return { fromMs: edgeMs, toMs }
    }
    this.#left = { fromMs: edgeMs + 1, toMs }
    return { fromMs, toMs: edgeMs }
  }

  /** The rest of the range; null when there is none. */
  widest(): Range | null {
    const left = this.#left
    this.#left = { fromMs: 0, toMs: -1 }
    return left.fromMs > left.toMs ? null : left
  }
}
