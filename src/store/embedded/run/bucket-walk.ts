import type { TimeBuckets } from '../../../algebra/aggregation.ts'
import { bucketStart, type Granularity, nextBucketStart } from '../../../model/granularity.ts'
import { firstAtOrAfter } from '../head/chunk.ts'

/** The current bucket of a walk over ascending times. */
export class BucketWalk {
  startMs = Number.POSITIVE_INFINITY
  endMs = Number.NEGATIVE_INFINITY
  readonly #granularity: Granularity
  readonly #given: TimeBuckets | null
  /** Instants from here to the end are known to be in the bucket. With a zone's clocks, not all instants after its start are. */
  #fromMs = Number.POSITIVE_INFINITY

  /** `given` replaces the granularity: its buckets follow a zone's clocks. */
  constructor(granularity: Granularity, given: TimeBuckets | null = null) {
    this.#granularity = granularity
    this.#given = given
  }

  /** Whether buckets follow a zone's clocks: one may end within a UTC hour. */
  get isZoned(): boolean {
    return this.#given !== null
  }

  /** Moves to the bucket that contains `ms`: usually the current one or the next. */
  enter(ms: number): void {
    if (ms >= this.#fromMs && ms < this.endMs) return
    this.#move(ms)
    this.#fromMs = this.#given === null ? this.startMs : ms
  }

  #move(ms: number): void {
    if (this.#given !== null) {
      this.startMs = this.#given.startOf(ms)
      this.endMs = this.#given.endOf(ms)
      return
    }
    const granularity = this.#granularity
    if (granularity.kind === 'all') {
      this.startMs = Number.NEGATIVE_INFINITY
      this.endMs = Number.POSITIVE_INFINITY
      return
    }
    if (ms >= this.endMs && this.startMs < this.endMs) {
      this.startMs = this.endMs
      this.endMs = nextBucketStart(granularity, this.startMs)
      if (ms < this.endMs) return
    }
    this.startMs = bucketStart(granularity, ms)
    this.endMs = nextBucketStart(granularity, this.startMs)
  }

  /** The first row of ascending times after the bucket of `row`; `end` if there is none. It is usually near, so the search doubles its steps. */
  endIn(times: Float64Array, row: number, end: number): number {
    if (times[end - 1] < this.endMs) return end
    let low = row
    let step = 1
    while (low + step < end && times[low + step] < this.endMs) {
      low += step
      step *= 2
    }
    return firstAtOrAfter(times, low, Math.min(end, low + step), this.endMs)
  }
}
