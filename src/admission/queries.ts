// The way of every query, whatever its language and engine: it is read, waits for its place, and the first engine that takes it answers, in time.

import type { Answer } from '../answer/whole-answer.ts'
import type { Cancellation, CancelSignal } from '../lib/cancellation.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { PlanLimits } from '../model/plan.ts'
import type { Admission, QueryClass } from './admission.ts'
import { inTime, timeAllowed } from './in-time.ts'
import type { Reader } from './reader.ts'

export interface QueryLimits extends PlanLimits {
  /** From the arrival of a query until its answer is complete. */
  readonly queryTimeMs: number
}

/** One way to an answer. */
export interface Engine {
  /** Whom the answer is attributed to; null where there is no choice. */
  readonly name: NonNullable<Answer['answeredBy']> | null
  /** Null where it leaves the query to the next engine. Settles when the run has really ended, be it because the deadline is over. */
  answer(deadline: Cancellation): Promise<Answer | null>
}

export interface ReadQuery {
  /** Which places it may have. */
  readonly kind: QueryClass
  /** In the order in which they are asked. */
  readonly engines: readonly Engine[]
}

export interface QueryContext {
  readonly reader: Reader
  readonly deadline: Cancellation
  /** How long the query may take, from its arrival. */
  readonly queryTimeMs: number
}

/** How questions of one language are understood. */
export interface Language<Question> {
  /** What would make a query shorter, for one that took too long. */
  readonly advice: string
  /** The time that a question gives itself; 0 for none. */
  timeoutMs(question: Question): number
  /** Throws the Problems of what is wrong with the question, or not the reader's to ask. */
  read(question: Question, context: QueryContext): ReadQuery | Promise<ReadQuery>
}

export interface QueriesParts {
  /** The places that all queries share. */
  readonly admission: Admission
  readonly limits: Pick<QueryLimits, 'queryTimeMs'>
  readonly timer?: Timer
}

/** The queries of one language. */
export class Queries<Question> {
  readonly #language: Language<Question>
  readonly #parts: QueriesParts

  constructor(language: Language<Question>, parts: QueriesParts) {
    this.#language = language
    this.#parts = parts
  }

  /**
   * Answers a question whose shape was checked. Whoever gets the answer releases it. Throws the Problems of its language, `result_too_large`,
   * `overloaded`, `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  run(question: Question, signal: CancelSignal, reader: Reader): Promise<Answer> {
    const { admission, limits, timer = systemTimer } = this.#parts
    const language = this.#language
    const { advice } = language
    const allowed = timeAllowed(language.timeoutMs(question), limits)
    return inTime({ signal, ...allowed, timer, advice }, async (deadline) => {
      const { kind, engines } = await language.read(question, { reader, deadline, queryTimeMs: allowed.queryTimeMs })
      const leave = await admission.enter(kind, reader.id, deadline)
      try {
        return await firstAnswer(engines, deadline)
      } finally {
        // The place is free again when the engine has really ended, be the answer awaited or not.
        leave()
      }
    })
  }
}

async function firstAnswer(engines: readonly Engine[], deadline: Cancellation): Promise<Answer> {
  for (const engine of engines) {
    const answer = await engine.answer(deadline)
    if (answer !== null) return engine.name === null ? answer : { answeredBy: engine.name, ...answer }
  }
  throw new Error('the last engine of a query takes all that comes to it')
}

/** What holds nothing that is to be released: a list that takes a place among the data queries. Throws what `Queries.run` throws. */
export async function listed<Result>(
  { admission, limits, timer = systemTimer }: QueriesParts,
  { signal, reader, advice }: { readonly signal: AbortSignal; readonly reader: Reader; readonly advice: string },
  work: (deadline: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { queryTimeMs } = limits
  const { result } = await inTime({ signal, queryTimeMs, timer, advice }, async (deadline) => {
    const leave = await admission.enter('data', reader.id, deadline)
    return { result: await work(deadline.signal).finally(leave), release: () => undefined }
  })
  return result
}
