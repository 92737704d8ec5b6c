// The eight data queries and the list of entities: request -> plan -> run, within the limits of time and of queries at once.

import type { Admission } from '../admission/admission.ts'
import { inTime } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { Entity } from '../model/entity.ts'
import type { PlanLimits } from '../model/plan.ts'
import { isSmallPlan } from '../model/plan-size.ts'
import type { QueryKind } from '../model/query-kind.ts'
import { describeEntity } from './describe-entity.ts'
import { planQuery } from './plan-query.ts'
import type { PlanRunner } from './plan-runner.ts'
import { readableEntity } from './readable-entity.ts'
import type { QueryRequest } from './requests.ts'
import type { EntityDescription } from './responses.ts'

export interface QueryLimits extends PlanLimits {
  /** From the arrival of a query until its answer is complete. */
  readonly queryTimeMs: number
}

export interface QueriesParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>
  readonly runner: PlanRunner
  /** The places that all queries share. */
  readonly admission: Admission
  readonly nowMs: () => number
  readonly limits: QueryLimits
  readonly timer?: Timer
}

const advice = 'Ask for a shorter range, fewer tags (ids, prefixes) or fewer metrics.'

/** On a cluster each is a request to Druid, whose connections others need as well. */
const describedAtOnce = 4

export class Queries {
  readonly #parts: QueriesParts

  constructor(parts: QueriesParts) {
    this.#parts = parts
  }

  /**
   * Answers a request that its schema (`queryRequests`) has passed. Whoever gets the answer releases it. Throws Problem `unknown_entity`, `invalid_request`,
   * `forbidden`, `too_many_buckets`, `result_too_large`, `overloaded`, `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  async run<Kind extends QueryKind>(
    kind: Kind,
    request: QueryRequest<Kind>,
    format: AnswerFormat,
    signal: CancelSignal,
    reader: Reader,
  ): Promise<Answer> {
    const { definitions, runner, admission, nowMs, limits, timer = systemTimer } = this.#parts
    const entity = readableEntity(definitions, request.entity, reader)
    const plan = planQuery(kind, request, { entity, nowMs: nowMs(), bucketsMax: limits.buckets })
    const { queryTimeMs } = limits
    return inTime({ signal, queryTimeMs, timer, advice }, async (deadline) => {
      const leave = await admission.enter(isSmallPlan(plan) ? 'small' : 'data', reader.id, deadline)
      // The place is free again when the runner has really ended, be the answer awaited or not.
      return runner.run(plan, format, limits, deadline).finally(leave)
    })
  }

  /**
   * What there is to query, by name: a query like the others, which takes one place however many entities there are. Throws Problem
   * `overloaded`, `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  async entities(signal: AbortSignal, reader: Reader): Promise<readonly EntityDescription[]> {
    const { definitions, admission, limits, timer = systemTimer } = this.#parts
    const readable = definitions.entities().filter((entity) => reader.mayRead(entity.name))
    const { queryTimeMs } = limits
    const advice = 'Ask again, with a key that may read fewer entities, or raise the limit.'
    const { descriptions } = await inTime({ signal, queryTimeMs, timer, advice }, async ({ signal: deadline }) => {
      const leave = await admission.enter('data', reader.id, deadline)
      const described = this.#describe(readable, deadline).finally(leave)
      return { descriptions: await described, release: () => undefined }
    })
    return descriptions
  }

  async #describe(entities: readonly Entity[], signal: AbortSignal): Promise<readonly EntityDescription[]> {
    const { runner } = this.#parts
    const failing = new AbortController()
    const stop = AbortSignal.any([signal, failing.signal])
    const described = new Array<EntityDescription>(entities.length)
    const waiting = entities.entries()
    const describeWaiting = async (): Promise<void> => {
      for (const [place, entity] of waiting) {
        if (stop.aborted) return
        described[place] = describeEntity(entity, await runner.statistics(entity.id, entity.sinceMs, stop))
      }
    }
    // All of them have ended when this does: the first that fails ends the others.
    await Promise.all(
      Array.from({ length: describedAtOnce }, () => describeWaiting().catch((error: unknown) => failing.abort(error))),
    )
    stop.throwIfAborted()
    return described
  }
}
