// Plans are sent between threads as strings, which costs half as much as copying the objects, and with only the limits that plans need.

import type { PlannedNativeQuery } from '../druid-native/plan/native-plan.ts'
import type { PlannedSqlQuery } from '../druid-sql/plan/sql-plan.ts'
import type { Plan, PlanLimits } from '../model/plan.ts'
import type { PlannedData } from '../query/plan-runner.ts'

/** A query for the store. */
export type PlannedQuery = PlannedData | PlannedSqlQuery | PlannedNativeQuery

export type SentQuery = (Omit<PlannedData, 'plan'> & { readonly plan: SentPlan }) | PlannedSqlQuery | PlannedNativeQuery

export function sentQuery(query: PlannedQuery): SentQuery {
  return query.language === 'data' ? { ...query, plan: sentPlan(query.plan) } : query
}

/** A snap plan may have a million ticks, and is sent as it is. */
export type SentPlan = string | Extract<Plan, { kind: 'snap' }>

/** Open ends of ranges become null. */
export function sentPlan(plan: Plan): SentPlan {
  return plan.kind === 'snap' ? plan : JSON.stringify(plan)
}

export function receivedPlan(sent: SentPlan): Plan {
  if (typeof sent !== 'string') return sent
  const plan = JSON.parse(sent) as Plan
  switch (plan.kind) {
    case 'average':
    case 'aggregate':
    case 'plot':
    case 'states':
    case 'select': {
      const { fromMs, toMs } = plan.range
      return {
        ...plan,
        range: { fromMs: fromMs ?? Number.NEGATIVE_INFINITY, toMs: toMs ?? Number.POSITIVE_INFINITY },
      }
    }
    case 'latest':
      return { ...plan, fromMs: plan.fromMs ?? Number.NEGATIVE_INFINITY }
    default:
      return plan
  }
}

/** Only the limits of plans: callers pass all limits of the service, and each would be copied with each request. */
export function sentLimits({ resultRows, buckets, resultBytes }: PlanLimits): PlanLimits {
  return { resultRows, buckets, resultBytes }
}
