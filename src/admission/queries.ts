// Runs queries of every language on every engine: a query is read, waits for a slot, and is run by the first engine that accepts it, within the time limit.

import type { Answer } from '../answer/whole-answer.ts'
import type { Cancellation, CancelSignal } from '../lib/cancellation.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { PlanLimits } from '../model/plan.ts'
import type { Admission, QueryClass } from './admission.ts'
import { inTime, timeAllowed } from './in-time.ts'
import type { Reader } from './reader.ts'

export interface QueryLimits extends PlanLimits {
  /** Maximum time from the arrival of a query to its complete result. */
  readonly queryTimeMs: number
}

/** One way of running a query. */
export interface Engine {
  /** The name reported with the result; null when there is no choice of engines. */
  readonly name: NonNullable<Answer['answeredBy']> | null
  /** Null leaves the query to the next engine. Settles when the run has really ended, even if the deadline is over. */
  answer(deadline: Cancellation): Promise<Answer | null>
}

export interface ReadQuery {
  /** The class of slots that the query may use. */
  readonly kind: QueryClass
  /** In the order in which they are tried. */
  readonly engines: readonly Engine[]
}

export interface QueryContext {
  readonly reader: Reader
  readonly deadline: Cancellation
  /** Maximum time for the query, from its arrival. */
  readonly queryTimeMs: number
}

/** Interprets the queries of one language. */
export interface Language<Question> {
  /** How to make a query faster, for one that took too long. */
  readonly advice: string
  /** The timeout that a query sets for itself; 0 for none. */
  timeoutMs(question: Question): number
  /** Throws Problems when the query is invalid, or when the reader may not run it. */
  read(question: Question, context: QueryContext): ReadQuery | Promise<ReadQuery>
}

export interface QueriesParts {
  /** The slots that all queries share. */
  readonly admission: Admission
  readonly limits: Pick<QueryLimits, 'queryTimeMs'>
  readonly timer?: Timer
}

/** Runs the queries of one language. */
export class Queries<Question> {
  readonly #language: Language<Question>
  readonly #parts: QueriesParts

  constructor(language: Language<Question>, parts: QueriesParts) {
    this.#language = language
    this.#parts = parts
  }

  /**
   * Runs a query whose shape is validated. The caller must release the result. Throws the Problems of its language, `result_too_large`, `overloaded`,
   * `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
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
        // The slot is released when the engine has really ended, whether or not the result is still awaited.
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

/** Runs a list as a data query, with a slot and a time limit; its result needs no release. Throws the same errors as `Queries.run`. */
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
