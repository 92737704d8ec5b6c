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

/** What an operator sets; what is absent stays. */
interface RetentionChange {
  /** An ISO 8601 duration; null keeps items for ever. */
  readonly retention?: string | null
  /** Of the hours of items that left: a duration, null for ever, or `none` for no hours. */
  readonly hoursRetention?: string | null
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
   * Sets how long an entity keeps its items, for ever when it is null, and their hours; what is left out stays. It holds when this resolves. False when there is no such entity. Throws
   * Problem `invalid_request` for what cannot be, `unavailable` while the store is started again.
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
        'must be an ISO 8601 duration, as P90D for 90 days, or null to keep items for ever',
      )
    }
    if (hoursRetention === undefined) return
    if (hoursRetention !== null && hoursRetention !== noHours && parseDuration(hoursRetention) === null) {
      throw invalidRequest(
        'hours_retention',
        `must be an ISO 8601 duration, as P10Y for 10 years, null to keep hours for ever, or "${noHours}" to keep none`,
      )
    }
  }

  /** What is kept after a change. Throws Problem `invalid_request` where one does not go with the other. */
  #next(entity: Entity, { retention = entity.retention, hoursRetention }: RetentionChange): Retention {
    const { sinceMs } = entity
    // What left before has no hours.
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
        `hours are kept of items that expire, so "retention" has to be set. To keep all items, give "hours_retention": "${noHours}" with "retention": null`,
      )
    }
    const nowMs = this.#parts.nowMs()
    if (hours.retention !== null && !(fromOf(hours.retention, nowMs) < fromOf(retention, nowMs)))
      throw invalidRequest('hours_retention', `must be longer than the retention of items, which is ${retention}`)
    return { retention, sinceMs, hours }
  }

  /** Until hours are made, queries make them of the rows: that it takes a while, or has to be tried again, nobody sees. */
  async #settleHours(id: number): Promise<void> {
    const entity = await this.#entity(id)
    if (entity?.hours === undefined || entity.sinceMs === null) return
    await this.#parts.store.purge(id, entity.sinceMs).catch(() => undefined)
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
      const hours = this.#dueHours(entity)
      // What has left is never shown again, so it has to be gone before older items may be seen.
      if (sinceMs !== null && (dueMs === null || dueMs < sinceMs)) await this.#parts.store.purge(id, sinceMs)
      if (await this.#retain(entity, { retention, sinceMs: dueMs, ...(hours && { hours }) })) return
    }
  }

  /** Whether what has left is what is due, by this clock or by one that is so much ahead. */
  #isAsDue(entity: Retention, aheadMs: number): boolean {
    const { sinceMs, hours } = entity
    if (hours !== undefined && this.#dueHours(entity)?.sinceMs !== hours.sinceMs) return false
    const dueMs = this.#dueMs(entity)
    if (sinceMs === null || dueMs === sinceMs) return dueMs === sinceMs
    const aheadDueMs = this.#dueMs(entity, aheadMs)
    return aheadDueMs !== null && sinceMs <= aheadDueMs && (dueMs === null || dueMs < sinceMs)
  }

  /** From when on its items are kept now, or in a while. Where hours took the place of items, these do not come back. */
  #dueMs({ retention, sinceMs, hours }: Retention, aheadMs = 0): number | null {
    const dueMs = retention === null ? null : sinceOf(retention, this.#parts.nowMs() + aheadMs)
    return hours === undefined ? dueMs : later(dueMs, sinceMs)
  }

  /** The hours that are kept now: what has left does not come back. */
  #dueHours({ hours }: Retention): HoursKept | undefined {
    if (hours === undefined || hours.retention === null) return hours
    return { ...hours, sinceMs: later(sinceOf(hours.retention, this.#parts.nowMs()), hours.sinceMs) }
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

/** What an operator writes in the place of a duration to keep no hours. */
export const noHours = 'none'

const later = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.max(left, right)

function fromOf(retention: string, nowMs: number): number {
  const duration = parseDuration(retention)
  if (duration === null) throw new Error(`the catalog holds the retention ${retention}, which is no duration`)
  return addDuration(nowMs, duration, -1)
}

/** The start of the first UTC day that is kept: all days that are over since so long have left. Null when that is before all dates. */
function sinceOf(retention: string, nowMs: number): number | null {
  const sinceMs = Math.floor(fromOf(retention, nowMs) / msPerDay) * msPerDay
  return sinceMs > earliestMs ? sinceMs : null
}
