import type { Cuts } from '../../druid-time/cuts.ts'
import { tooManyBuckets } from '../limits.ts'
import type { BucketRow } from './bucket-rows.ts'
import type { ItemRollup, Window } from './function-of-time.ts'

interface Share {
  readonly startMs: number
  good: number
  items: number
}

/** The share of good items of one metric in each bucket, among accepted and other items. Of items of one date the newest counts. */
export class GoodShares {
  readonly #shares: Share[] = []
  readonly #cuts: Cuts
  readonly #window: Window
  readonly #bucketsMax: number
  #nextMs = Number.NEGATIVE_INFINITY
  #pendingMs = Number.NaN
  #pendingIsGood = false

  constructor(cuts: Cuts, window: Window, bucketsMax: number) {
    this.#cuts = cuts
    this.#window = window
    this.#bucketsMax = bucketsMax
  }

  add(ms: number, isGood: boolean): void {
    if (ms !== this.#pendingMs) this.#commit()
    this.#pendingMs = ms
    this.#pendingIsGood = isGood
  }

  /** Adds items of one bucket that are all good. */
  addRollup({ first, count }: Pick<ItemRollup, 'first' | 'count'>): void {
    this.#commit()
    this.#count(first.ms, count, count)
  }

  /** The rows of a metric with their shares at `place` of the values, plus a row for each bucket that has only items which are not accepted. */
  into(rows: readonly BucketRow[], place: number, nothing: BucketRow['values']): BucketRow[] {
    this.#commit()
    const byStart = new Map(rows.map((row) => [row.startMs, row]))
    for (const { startMs, good, items } of this.#shares) {
      const row = byStart.get(startMs) ?? { startMs, isKnown: false, values: nothing }
      byStart.set(startMs, { ...row, hasItems: true, values: row.values.with(place, good / items) })
    }
    return [...byStart.values()].sort((left, right) => left.startMs - right.startMs)
  }

  #commit(): void {
    if (!Number.isNaN(this.#pendingMs)) this.#count(this.#pendingMs, this.#pendingIsGood ? 1 : 0, 1)
    this.#pendingMs = Number.NaN
  }

  #count(ms: number, good: number, items: number): void {
    const { fromMs, endMs } = this.#window
    if (ms < fromMs || ms > endMs) return
    if (ms >= this.#nextMs) {
      const startMs = this.#cuts.startOf(ms)
      // The single bucket of `all` may start with the first accepted item.
      if (startMs > ms) return
      this.#nextMs = this.#cuts.nextOf(startMs)
      // A bucket that starts at the end of the window has no length.
      if (Math.min(this.#nextMs, endMs) <= Math.max(startMs, fromMs)) return
      if (this.#shares.push({ startMs, good: 0, items: 0 }) > this.#bucketsMax) throw tooManyBuckets(this.#bucketsMax)
    }
    const share = this.#shares.at(-1)
    if (share === undefined) return
    share.good += good
    share.items += items
  }
}
