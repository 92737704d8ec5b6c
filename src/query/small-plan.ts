import { msPerDay } from '../model/instant.ts'
import type { AveragePlan, Plan } from '../model/plan.ts'

const tagsMax = 15
const bucketsMax = 4096
const ticksMax = 1024
/** Items that are passed over one by one. */
const offsetMax = 1000

/** Whether little is read for a plan and answered by it, however many rows there are. */
export function isSmallPlan(plan: Plan): boolean {
  const { ids, tags, fields } = plan.selection
  if (ids === null || ids.length > tagsMax || tags.length > 1) return false
  switch (plan.kind) {
    case 'latest':
      return true
    case 'last':
    case 'next':
      return plan.offset <= offsetMax
    case 'snap':
      return plan.ticksMs.length <= ticksMax
    case 'average':
      return fields.length === 0 && bucketsOf(plan) <= bucketsMax
    case 'select':
      return false
  }
}

/** The most buckets that the range can have; Infinity where it is open. */
function bucketsOf({ range, granularity }: AveragePlan): number {
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
  }
}
