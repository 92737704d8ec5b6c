import type { IngestCatalog } from '../catalog/catalog.ts'
import { Serial } from '../lib/serial.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import type { Entity } from '../model/entity.ts'
import { earliestMs, msPerDay } from '../model/instant.ts'
import { invalidRequest } from '../model/problem.ts'
import type { Reach } from '../observe/step.ts'

export interface RetentionParts {
  readonly ingests: Pick<IngestCatalog, 'entities' | 'retain'>
  readonly store: {
    /** The catalog has changed what the store keeps. */
    changed(): void
    /** Resolves when the rows of an entity that have left are gone for good. */
    purge(entityId: number): Promise<void>
  }
  /** Called after each change, so that it holds for all queries. */
  readonly changed: () => Promise<void>
  readonly nowMs: () => number
  readonly reach: Reach
}

/**
 * Lets items leave that are older than their entity keeps them, whole UTC days at a time. What has left is noted in the catalog as a date:
 * queries see nothing before it from that moment on, whatever is in the files still.
 */
export class Retentions {
  readonly #parts: RetentionParts
  /** Of the timer and of operators, by the entity's id. One entity's purge may take minutes: the others do not wait for it. */
  readonly #changes = new Map<number, Serial>()

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  /** Lets go what is due at all entities. To be called often: a day leaves within an hour of its end. Throws the first failure, after all are tried. */
  async check(): Promise<void> {
    const due = (await this.#parts.ingests.entities()).filter((entity) => this.#dueMs(entity) !== entity.sinceMs)
    const done = await Promise.allSettled(due.map(({ id }) => this.#alone(id, (entity) => this.#apply(entity))))
    for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason
  }

  /**
   * Sets how long an entity keeps its items, for ever when it is null; it holds when this resolves. False when there is no such entity.
   * Throws Problem `invalid_request` for what is no duration, `unavailable` while the store is started again.
   */
  async set(name: string, retention: string | null): Promise<boolean> {
    if (retention !== null && parseDuration(retention) === null) {
      throw invalidRequest(
        'retention',
        'must be an ISO 8601 duration, as P90D for 90 days, or null to keep items for ever',
      )
    }
    const named = (await this.#parts.ingests.entities()).find((one) => one.name === name)
    if (named === undefined) return false
    const changed = await this.#alone(named.id, async (entity) => {
      if (!(await this.#retain(entity, retention, entity.sinceMs))) return false
      await this.#apply({ ...entity, retention })
      return true
    })
    return changed ?? false
  }

  /** Runs a change of an entity as it stands when no other one runs; undefined when it is not there any more. */
  #alone<T>(id: number, change: (entity: Entity) => Promise<T>): Promise<T | undefined> {
    const changes = this.#changes.get(id) ?? new Serial()
    this.#changes.set(id, changes)
    return changes.run(async () => {
      const entity = (await this.#parts.ingests.entities()).find((one) => one.id === id)
      return entity && change(entity)
    })
  }

  async #apply(entity: Pick<Entity, 'id' | 'retention' | 'sinceMs'>): Promise<void> {
    const { store } = this.#parts
    const dueMs = this.#dueMs(entity)
    if (dueMs === entity.sinceMs) return
    // What has left is never shown again, so it has to be gone before older items may be seen.
    if (entity.sinceMs !== null && (dueMs === null || dueMs < entity.sinceMs)) await store.purge(entity.id)
    await this.#retain(entity, entity.retention, dueMs)
  }

  /** From when on its items are kept now. */
  #dueMs({ retention }: Pick<Entity, 'retention'>): number | null {
    return retention === null ? null : sinceOf(retention, this.#parts.nowMs())
  }

  async #retain(entity: Pick<Entity, 'id'>, retention: string | null, sinceMs: number | null): Promise<boolean> {
    const { ingests, store, changed, reach } = this.#parts
    const isThere = await ingests.retain(entity.id, { retention, sinceMs })
    reach('retention-recorded')
    await changed()
    store.changed()
    return isThere
  }
}

/** The start of the first UTC day that is kept: all days that are over since so long have left. Null when that is before all dates. */
function sinceOf(retention: string, nowMs: number): number | null {
  const duration = parseDuration(retention)
  if (duration === null) throw new Error(`the catalog holds the retention ${retention}, which is no duration`)
  const sinceMs = Math.floor(addDuration(nowMs, duration, -1) / msPerDay) * msPerDay
  return sinceMs > earliestMs ? sinceMs : null
}
