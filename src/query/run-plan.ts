import type { AnswerData } from '../answer/answer-data.ts'
import type { SpoolRoom } from '../answer/spool.ts'
import { type AnswerSettings, storeRows } from '../answer/store-rows.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import { outputFields, type Plan, type PlanLimits } from '../model/plan.ts'
import type { SeriesQuerier } from '../store/series-store.ts'

export interface PlanRequest {
  readonly plan: Plan
  readonly format: AnswerFormat
  readonly limits: PlanLimits
  readonly room: SpoolRoom
}

/** Runs a plan and keeps its answer until it is whole. Throws what the reader throws, and Problem `result_too_large` or `overloaded`. */
export async function runPlan(
  reader: SeriesQuerier,
  { plan, limits, ...shape }: PlanRequest,
  settings: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData> {
  const rows = { fields: outputFields(plan), batches: reader.run(plan, limits, signal) }
  return storeRows(rows, { resultBytes: limits.resultBytes, ...shape }, settings, signal)
}
