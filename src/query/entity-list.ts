// The list of entities that can be queried, with the extent of their data.
import { listed, type QueriesParts } from '../admission/queries.ts'
import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { type Entity, entityField, timeField } from '../model/entity.ts'
import { instantOrNull } from '../model/instant.ts'
import { selfEntity } from '../model/self-history.ts'
import type { PlanRunner } from './plan-runner.ts'
import type { EntityDescription } from './responses.ts'

export interface EntityListParts extends QueriesParts {
  readonly definitions: Pick<Definitions, 'entities'>
  readonly runner: Pick<PlanRunner, 'statistics'>
}

const advice = 'Retry with a key that can read fewer entities, or raise the limit.'

/** Entities described concurrently. On a cluster each one is a request to Druid, whose connections other queries need too. */
const describedAtOnce = 4

export class EntityList {
  readonly #parts: EntityListParts

  constructor(parts: EntityListParts) {
    this.#parts = parts
  }

  /**
   * The entities that the reader may query, by name. Runs as one query, however many entities there are. Throws Problem `overloaded`, `query_timeout` or
   * `unavailable`, and the signal's reason when it is aborted.
   */
  list(signal: AbortSignal, reader: Reader): Promise<readonly EntityDescription[]> {
    const readable = this.#parts.definitions.entities().filter((entity) => reader.mayRead(entity.name))
    return listed(this.#parts, { signal, reader, advice }, (deadline) => this.#describe(readable, deadline))
  }

  async #describe(entities: readonly Entity[], signal: AbortSignal): Promise<readonly EntityDescription[]> {
    const failing = new AbortController()
    const stop = AbortSignal.any([signal, failing.signal])
    const described = new Array<EntityDescription>(entities.length)
    const waiting = entities.entries()
    const describeWaiting = async (): Promise<void> => {
      for (const [place, entity] of waiting) {
        if (stop.aborted) return
        described[place] = await this.#describeOne(entity, stop)
      }
    }
    // When this resolves, all of them have ended: the first failure ends the others.
    await Promise.all(
      Array.from({ length: describedAtOnce }, () => describeWaiting().catch((error: unknown) => failing.abort(error))),
    )
    stop.throwIfAborted()
    return described
  }

  async #describeOne(entity: Entity, signal: AbortSignal): Promise<EntityDescription> {
    const { rows, firstMs, lastMs, hoursFromMs } = await this.#parts.runner.statistics(
      entity.id,
      entity.sinceMs,
      signal,
    )
    const { timeZone, shapes, maxGaps } = entity.reading ?? {}
    return {
      entity: entity.name,
      ingests: [...entity.ingests],
      time_field: timeField(entity).name,
      fields: entity.fields.map(entityField),
      rows,
      first_date: instantOrNull(firstMs),
      last_date: instantOrNull(lastMs),
      ...(entity.hours && {
        rows_from: instantOrNull(entity.sinceMs),
        hours_from: instantOrNull(hoursFrom(entity, hoursFromMs ?? null)),
      }),
      ...(timeZone !== undefined && { time_zone: timeZone }),
      ...(shapes !== undefined && { shapes }),
      ...(maxGaps !== undefined && { max_gaps: maxGaps }),
      ...(entity.name === selfEntity && { of_service: true }),
    }
  }
}

/** Null when there are no hours. Files may still contain hours that have expired. */
function hoursFrom({ hours }: Entity, firstMs: number | null): number | null {
  return firstMs === null ? null : Math.max(firstMs, hours?.sinceMs ?? firstMs)
}
