import type { AnswerData } from '../../answer/answer-data.ts'
import type { SpoolRoom } from '../../answer/spool.ts'
import type { AnswerSettings } from '../../answer/store-rows.ts'
import { storeText } from '../../answer/store-text.ts'
import { timeBuckets } from '../../druid-time/plain-granularity.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { Pacer } from '../../lib/pacer.ts'
import type { PlanLimits } from '../../model/plan.ts'
import type { GroupsQuerier } from '../../store/series-store.ts'
import { answerPlan, type PlannedAnswer } from './answer-plan.ts'
import { answerScan } from './answer-scan.ts'
import type { PlannedNative } from './native-scan-plan.ts'

export interface NativePlanRequest {
  readonly plan: PlannedNative
  readonly limits: PlanLimits
  readonly room: SpoolRoom
}

/** Null where the SQL engine has to answer. Throws what the store throws, and Problem `too_many_buckets`, `result_too_large` or `overloaded`. */
export async function runNativePlan(
  reader: GroupsQuerier,
  { plan, limits, room }: NativePlanRequest,
  settings: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData | null> {
  const answer = await answered(reader, plan, limits, new Pacer({ sliceMs: settings.sliceMs, signal }), signal)
  if (answer === null) return null
  const stored = await storeText(answer.pieces, { resultBytes: limits.resultBytes, room }, settings, signal)
  return { ...stored, rows: answer.rows }
}

async function answered(
  reader: GroupsQuerier,
  plan: PlannedNative,
  limits: PlanLimits,
  pacer: Pacer,
  signal: CancelSignal,
): Promise<PlannedAnswer | null> {
  if ('scan' in plan) {
    const rows = await reader.scan(plan.scan, signal)
    return rows === null ? null : answerScan(plan, rows, limits)
  }
  const groups = await reader.aggregate(plan.aggregation, signal, timeBuckets(plan.aggregation.granularity))
  return groups === null ? null : answerPlan(plan, groups, limits, pacer)
}
