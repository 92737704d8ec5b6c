// The eight data queries and the list of entities: request -> plan -> run, within the limits of time and of queries at once.
import type { Definitions } from '../catalog/definitions.ts'
import type { Entity } from '../model/entity.ts'
import type { PlanLimits } from '../model/plan.ts'
import { Problem } from '../model/problem.ts'
import { Admission, type AdmissionLimits } from './admission.ts'
import { describeEntity } from './describe-entity.ts'
import { listNames } from './faults.ts'
import { planQuery } from './plan-query.ts'
import type { Answer, AnswerFormat, QueryRunner } from './query-runner.ts'
import type { QueryKind, QueryRequest } from './requests.ts'
import type { EntityDescription } from './responses.ts'

export interface QueryLimits extends PlanLimits, AdmissionLimits {
  /** From the arrival of a query until its answer is complete. */
  readonly queryTimeMs: number
}

/** Calls back once after a time, unless what it returned is called before. */
export type Timer = (callback: () => void, delayMs: number) => () => void

const systemTimer: Timer = (callback, delayMs) => {
  const timeout = setTimeout(callback, delayMs)
  return () => clearTimeout(timeout)
}

export interface QueriesParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities'>
  readonly runner: QueryRunner
  readonly nowMs: () => number
  readonly limits: QueryLimits
  readonly timer?: Timer
}

/** Whether the caller may know of an entity. */
export type MayRead = (entity: string) => boolean

export class Queries {
  readonly #parts: QueriesParts
  readonly #timer: Timer
  readonly #admission: Admission

  constructor(parts: QueriesParts) {
    this.#parts = parts
    this.#timer = parts.timer ?? systemTimer
    this.#admission = new Admission(parts.limits)
  }

  /**
   * Answers a request that its schema (`queryRequests`) has passed. Whoever gets the answer releases it. Throws Problem `unknown_entity`, `invalid_request`,
   * `forbidden`, `too_many_buckets`, `result_too_large`, `overloaded`, `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  async run<Kind extends QueryKind>(
    kind: Kind,
    request: QueryRequest<Kind>,
    format: AnswerFormat,
    signal: AbortSignal,
    mayRead: MayRead,
  ): Promise<Answer> {
    const { runner, nowMs, limits } = this.#parts
    const entity = this.#entity(request.entity, mayRead)
    const plan = planQuery(kind, request, { entity, nowMs: nowMs(), bucketsMax: limits.buckets })
    return this.#inTime(signal, async (deadline) => {
      await this.#admission.enter(deadline)
      // The place is free again when the runner has really ended, be the answer awaited or not.
      return runner.run(plan, format, limits, deadline).finally(() => this.#admission.leave())
    })
  }

  /** What there is to query, by name. */
  async entities(mayRead: MayRead): Promise<EntityDescription[]> {
    const { definitions, runner } = this.#parts
    const readable = definitions.entities().filter((entity) => mayRead(entity.name))
    return Promise.all(
      readable.map(async (entity) => describeEntity(entity, await runner.statistics(entity.id, entity.sinceMs))),
    )
  }

  #entity(name: string, mayRead: MayRead): Entity {
    // Whether it exists is not told to those who may not read it.
    if (!mayRead(name)) {
      throw new Problem(
        'forbidden',
        `The entity ${JSON.stringify(name)} needs a key with the consume right and a valid subscription to it.`,
      )
    }
    const { definitions } = this.#parts
    const entity = definitions.entity(name)
    if (entity !== undefined) return entity
    const names = definitions
      .entities()
      .map((known) => known.name)
      .filter(mayRead)
    const choice = names.length === 0 ? 'There is none yet that you may read.' : `There are: ${listNames(names)}.`
    const message = `There is no entity ${JSON.stringify(name)}. ${choice}`
    throw new Problem('unknown_entity', message, { errors: [{ path: 'entity', message }] })
  }

  /**
   * Runs `work` with a signal that is aborted when the time is over or the caller has gone. That is told at once; an answer that comes
   * all the same is nobody's any more.
   */
  async #inTime(signal: AbortSignal, work: (deadline: AbortSignal) => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted()
    const { queryTimeMs } = this.#parts.limits
    const controller = new AbortController()
    return new Promise<Answer>((resolve, reject) => {
      const settled = (): void => {
        stopTimer()
        signal.removeEventListener('abort', onAbort)
      }
      const stop = (reason: unknown): void => {
        settled()
        reject(reason)
        controller.abort(reason)
      }
      const onAbort = (): void => stop(signal.reason)
      const stopTimer = this.#timer(() => stop(timeIsOver(queryTimeMs)), queryTimeMs)
      signal.addEventListener('abort', onAbort, { once: true })
      const done = (answer: Answer): void => {
        settled()
        if (controller.signal.aborted) answer.release()
        else resolve(answer)
      }
      work(controller.signal).then(done, (error: unknown) => {
        settled()
        reject(error)
      })
    })
  }
}

function timeIsOver(queryTimeMs: number): Problem {
  return new Problem(
    'query_timeout',
    `The query took longer than ${queryTimeMs} ms, which is limits.queryTimeMs. ` +
      'Ask for a shorter range, fewer tags (ids, prefixes) or fewer metrics.',
  )
}
