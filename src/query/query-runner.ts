import type { Plan, PlanLimits } from '../model/plan.ts'
import type { EntityStatistics } from '../store/series-store.ts'

/** The formats an answer may be written in. */
export type AnswerFormat = 'json'

/** A whole answer: its body is complete before a byte of it is sent. */
export interface Answer {
  readonly rows: number
  readonly bytes: number
  /** Each has memory of its own, so that it can be handed to another thread. */
  readonly chunks: readonly Uint8Array[]
}

/**
 * Runs a plan and writes its rows. The series store may live in another thread or process: what crosses is plain data.
 * Throws the Problems of `SeriesReader.run`, `query_timeout`, and `unavailable` while the store is being started again.
 */
export interface QueryRunner {
  run(plan: Plan, format: AnswerFormat, limits: PlanLimits, signal: AbortSignal): Promise<Answer>
  statistics(entityId: number): Promise<EntityStatistics>
}
