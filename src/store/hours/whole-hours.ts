import type { TimeBuckets } from '../../algebra/aggregation.ts'
import { fixedMs } from '../../model/duration.ts'
import type { Granularity, ZonedGranularity } from '../../model/granularity.ts'

export const hourMs = 3_600_000

/** Whether each bucket is made of whole UTC hours; by the clocks of a zone, as far as its rules tell: each hour is looked at as well. */
export function areOfWholeHours(granularity: Granularity | ZonedGranularity, buckets: TimeBuckets | null): boolean {
  switch (granularity.kind) {
    case 'zoned':
      return buckets?.areOfHours === true
    case 'uniform':
      return granularity.widthMs % hourMs === 0 && granularity.originMs % hourMs === 0
    case 'compound':
      return fixedMs(granularity.duration) % hourMs === 0
    default:
      return true
  }
}
