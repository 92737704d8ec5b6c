import type { IngestCatalog, Retention } from '../catalog/catalog.ts'
import { Serial } from '../lib/serial.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import type { Entity, HoursKept } from '../model/entity.ts'
import { earliestMs, msPerDay } from '../model/instant.ts'
import { invalidRequest } from '../model/problem.ts'
import type { Reach } from '../observe/crash-point.ts'

export interface RetentionParts {
  readonly ingests: Pick<IngestCatalog, 'entities' | 'retain'>
  readonly store: {
    /** Called after the retention in the catalog has changed. */
    changed(): void
    /** Resolves when the expired rows of an entity, those before a date, are removed permanently. */
    purge(entityId: number, beforeMs: number): Promise<void>
  }
  /** Called after each change, so that it applies to all queries. */
  readonly changed: () => Promise<void>
  readonly nowMs: () => number
  readonly reach: Reach
}

/**
 * The tolerated difference between the clocks of processes. At midnight the first process expires a day. For the others that day is not over yet: without a
 * tolerance they would purge it and move the date back, and the first one would move it forward again.
 */
const clocksDifferMs = 3_600_000

/** The change that an operator makes; absent properties stay the same. */
interface RetentionChange {
  /** An ISO 8601 duration; null keeps items forever. */
  readonly retention?: string | null
  /** For the hours of expired items: a duration, null for forever, or `none` for no hours. */
  readonly hoursRetention?: string | null
}

/**
 * Expires items that are older than their entity's retention, in whole UTC days. The catalog records the expiry as a date: from that moment queries see
 * nothing before it, whatever the files still contain.
 */
export class Retentions {
  readonly #parts: RetentionParts
  /** Changes by the timer and by operators, by entity id. The purge of one entity may take minutes, and must not delay the others. */
  readonly #changes = new Map<number, Serial>()

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  /** Expires due items of all entities. Call it often: a day expires within an hour of its end. Throws the first failure after all were tried. */
  async check(): Promise<void> {
    const due = (await this.#parts.ingests.entities()).filter((entity) => !this.#isAsDue(entity, clocksDifferMs))
    const done = await Promise.allSettled(due.map(({ id }) => this.#alone(id, () => this.#apply(id, clocksDifferMs))))
    for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason
  }

  /**
   * Sets how long an entity keeps its items (null: forever) and their hours; absent values stay the same. In effect when this resolves. Returns false when
   * there is no such entity. Throws Problem `invalid_request` for invalid values, `unavailable` while the store restarts.
   */
  async set(name: string, retention?: string | null, hoursRetention?: string | null): Promise<boolean> {
    const change = {
      ...(retention !== undefined && { retention }),
      ...(hoursRetention !== undefined && { hoursRetention }),
    }
    this.#check(change)
    const named = (await this.#parts.ingests.entities()).find((one) => one.name === name)
    if (named === undefined) return false
    return this.#alone(named.id, async () => {
      for (;;) {
        const entity = await this.#entity(named.id)
        if (entity === undefined) return false
        if (await this.#retain(entity, this.#next(entity, change))) break
      }
      await this.#apply(named.id, 0)
      await this.#settleHours(named.id)
      return true
    })
  }

  #check({ retention, hoursRetention }: RetentionChange): void {
    if (retention != null && parseDuration(retention) === null) {
      throw invalidRequest(
        'retention',
        'must be an ISO 8601 duration such as P90D for 90 days, or null to keep items for ever',
      )
    }
    if (hoursRetention === undefined) return
    if (hoursRetention !== null && hoursRetention !== noHours && parseDuration(hoursRetention) === null) {
      throw invalidRequest(
        'hours_retention',
        `must be an ISO 8601 duration such as P10Y for 10 years, null to keep hours for ever, or "${noHours}" to keep none`,
      )
    }
  }

  /** The retention after a change. Throws Problem `invalid_request` when its values contradict each other. */
  #next(entity: Entity, { retention = entity.retention, hoursRetention }: RetentionChange): Retention {
    const { sinceMs } = entity
    // There are no hours of items that expired before.
    const known = entity.hours ?? { sinceMs }
    const hours =
      hoursRetention === undefined
        ? entity.hours
        : hoursRetention === noHours
          ? undefined
          : { ...known, retention: hoursRetention }
    if (hours === undefined) return { retention, sinceMs }
    if (retention === null) {
      throw invalidRequest(
        'hours_retention',
        `only expired items have hours, so "retention" must be set. To keep all items, give "hours_retention": "${noHours}" with "retention": null`,
      )
    }
    const nowMs = this.#parts.nowMs()
    if (hours.retention !== null && !(fromOf(hours.retention, nowMs) < fromOf(retention, nowMs)))
      throw invalidRequest('hours_retention', `must be longer than the retention of items, which is ${retention}`)
    return { retention, sinceMs, hours }
  }

  /** Until hours are made, queries compute them from the rows, so nobody notices that it takes time or has to be retried. */
  async #settleHours(id: number): Promise<void> {
    const entity = await this.#entity(id)
    if (entity?.hours === undefined || entity.sinceMs === null) return
    await this.#parts.store.purge(id, entity.sinceMs).catch(() => undefined)
  }

