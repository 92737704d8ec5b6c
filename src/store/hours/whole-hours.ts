import type { TimeBuckets } from '../../algebra/aggregation.ts'
import { fixedMs } from '../../model/duration.ts'
import type { Granularity, ZonedGranularity } from '../../model/granularity.ts'

export const hourMs = 3_600_000

/** Whether each bucket consists of whole UTC hours. With a zone's clocks this follows the zone's rules only, so each hour is checked, too. */
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
