import type { TimeBuckets } from '../../../algebra/aggregation.ts'
import { bucketStart, type Granularity, nextBucketStart } from '../../../model/granularity.ts'
import { firstAtOrAfter } from '../head/chunk.ts'

/** The bucket that a walk over rising times is in. */
export class BucketWalk {
  startMs = Number.POSITIVE_INFINITY
  endMs = Number.NEGATIVE_INFINITY
  readonly #granularity: Granularity
  readonly #given: TimeBuckets | null
  /** Instants from here on are known to be in the bucket: by the clocks of a zone not all behind its start are. */
  #fromMs = Number.POSITIVE_INFINITY

  /** `given` says how time is cut in place of the granularity. */
  constructor(granularity: Granularity, given: TimeBuckets | null = null) {
    this.#granularity = granularity
    this.#given = given
  }

  /** Whether buckets are by the clocks of a zone: one may end within an hour. */
  get isZoned(): boolean {
    return this.#given !== null
  }

  /** Moves to the bucket that holds `ms`: likely the one it is in, or the next. */
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

  /** The first row of rising times that lies behind the bucket of `row`; `end` when there is none. The steps double, for it may be near. */
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
