import type { TimeBuckets } from '../algebra/aggregation.ts'
import { bucketStart, type Granularity, nextBucketStart, type ZonedGranularity } from '../model/granularity.ts'

/** How time is cut into buckets. Each bucket ends where the next one starts. */
export interface Cuts {
  /** The start of the bucket that an instant is in. */
  startOf(ms: number): number
  /** The start of the bucket after the one that starts here. */
  nextOf(startMs: number): number
}

/** The cuts of a granularity. `zoned` holds its buckets if they follow a zone's clocks. With `all` there is one bucket, from `fromMs` on. */
export function cutsOf(
  granularity: Granularity | ZonedGranularity,
  zoned: TimeBuckets | null,
  fromMs = Number.NEGATIVE_INFINITY,
): Cuts {
  if (granularity.kind === 'all') return { startOf: () => fromMs, nextOf: () => Number.POSITIVE_INFINITY }
  if (granularity.kind !== 'zoned') {
    return {
      startOf: (ms) => bucketStart(granularity, ms),
      nextOf: (startMs) => nextBucketStart(granularity, startMs),
    }
  }
  if (zoned === null) throw new Error('buckets by the clocks of a zone are given')
  return zonedCuts(zoned)
}

function zonedCuts(buckets: TimeBuckets): Cuts {
  const nextOf = (startMs: number): number => buckets.nextStart(startMs)
  return {
    nextOf,
    // Local times that the clocks show again do not reopen a bucket: it ended where the next one started.
    startOf: (ms) => {
      let startMs = buckets.startOf(ms)
      for (let next = nextOf(startMs); next <= ms; next = nextOf(startMs)) startMs = next
      return startMs
    },
  }
}
