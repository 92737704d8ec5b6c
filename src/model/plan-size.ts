// Estimates how much a data query reads and returns, from its plan alone.
import { fixedMs } from './duration.ts'
import type { ZonedGranularity } from './granularity.ts'
import { msPerDay } from './instant.ts'
import type { BucketedPlan, Plan } from './plan.ts'

const fewTagsMax = 15
const fewTicksMax = 1024
/** Total over all tags. */
const fewBucketsMax = 4096
/** Items skipped one by one. */
const offsetMax = 1000

/** Whether a plan returns little and usually reads little. */
export function isSmallPlan(plan: Plan): boolean {
  const { ids, tags, fields } = plan.selection
  if (ids === null || ids.length > fewTagsMax || tags.length > 1) return false
  switch (plan.kind) {
    case 'select':
    case 'plot':
      return false
    case 'snap':
      // Values over time read all rows of the range.
      return plan.values === undefined && plan.ticksMs.length <= fewTicksMax
    case 'last':
    case 'next':
      return plan.offset <= offsetMax
    case 'average':
    case 'aggregate':
    case 'states':
      return fields.length === 0 && ids.length * bucketsOf(plan) <= fewBucketsMax
    case 'latest':
      return true
  }
}

/** An upper bound for the buckets of the range; Infinity if the range is open. */
function bucketsOf({ range, granularity }: BucketedPlan): number {
  const ms = range.toMs - range.fromMs
  switch (granularity.kind) {
    case 'all':
      return 1
    case 'uniform':
      return ms / granularity.widthMs + 2
    case 'months':
      return ms / (granularity.months * 28 * msPerDay) + 2
    case 'compound':
      return ms / (28 * msPerDay) + 2
    case 'zoned':
      return ms / bucketMs(granularity) + 2
  }
}

/** Approximate: days of clock changes may be shorter. */
function bucketMs({ buckets }: ZonedGranularity): number {
  switch (buckets.kind) {
    case 'localTime':
      return buckets.widthMs
    case 'days':
      return buckets.days * msPerDay
    case 'months':
      return buckets.months * 28 * msPerDay
    case 'walk': {
      const { years, months } = buckets.duration
      return fixedMs(buckets.duration) + (years * 12 + months) * 28 * msPerDay
    }
  }
}
