import { type AnswerData, packed } from '../answer/answer-data.ts'
import { SpareChunks } from '../answer/spare-chunks.ts'
import type { AnswerSettings } from '../answer/store-rows.ts'
import { runNativePlan } from '../druid-native/plan/run-native-plan.ts'
import { runSqlPlan } from '../druid-sql/plan/run-sql-plan.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Disk } from '../lib/disk.ts'
import { damagedData } from '../model/damaged-data.ts'
import type { Observe } from '../observe/event.ts'
import { type PlanRequest, runPlan } from '../query/run-plan.ts'
import { DamagedFileError } from '../store/embedded/sealed/damaged-file.ts'
import type { GroupsQuerier, SeriesQuerier } from '../store/series-store.ts'
import { receivedPlan } from './plan-text.ts'
import type { FromStore, SentError, ToStore } from './protocol.ts'
import { sentError } from './sent-error.ts'

/** A question that is a plan, as it crosses threads. */
export type PlanAsk = Extract<ToStore, { kind: 'run' | 'native' | 'sql' }>
export type PlanReply = Extract<FromStore, { kind: 'answer' | 'native' | 'sql' }>

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

  async #run(question: PlanRequest, signal: CancelSignal): Promise<AnswerData> {
    const answer = await runPlan(this.#parts.store, question, this.#settings, signal)
    return packed(answer, this.giveBack)
  }

  async answer(ask: PlanAsk, signal: CancelSignal): Promise<PlanReply> {
    const { store } = this.#parts
    const { id } = ask
    if (ask.kind === 'run')
      return { kind: 'answer', id, answer: await this.#run({ ...ask, plan: receivedPlan(ask.plan) }, signal) }
    const made = await (ask.kind === 'sql'
      ? runSqlPlan(store, ask, this.#settings, signal)
      : runNativePlan(store, ask, this.#settings, signal))
    return { kind: ask.kind, id, answer: made === null ? null : packed(made, this.giveBack) }
  }

  /** The log names a damaged file; the caller, who may be anybody, does not learn where it lies. */
  errorOf(error: unknown): SentError {
    if (!(error instanceof DamagedFileError)) return sentError(error)
    this.#parts.observe({ kind: 'fileDamaged', path: error.path, message: error.message })
    return sentError(damagedData())
  }
}

/** What is handed over with an answer. */
export function memoryOf(answer: AnswerData | null): ArrayBuffer[] {
  return answer?.body.kind === 'memory' ? answer.body.chunks.map((chunk) => chunk.buffer) : []
}
