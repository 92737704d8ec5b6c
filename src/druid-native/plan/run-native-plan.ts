import type { SpoolRoom } from '../../answer/spool.ts'
import type { AnswerSettings } from '../../answer/store-rows.ts'
import { storeText } from '../../answer/store-text.ts'
import type { StoredAnswer } from '../../answer/stored-answer.ts'
import { Pacer } from '../../lib/pacer.ts'
import type { PlanLimits } from '../../model/plan.ts'
import type { GroupsReader } from '../../store/series-store.ts'
import { answerPlan } from './answer-plan.ts'
import type { NativePlan } from './native-plan.ts'

export interface NativePlanRequest {
  readonly plan: NativePlan
  readonly limits: PlanLimits
  readonly room: SpoolRoom
}

/** Runs a plan and keeps its answer until it is whole; null where the SQL engine has to answer. Throws what the reader throws, and Problem `too_many_buckets`, `result_too_large` or `overloaded`. */
export async function runNativePlan(
  reader: GroupsReader,
  { plan, limits, room }: NativePlanRequest,
  settings: AnswerSettings,
  signal: AbortSignal,
): Promise<StoredAnswer | null> {
  const groups = await reader.aggregate(plan.aggregation, signal)
  if (groups === null) return null
  const answer = await answerPlan(plan, groups, limits, new Pacer({ sliceMs: settings.sliceMs, signal }))
  if (answer === null) return null
  const stored = await storeText(answer.pieces, { resultBytes: limits.resultBytes, room }, settings, signal)
  return { ...stored, rows: answer.rows }
}
