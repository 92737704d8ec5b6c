import { datesOf, type Range } from '../../model/plan.ts'
import { isLargePlan } from '../../model/plan-size.ts'
import type { ReceivedAsk } from '../../store-thread/plan-answers.ts'

/** The rows that a question depends on. */
export interface AskedDates {
  readonly entityId: number
  readonly ranges: readonly Range[]
}

/** Which rows a question depends on that is worth the way to another thread; null for one that is small, or depends on all rows. */
export function largeAsk(ask: ReceivedAsk): AskedDates | null {
  if (ask.kind === 'run') {
    const { plan } = ask
    return isLargePlan(plan) ? { entityId: plan.selection.entityId, ranges: [datesOf(plan)] } : null
  }
  if ('scan' in ask.plan) return ask.plan.scan
  const { aggregation } = ask.plan
  return aggregation.needsDays ? null : aggregation
}
