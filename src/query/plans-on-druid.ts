import { resolve } from 'node:path'
import { clearSpool } from '../answer/spool.ts'
import { storeRows } from '../answer/store-rows.ts'
import { type SpoolSettings, UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { bucketsOfPlan } from '../druid-time/plain-granularity.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import { outputFields, type PlanLimits } from '../model/plan.ts'
import type { EntityStatistics, SeriesQuerier, TagPage, TagRequest } from '../store/series-store.ts'
import type { PlannedData, PlanRunner } from './plan-runner.ts'

export interface PlansOnDruidOptions {
  readonly reader: SeriesQuerier
  readonly spool: SpoolSettings
  /** For results that do not fit in memory; emptied at startup. */
  readonly spoolDirectory: string
  /** The longest time that writing a result may block the event loop. */
  readonly sliceMs: number
}

/** Runs plans of data queries on a cluster. Druid does the work, so they need no separate thread. */
export class PlansOnDruid implements PlanRunner {
  readonly unsent: UnsentAnswers
  readonly #options: PlansOnDruidOptions

  private constructor(options: PlansOnDruidOptions) {
    this.#options = options
    this.unsent = new UnsentAnswers(options.spool)
  }

  static async open(options: PlansOnDruidOptions): Promise<PlansOnDruid> {
    await clearSpool(options.spoolDirectory)
    return new PlansOnDruid({ ...options, spoolDirectory: resolve(options.spoolDirectory) })
  }

  async run({ plan, format }: PlannedData, limits: PlanLimits, signal: CancelSignal): Promise<Answer> {
    const { reader, spoolDirectory, sliceMs } = this.#options
    const rows = { fields: outputFields(plan), batches: reader.run(plan, limits, signal, bucketsOfPlan(plan)) }
    const output = { format, resultBytes: limits.resultBytes, budget: this.unsent.budget() }
    return this.unsent.open(await storeRows(rows, output, { sliceMs, spoolDirectory }, signal))
  }

  statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    return this.#options.reader.statistics(entityId, sinceMs, signal)
  }

  tags(request: TagRequest, signal: AbortSignal): Promise<TagPage> {
    return this.#options.reader.tags(request, signal)
  }
}
