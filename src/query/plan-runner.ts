import type { Answer } from '../answer/whole-answer.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { Plan, PlanLimits } from '../model/plan.ts'
import type { EntityStatistics, TagPage, TagRequest } from '../store/series-store.ts'

/** A planned data query. */
export interface PlannedData {
  readonly language: 'data'
  readonly plan: Plan
  readonly format: AnswerFormat
}

/**
 * Runs a plan and writes its rows. The series store may be in another thread or process, so only plain data is passed. Settles when the run has really ended,
 * even if the signal is aborted. Throws the Problems of `SeriesQuerier.run`, `overloaded` when too many bytes wait to be sent, and `unavailable` while the
 * store restarts.
 */
export interface PlanRunner {
  run(question: PlannedData, limits: PlanLimits, signal: CancelSignal): Promise<Answer | null>
  statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics>
  tags(request: TagRequest, signal: AbortSignal): Promise<TagPage>
}
