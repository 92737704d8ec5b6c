import type { TimeBuckets } from '../../../algebra/aggregation.ts'
import { type AveragePlan, isOverTime, type OverTimePlan, type Plan, type Range } from '../../../model/plan.ts'
import { requireRows } from '../../hours/needed-rows.ts'
import { filledBuckets } from '../../over-time/fill-buckets.ts'
import type { ResultBatch } from '../../series-store.ts'
import type { PlanRun } from './plan-run.ts'
import { runAverage } from './run-average.ts'
import { runLatest } from './run-latest.ts'
import { runNeighbour } from './run-neighbour.ts'
import { runOverTime } from './run-over-time.ts'
import { runSelect } from './run-select.ts'
import { runSnap } from './run-snap.ts'

/** Of which dates a plan needs the rows. */
function neededRange(plan: Exclude<Plan, OverTimePlan | AveragePlan>): Range {
  switch (plan.kind) {
    case 'select':
      return plan.range
    case 'latest':
      return { fromMs: plan.fromMs, toMs: Number.POSITIVE_INFINITY }
    case 'last':
      return { fromMs: Number.NEGATIVE_INFINITY, toMs: plan.dateMs - 1 }
    case 'next':
      return { fromMs: plan.dateMs + 1, toMs: Number.POSITIVE_INFINITY }
    case 'snap':
      return { fromMs: plan.ticksMs[0] ?? Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  }
}

/** What a plan of the data queries answers, in its order. */
export function resultBatches(plan: Plan, run: PlanRun, buckets: TimeBuckets | null): AsyncGenerator<ResultBatch> {
  if (isOverTime(plan)) return runOverTime(plan, run, buckets)
  if (plan.kind !== 'average') requireRows(run.hours, neededRange(plan))
  switch (plan.kind) {
    case 'select':
      return runSelect(plan, run)
    case 'average':
      return filledBuckets(runAverage(plan, run, buckets), plan, { ...run, buckets })
    case 'latest':
      return runLatest(plan.fromMs, Number.POSITIVE_INFINITY, run)
    case 'last':
    case 'next':
      return runNeighbour(plan, run)
    case 'snap':
      return runSnap(plan, run)
    default:
      return plan satisfies never
  }
}
