import { resolve } from 'node:path'
import { clearSpool } from '../answer/spool.ts'
import { runPlan } from '../answer/store-rows.ts'
import { type SpoolSettings, UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Plan, PlanLimits } from '../model/plan.ts'
import type { EntityStatistics, SeriesReader } from '../store/series-store.ts'
import type { Answer, AnswerFormat, QueryRunner } from './query-runner.ts'

export interface InProcessRunnerOptions {
  readonly reader: SeriesReader
  readonly spool: SpoolSettings
  /** For answers that do not fit into memory; emptied at the start. */
  readonly spoolDirectory: string
  /** How long the writing of an answer may hold the event loop. */
  readonly sliceMs: number
}

/** Runs plans where the reader only waits for another service, which does the work. */
export class InProcessRunner implements QueryRunner {
  readonly unsent: UnsentAnswers
  readonly #options: InProcessRunnerOptions

  private constructor(options: InProcessRunnerOptions) {
    this.#options = options
    this.unsent = new UnsentAnswers(options.spool)
  }

  static async open(options: InProcessRunnerOptions): Promise<InProcessRunner> {
    await clearSpool(options.spoolDirectory)
    return new InProcessRunner({ ...options, spoolDirectory: resolve(options.spoolDirectory) })
  }

  async run(plan: Plan, format: AnswerFormat, limits: PlanLimits, signal: AbortSignal): Promise<Answer> {
    const { reader, spoolDirectory, sliceMs } = this.#options
    const request = { plan, format, limits, room: this.unsent.room() }
    return this.unsent.open(await runPlan(reader, request, { sliceMs, spoolDirectory }, signal))
  }

  statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    return this.#options.reader.statistics(entityId, sinceMs, signal)
  }
}