  /** Runs one change of an entity at a time in this process; other processes may change it concurrently. */
  #alone<T>(id: number, change: () => Promise<T>): Promise<T> {
    const changes = this.#changes.get(id) ?? new Serial()
    this.#changes.set(id, changes)
    return changes.run(change)
  }

  async #entity(id: number): Promise<Entity | undefined> {
    return (await this.#parts.ingests.entities()).find((one) => one.id === id)
  }

  /** Repeats until the expiry date is the due one, even if another process changes it in the meantime, because a purge may take minutes. */
  async #apply(id: number, aheadMs: number): Promise<void> {
    for (;;) {
      const entity = await this.#entity(id)
      if (entity === undefined) return
      if (this.#isAsDue(entity, aheadMs)) return
      const { retention, sinceMs } = entity
      const dueMs = this.#dueMs(entity)
      const hours = this.#dueHours(entity)
      // Expired items must never become readable again, so they are removed before an earlier date is set.
      if (sinceMs !== null && (dueMs === null || dueMs < sinceMs)) await this.#parts.store.purge(id, sinceMs)
      if (await this.#retain(entity, { retention, sinceMs: dueMs, ...(hours && { hours }) })) return
    }
  }

  /** Whether the expiry date is the due one, by this clock or by one ahead by up to `aheadMs`. */
  #isAsDue(entity: Retention, aheadMs: number): boolean {
    const { sinceMs, hours } = entity
    if (hours !== undefined && this.#dueHours(entity)?.sinceMs !== hours.sinceMs) return false
    const dueMs = this.#dueMs(entity)
    if (sinceMs === null || dueMs === sinceMs) return dueMs === sinceMs
    const aheadDueMs = this.#dueMs(entity, aheadMs)
    return aheadDueMs !== null && sinceMs <= aheadDueMs && (dueMs === null || dueMs < sinceMs)
  }

  /** The date from which items are kept, `aheadMs` from now. If hours have replaced items, the date does not go back. */
  #dueMs({ retention, sinceMs, hours }: Retention, aheadMs = 0): number | null {
    const dueMs = retention === null ? null : sinceOf(retention, this.#parts.nowMs() + aheadMs)
    return hours === undefined ? dueMs : later(dueMs, sinceMs)
  }

  /** The hours to keep now; their date does not go back. */
  #dueHours({ hours }: Retention): HoursKept | undefined {
    if (hours === undefined || hours.retention === null) return hours
    return { ...hours, sinceMs: later(sinceOf(hours.retention, this.#parts.nowMs()), hours.sinceMs) }
  }

  /** Returns false when the retention has been changed by another process. */
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

/** The value that operators give instead of a duration to keep no hours. */
export const noHours = 'none'

const later = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.max(left, right)

function fromOf(retention: string, nowMs: number): number {
  const duration = parseDuration(retention)
  if (duration === null) throw new Error(`the catalog holds the retention ${retention}, which is not a duration`)
  return addDuration(nowMs, duration, -1)
}

/** The start of the first UTC day that is kept: earlier days ended at least that long ago. Null when it is before all dates. */
function sinceOf(retention: string, nowMs: number): number | null {
  const sinceMs = Math.floor(fromOf(retention, nowMs) / msPerDay) * msPerDay
  return sinceMs > earliestMs ? sinceMs : null
}
