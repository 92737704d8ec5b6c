import type { IngestCatalog, Retention } from '../catalog/catalog.ts'
import { Serial } from '../lib/serial.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import type { Entity } from '../model/entity.ts'
import { earliestMs, msPerDay } from '../model/instant.ts'
import { invalidRequest } from '../model/problem.ts'
import type { Reach } from '../observe/crash-point.ts'

export interface RetentionParts {
  readonly ingests: Pick<IngestCatalog, 'entities' | 'retain'>
  readonly store: {
    /** The catalog has changed what the store keeps. */
    changed(): void
    /** Resolves when the rows of an entity that have left, which are those before a date, are gone for good. */
    purge(entityId: number, beforeMs: number): Promise<void>
  }
  /** Called after each change, so that it holds for all queries. */
  readonly changed: () => Promise<void>
  readonly nowMs: () => number
  readonly reach: Reach
}

/**
 * The clocks of processes may differ by so much. At midnight the first process lets a day leave. By the clocks of the others the day is
 * not over: they would purge it and take the date back, and the first one would raise it again.
 */
const clocksDifferMs = 3_600_000

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

  /**
   * Lets go what is due at all entities. Call it often: a day leaves within an hour of its end. Throws the first failure, after all were
   * tried.
   */
  async check(): Promise<void> {
    const due = (await this.#parts.ingests.entities()).filter((entity) => !this.#isAsDue(entity, clocksDifferMs))
    const done = await Promise.allSettled(due.map(({ id }) => this.#alone(id, () => this.#apply(id, clocksDifferMs))))
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
    return this.#alone(named.id, async () => {
      for (;;) {
        const entity = await this.#entity(named.id)
        if (entity === undefined) return false
        if (await this.#retain(entity, { retention, sinceMs: entity.sinceMs })) break
      }
      await this.#apply(named.id, 0)
      return true
    })
  }

  /** One change of an entity at a time; other processes have theirs meanwhile. */
  #alone<T>(id: number, change: () => Promise<T>): Promise<T> {
    const changes = this.#changes.get(id) ?? new Serial()
    this.#changes.set(id, changes)
    return changes.run(change)
  }

  async #entity(id: number): Promise<Entity | undefined> {
    return (await this.#parts.ingests.entities()).find((one) => one.id === id)
  }

  /** Until what has left is what is due, also where another process changes it meanwhile: a purge may take minutes. */
  async #apply(id: number, aheadMs: number): Promise<void> {
    for (;;) {
      const entity = await this.#entity(id)
      if (entity === undefined) return
      if (this.#isAsDue(entity, aheadMs)) return
      const { retention, sinceMs } = entity
      const dueMs = this.#dueMs(entity)
      // What has left is never shown again, so it has to be gone before older items may be seen.
      if (sinceMs !== null && (dueMs === null || dueMs < sinceMs)) await this.#parts.store.purge(id, sinceMs)
      if (await this.#retain(entity, { retention, sinceMs: dueMs })) return
    }
  }

  /** Whether what has left is what is due, by this clock or by one that is so much ahead. */
  #isAsDue(entity: Retention, aheadMs: number): boolean {
    const { sinceMs } = entity
    const dueMs = this.#dueMs(entity)
    if (sinceMs === null || dueMs === sinceMs) return dueMs === sinceMs
    const aheadDueMs = this.#dueMs(entity, aheadMs)
    return aheadDueMs !== null && sinceMs <= aheadDueMs && (dueMs === null || dueMs < sinceMs)
  }

  /** From when on its items are kept now, or in a while. */
  #dueMs({ retention }: Pick<Entity, 'retention'>, aheadMs = 0): number | null {
    return retention === null ? null : sinceOf(retention, this.#parts.nowMs() + aheadMs)
  }

  /** False when it is not as it was any more. */
  async #retain(known: Entity, next: Retention): Promise<boolean> {
    const { ingests, store, changed, reach } = this.#parts
    const isChanged = await ingests.retain(known.id, next, known)
    reach('retention-recorded')
    try {
      await changed()
    } finally {
      store.changed()
    }
    return isChanged
  }
}

/** The start of the first UTC day that is kept: all days that are over since so long have left. Null when that is before all dates. */
function sinceOf(retention: string, nowMs: number): number | null {
  const duration = parseDuration(retention)
  if (duration === null) throw new Error(`the catalog holds the retention ${retention}, which is no duration`)
  const sinceMs = Math.floor(addDuration(nowMs, duration, -1) / msPerDay) * msPerDay
  return sinceMs > earliestMs ? sinceMs : null
}
