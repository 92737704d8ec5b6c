import type { Static } from 'typebox'
import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { fieldsOfRole } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { planQuery } from '../query/plan-query.ts'
import { readableEntity } from '../query/readable-entity.ts'
import type { LiveRequest } from '../query/requests.ts'
import type { Follower, Following, LiveIds, LiveQuery, LiveRows } from './live-rows.ts'

export interface LiveParts<Position> {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>
  readonly rows: LiveRows<Position>
  readonly positions: LiveIds<Position>
  readonly nowMs: () => number
  readonly limits: { readonly liveReaders: number; readonly buckets: number }
}

/** A live query of a reader. */
export interface FollowedRows {
  readonly entity: string
  readonly entityId: number
  readonly question: LiveQuery
}

/** Receives live rows; `begun` is called first, and once. */
export interface LiveListener<Position> extends Omit<Follower<Position>, 'following'> {
  /** `isReset`: the given id is too old or unknown, so rows before this position may be missing. */
  begun(position: Position, isReset: boolean): void
}

/** The rows of entities as they become queryable. */
export class Live<Position> {
  readonly #parts: LiveParts<Position>
  #readers = 0
  /** The last id issued: most readers receive the same one. */
  #lastId: { readonly entityId: number; readonly position: Position; readonly id: string } | null = null

  constructor(parts: LiveParts<Position>) {
    this.#parts = parts
  }

  /** Throws the same Problems as a select. */
  read(request: Static<typeof LiveRequest>, reader: Reader): FollowedRows {
    const { definitions, nowMs, limits } = this.#parts
    const { after: _, ...select } = request
    const entity = readableEntity(definitions, request.entity, reader)
    const plan = planQuery('select', select, { entity, nowMs: nowMs(), bucketsMax: limits.buckets })
    if (plan.kind !== 'select') throw new Error(`the plan of a select is one, and not a ${plan.kind}`)
    const [first, ...others] = fieldsOfRole(entity, 'tag')
    if (first === undefined) throw new Error(`entity ${entity.name} has no tag, which its definition must have`)
    const itemTags = entity.duplicates === 'replace' ? ([first, ...others] as const) : null
    return { entity: entity.name, entityId: entity.id, question: { plan, itemTags } }
  }

  /** Whether rows may still be sent: the reader may still read the entity, and it still exists. */
  isAllowed({ entity, entityId }: FollowedRows, { mayRead }: Reader): boolean {
    return mayRead(entity) && this.#parts.definitions.entity(entity)?.id === entityId
  }

  /** Follows from after an id, or from now. Throws Problem `overloaded` if there are too many readers, and `unavailable`. */
  async follow(
    { entityId, question }: FollowedRows,
    lastId: string | null,
    listener: LiveListener<Position>,
  ): Promise<Following> {
    const { rows, positions, limits } = this.#parts
    if (this.#readers >= limits.liveReaders) throw tooMany(limits.liveReaders)
    this.#readers++
    try {
      await positions.begin()
      const from = lastId === null ? null : await positions.startOf(entityId, lastId)
      const isReset = lastId !== null && from === null
      let hasBegun = false
      const following = await rows.follow(question, from, {
        following: (position) => {
          // A restarted store calls this again.
          if (!hasBegun) listener.begun(position, isReset)
          hasBegun = true
        },
        update: (update) => listener.update(update),
        caughtUp: () => listener.caughtUp(),
        lost: () => listener.lost(),
      })
      let hasEnded = false
      const end = (): void => {
        if (hasEnded) return
        hasEnded = true
        following.end()
        this.#left()
      }
      return { wait: (waits) => following.wait(waits), end }
    } catch (error) {
      this.#left()
      throw error
    }
  }

  idOf({ entityId }: FollowedRows, position: Position): string {
    const last = this.#lastId
    if (last !== null && last.entityId === entityId && last.position === position) return last.id
    const id = this.#parts.positions.idOf(entityId, position)
    this.#lastId = { entityId, position, id }
    return id
  }

  #left(): void {
    this.#readers--
    this.#parts.positions.end()
  }
}

function tooMany(liveReaders: number): Problem {
  return new Problem(
    'overloaded',
    `There are already ${liveReaders} readers of live rows (limits.liveReaders). Retry later, or ask the operator to raise the limit.`,
    { retryAfterS: 10 },
  )
}
