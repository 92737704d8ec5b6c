// A plan as it crosses the threads: as a text, which costs half of what the copy of its objects does, and with no limits but those of plans.

import type { PlannedNativeQuery } from '../druid-native/plan/native-plan.ts'
import type { PlannedSqlQuery } from '../druid-sql/plan/sql-plan.ts'
import type { Plan, PlanLimits } from '../model/plan.ts'
import type { PlannedData } from '../query/plan-runner.ts'

/** What the store is asked. */
export type PlannedQuery = PlannedData | PlannedSqlQuery | PlannedNativeQuery

export type SentQuery = (Omit<PlannedData, 'plan'> & { readonly plan: SentPlan }) | PlannedSqlQuery | PlannedNativeQuery

export function sentQuery(query: PlannedQuery): SentQuery {
  return query.language === 'data' ? { ...query, plan: sentPlan(query.plan) } : query
}

/** Ticks may be a million, and stay what they are. */
export type SentPlan = string | Extract<Plan, { kind: 'snap' }>

/** Sides of ranges that are open become null. */
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

/** Those of plans alone: they are given with all the other limits of the service, and each would be copied with each question. */
export function sentLimits({ resultRows, buckets, resultBytes }: PlanLimits): PlanLimits {
  return { resultRows, buckets, resultBytes }
}
