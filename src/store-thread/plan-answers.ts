import type { Groups } from '../algebra/aggregation.ts'
import { BeyondPlan } from '../algebra/functions.ts'
import { type AnswerData, packed } from '../answer/answer-data.ts'
import { SpareChunks } from '../answer/spare-chunks.ts'
import type { SpoolBudget } from '../answer/spool.ts'
import { type AnswerSettings, storeRows } from '../answer/store-rows.ts'
import { storeText } from '../answer/store-text.ts'
import { answerPlan, answerScan } from '../druid-native/plan/answer-plan.ts'
import type { PlannedNative } from '../druid-native/plan/native-plan.ts'
import { answerSql } from '../druid-sql/plan/answer-sql.ts'
import type { PlannedSql } from '../druid-sql/plan/sql-plan.ts'
import { bucketsOfPlan, timeBuckets } from '../druid-time/plain-granularity.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Disk } from '../lib/disk.ts'
import { Pacer } from '../lib/pacer.ts'
import { damagedData } from '../model/damaged-data.ts'
import { outputFields, type PlanLimits } from '../model/plan.ts'
import type { Observe } from '../observe/event.ts'
import { DamagedFileError } from '../store/embedded/sealed/damaged-file.ts'
import type { GroupsQuerier, SeriesQuerier } from '../store/series-store.ts'
import { receivedPlan, type SentQuery } from './plan-text.ts'
import type { SentError } from './protocol.ts'
import { sentError } from './sent-error.ts'

export interface QueryToRun {
  readonly limits: PlanLimits
  readonly budget: SpoolBudget
}

export interface PlanAnswersParts {
  readonly store: SeriesQuerier & GroupsQuerier
  readonly disk: Disk
  readonly spoolDirectory: string
  readonly observe: Observe
}

/** How long the writing of an answer may hold up the others. */
const sliceMs = 1
/** What is kept of the memory of answers that were sent. */
const spareBytes = 16 * 1024 * 1024

/** Runs plans and makes their answers. */
export class PlanAnswers {
  readonly #parts: PlanAnswersParts
  readonly #settings: AnswerSettings
  readonly #spares = new SpareChunks(spareBytes)

  constructor(parts: PlanAnswersParts) {
    const { disk, spoolDirectory } = parts
    this.#parts = parts
    this.#settings = { sliceMs, disk, spoolDirectory, spares: this.#spares }
  }

  /** Takes memory of answers that may be written again. */
  readonly giveBack = (memory: readonly ArrayBuffer[]): void => this.#spares.give(memory)

  /** As `runQuery`. */
  async answer(query: SentQuery & QueryToRun, signal: CancelSignal): Promise<AnswerData | null> {
    const answer = await runQuery(this.#parts.store, query, this.#settings, signal)
    return answer && packed(answer, this.giveBack)
  }

  /** The log names a damaged file; the caller, who may be anybody, does not learn where it lies. */
  errorOf(error: unknown): SentError {
    if (!(error instanceof DamagedFileError)) return sentError(error)
    this.#parts.observe({ kind: 'fileDamaged', path: error.path, message: error.message })
    return sentError(damagedData())
  }
}

/**
 * Runs the plan of a query and makes its answer; null where the SQL engine has to give it. Throws what the store throws, and Problem
 * `too_many_buckets`, `result_too_large` or `overloaded`.
 */
export async function runQuery(
  store: SeriesQuerier & GroupsQuerier,
  query: SentQuery & QueryToRun,
  settings: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData | null> {
  const { limits, budget } = query
  const { resultBytes } = limits
  if (query.language === 'data') {
    const plan = receivedPlan(query.plan)
    const rows = { fields: outputFields(plan), batches: store.run(plan, limits, signal, bucketsOfPlan(plan)) }
    return storeRows(rows, { format: query.format, resultBytes, budget }, settings, signal)
  }
  const found = await foundBy(store, query.plan, signal)
  if (found === null) return null
  const pacer = new Pacer({ sliceMs: settings.sliceMs, signal })
  try {
    if (query.language === 'sql') {
      const rows = await answerSql(query.plan, found, limits, pacer)
      return rows && (await storeRows(rows, { format: query.format, resultBytes, budget }, settings, signal))
    }
    const answer = await ('scan' in query.plan
      ? answerScan(query.plan, found.rows, limits)
      : answerPlan(query.plan, found, limits, pacer))
    if (answer === null) return null
    return { ...(await storeText(answer.pieces, { resultBytes, budget }, settings, signal)), rows: answer.rows }
  } catch (error) {
    if (error instanceof BeyondPlan) return null
    throw error
  }
}

/** The groups of a plan, or the rows of a scan. */
async function foundBy(
  store: GroupsQuerier,
  plan: PlannedSql | PlannedNative,
  signal: CancelSignal,
): Promise<Groups | null> {
  if (!('scan' in plan)) return store.aggregate(plan.aggregation, signal, timeBuckets(plan.aggregation.granularity))
  const rows = await store.scan(plan.scan, signal)
  return rows && { rows, days: [] }
}

/** What is handed over with an answer. */
export function memoryOf(answer: AnswerData | null): ArrayBuffer[] {
  return answer?.body.kind === 'memory' ? answer.body.chunks.map((chunk) => chunk.buffer) : []
}
