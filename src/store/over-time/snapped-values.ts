import type { ItemOfMetric, Span, SpanVisitor } from './function-of-time.ts'
import { valueAtInstant } from './function-of-time.ts'

/** The value of one metric at each tick, and the date of its newest item up to the tick. */
export class SnappedValues implements SpanVisitor {
  /** `NaN` where there is no item yet. */
  readonly datesMs: Float64Array
  /** `NaN` where the value is not known. */
  readonly values: Float64Array
  readonly exact = new Map<number, bigint>()
  readonly needsUnknown = false
  readonly #ticksMs: Float64Array
  #next = 0

  constructor(ticksMs: Float64Array) {
    this.#ticksMs = ticksMs
    this.datesMs = new Float64Array(ticksMs.length).fill(Number.NaN)
    this.values = new Float64Array(ticksMs.length).fill(Number.NaN)
  }

  item(_: ItemOfMetric): void {}

  canAdd(): boolean {
    return false
  }

  rollup(): void {}

  span(span: Span): void {
    const { from, to, knownUntilMs, isKnownAtEnd, holds } = span
    const ticks = this.#ticksMs
    while (this.#next < ticks.length && ticks[this.#next] < from.ms) this.#next++
    for (; this.#next < ticks.length && (to === null || ticks[this.#next] < to.ms); this.#next++) {
      const tickMs = ticks[this.#next]
      this.datesMs[this.#next] = from.ms
      // A value is usually still known at its end: the most common tick is now.
      if (isKnownAtEnd ? tickMs > knownUntilMs : tickMs >= knownUntilMs) continue
      this.values[this.#next] = valueAtInstant(span, tickMs)
      if (from.exact !== null && (holds || tickMs === from.ms)) this.exact.set(this.#next, from.exact)
    }
  }
}
