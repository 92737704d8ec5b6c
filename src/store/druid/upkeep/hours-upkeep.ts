// Makes hours of expiring rows, then removes the rows. The work in progress is stored with the entity in the catalog, so any process can continue it.
// Each step may be repeated, also by several processes at once: each updates the catalog only from the state that it has read there.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IngestCatalog } from '../../../catalog/catalog.ts'
import type { ClusterDeletionCatalog } from '../../../catalog/deletions.ts'
import { Pacer } from '../../../lib/pacer.ts'
import { Serial } from '../../../lib/serial.ts'
import type { PositionRange } from '../../../model/deletion.ts'
import { dataSourceName, hoursSourceName } from '../../../model/druid-row.ts'
import type { Entity, HoursKept, HoursMade, HoursMaking } from '../../../model/entity.ts'
import { msPerDay } from '../../../model/instant.ts'
import type { Range } from '../../../model/plan.ts'
import type { QueryTarget } from '../druid-query.ts'
import type { BatchTasks } from '../hours/batch-tasks.ts'
import { countLeft, type ExpiringRows, expiredItems } from '../hours/expired-items.ts'
import { hoursOfItems, itemFields } from '../hours/hours-of-items.ts'
import { removeReplaced } from '../hours/remove-replaced.ts'
import { type WrittenHours, writeHours } from '../hours/write-hours.ts'
import { rowWindows } from '../row-windows.ts'
import { EntityFailures } from './entity-failures.ts'

export interface HoursUpkeepSettings {
  readonly clusterName: string
  readonly queryTimeMs: number
  readonly sliceMs: number
  /** The most bytes of lines in one task. */
  readonly chunkBytes: number
  /** The shortest time between replacing rows by hours and removing them: queries that began before may still read them. */
  readonly graceMs: number
  /** The longest that a step waits for Druid before it is tried again. */
  readonly waitMs: number
  readonly pollEveryMs: number
}

export interface HoursUpkeepParts {
  readonly ingests: Pick<IngestCatalog, 'entities' | 'retain'>
  readonly deletions: Pick<ClusterDeletionCatalog, 'hidden' | 'begin' | 'end'>
  /** The positions of the rows that are stored or rejected. */
  readonly processed: () => Promise<readonly PositionRange[]>
  /** Resolves when Druid has published all rows of an entity that were acknowledged before the call. */
  readonly published: (entityId: number, signal: AbortSignal) => Promise<void>
  readonly client: QueryTarget['client']
  readonly tasks: Pick<BatchTasks, 'clear' | 'once' | 'served'>
  /** Whether this process does the work; one process is enough. */
  readonly isMine: () => boolean
  readonly nowMs: () => number
  readonly settings: HoursUpkeepSettings
}

/** An entity whose rows expire and whose hours are kept. */
type Keeping = Entity & { readonly hours: HoursKept; readonly sinceMs: number }
type Making = HoursMade & { readonly making: HoursMaking }

/** The most days for which hours are made at once. */
const daysMax = 31
/** A round is aborted when its failures have taken this many time limits in total. */
const timeoutsMax = 3
/** How long deletions stay blocked after the process has ended. */
const leaseMs = 10_000
/** Rows that Druid still returns after this time have arrived since the removal. */
const lateArrivalMs = 900_000

export class HoursUpkeep {
  readonly #parts: HoursUpkeepParts
  readonly #rounds = new Serial()
  readonly #stop = new AbortController()
  /** When hours were first known to replace rows, by entity and making. */
  readonly #made = new Map<string, number>()

  constructor(parts: HoursUpkeepParts) {
    this.#parts = parts
  }

  /** One round. Throws Problem `unavailable` while a part is unavailable, and an Error that names the entities at which something failed. */
  check(): Promise<void> {
    return this.#rounds.run(() => this.#round())
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#rounds.run(async () => undefined)
  }

  async #round(): Promise<void> {
    const { ingests, isMine, nowMs, settings } = this.#parts
    if (this.#stop.signal.aborted || !isMine()) return
    const failures = new EntityFailures({ nowMs, budgetMs: timeoutsMax * settings.waitMs })
    for (const entity of await ingests.entities()) {
      if (!isKeeping(entity) || !isDue(entity)) continue
      const { id } = entity
      await failures.attempt(id, async () => {
        while (!this.#stop.signal.aborted && (await this.#step(id)));
      })
    }
    failures.throwAny()
  }

  /** False when there is nothing to do now. */
  async #step(id: number): Promise<boolean> {
    const entity = (await this.#parts.ingests.entities()).find((one) => one.id === id)
    if (entity === undefined || !isKeeping(entity)) return false
    const { made } = entity.hours
    if (made === undefined || !isMaking(made)) return this.#begin(entity)
    return made.madeMs < made.making.untilMs ? this.#make(entity, made) : this.#removeRows(entity, made)
  }

  /** Decides for which expired days hours are made next. */
  async #begin(entity: Keeping): Promise<boolean> {
    const { deletions, processed, nowMs } = this.#parts
    const { hours, sinceMs } = entity
    if (!isDue(entity)) return false
    const since = begunMs(hours)
    const source = dataSourceName(this.#parts.settings.clusterName, entity.id)
    const [first] = await this.#windows(source, { fromMs: since, toMs: sinceMs - 1 })
    const firstMs = first === undefined ? null : Math.floor(first.fromMs / msPerDay) * msPerDay
    const fromMs = Number.isFinite(since) ? since : firstMs
    // The first row determines where hours start.
    if (fromMs === null) return false
    const untilMs = firstMs === null ? sinceMs : Math.min(sinceMs, Math.max(fromMs, firstMs) + daysMax * msPerDay)
    // A deletion made meanwhile could still hide a part of an hour.
    const underWay = { entityId: entity.id, name: randomUUID() }
    if (!(await deletions.begin(underWay, leaseMs))) return false
    try {
      const pushed = await processed()
      const hidden = (await deletions.hidden()).get(entity.id) ?? []
      const deletionId = hidden.at(-1)?.id ?? 0
      const making = { untilMs, pushed, deletionId, startedMs: nowMs(), rows: null, isRemoving: false }
      return await this.#settle(entity, { goneMs: fromMs, madeMs: fromMs, making })
    } finally {
      await deletions.end(underWay)
    }
  }

  async #make(entity: Keeping, { madeMs, making }: Making): Promise<boolean> {
    const { published, tasks, settings } = this.#parts
    const { untilMs, pushed } = making
    const signal = this.#timeout()
    await published(entity.id, signal)
    const source = dataSourceName(settings.clusterName, entity.id)
    const expiring = { dates: { fromMs: madeMs, toMs: untilMs - 1 }, pushed }
    await tasks.served(source, madeMs, untilMs, signal)
    const rows = await this.#count(entity, expiring)
    const written = await this.#write(entity, madeMs, making)
    await tasks.served(source, madeMs, untilMs, this.#timeout())
    // Rejected rows that pass later get their old positions, and a server of Druid may have been down. The hours are then made again.
    const isWhole =
      (await this.#count(entity, expiring)) === rows && (await this.#areOfAll(entity, expiring, making, written))
    if (!isWhole || !(await this.#areSeen(entity.id, expiring.dates, written.hours))) {
      await this.#settle(entity, { goneMs: madeMs, madeMs, making: null })
      return false
    }
    return this.#settle(entity, { goneMs: madeMs, madeMs: untilMs, making: { ...making, rows } })
  }

  async #write(entity: Keeping, madeMs: number, making: HoursMaking): Promise<WrittenHours> {
    const { tasks, settings } = this.#parts
    const { clusterName, sliceMs, chunkBytes } = settings
    const { signal } = this.#stop
    const target = await this.#before(entity, making)
    const pacer = new Pacer({ sliceMs, signal })
    const expiring = { dates: { fromMs: madeMs, toMs: making.untilMs - 1 }, pushed: making.pushed }
    const hours = hoursOfItems(expiredItems(entity, expiring, { target, pacer }), itemFields(entity))
    const stillDue = (): Promise<void> => this.#requireDue(entity.id, making)
    return writeHours({ entity, madeMs, making, hours }, { tasks, clusterName, chunkBytes, stillDue, signal })
  }

  /** The rows, without those hidden by the deletions that the hours are made under. */
  async #before(entity: Keeping, { deletionId }: HoursMaking): Promise<QueryTarget> {
    const { deletions, settings } = this.#parts
    const standing = (await deletions.hidden()).get(entity.id) ?? []
    const hidden = standing.filter(({ id }) => id <= deletionId)
    return { ...this.#target(dataSourceName(settings.clusterName, entity.id)), hidden }
  }

  /** Whether the hours include all rows that exist. Not checked where newer rows replace older ones, because an item may consist of several rows. */
  async #areOfAll(
    entity: Keeping,
    expiring: ExpiringRows,
    making: HoursMaking,
    { rows }: WrittenHours,
  ): Promise<boolean> {
    if (entity.duplicates === 'replace') return true
    return rows === (await countLeft(entity, expiring, await this.#before(entity, making)))
  }

  /** A process that was delayed must not write hours that were given up. */
  async #requireDue(id: number, { startedMs }: HoursMaking): Promise<void> {
    const entity = (await this.#parts.ingests.entities()).find((one) => one.id === id)
    const made = entity?.hours?.made
    if (made?.making?.startedMs === startedMs && made.madeMs < made.making.untilMs) return
    throw new Error('another process went on with the hours')
  }

  /** Waits until queries see the hours that were written. False if they see more, or do not see all within the time limit. */
  async #areSeen(entityId: number, dates: Range, written: number): Promise<boolean> {
    const { clusterName, pollEveryMs } = this.#parts.settings
    const signal = this.#timeout()
    for (;;) {
      const windows = await this.#windows(hoursSourceName(clusterName, entityId), dates)
      const seen = windows.reduce((sum, { rows }) => sum + rows, 0)
      if (seen >= written) return seen === written
      this.#stop.signal.throwIfAborted()
      if (signal.aborted) return false
      await sleep(pollEveryMs, undefined, { signal: this.#stop.signal })
    }
  }

  /** The number of rows, including hidden ones. */
  #count(entity: Keeping, expiring: ExpiringRows): Promise<number> {
    return countLeft(entity, expiring, this.#target(dataSourceName(this.#parts.settings.clusterName, entity.id)))
  }

  /** Removes rows that hours have replaced, after the last query that may read them has ended. */
  async #removeRows(entity: Keeping, made: Making): Promise<boolean> {
    const { tasks, nowMs, settings } = this.#parts
    const { goneMs, madeMs, making } = made
    const key = `${entity.id} ${making.startedMs}`
    const sinceMs = this.#made.get(key) ?? nowMs()
    this.#made.set(key, sinceMs)
    if (nowMs() - sinceMs < settings.graceMs) return false
    const expiring = { dates: { fromMs: goneMs, toMs: madeMs - 1 }, pushed: making.pushed }
    const count = (): Promise<number> => this.#count(entity, expiring)
    if (!making.isRemoving) {
      // Replayed rows get their old positions. Those that were accepted before replays were refused are published by now.
      await this.#parts.published(entity.id, this.#timeout())
      const hasMore = (await count()) > (making.rows ?? 0)
      // The hours are made again with these rows, or never again: rows that are being removed must not become the only rows that hours are made of.
      const next = hasMore ? { madeMs: goneMs, making: null } : { madeMs, making: { ...making, isRemoving: true } }
      return this.#settle(entity, { goneMs, ...next })
    }
    const { clusterName, pollEveryMs, waitMs } = settings
    const pollsMax = Math.ceil(waitMs / pollEveryMs)
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(2 * waitMs)])
    const isGone = await removeReplaced(entity, made, {
      tasks,
      count,
      clusterName,
      pollEveryMs,
      pollsMax,
      signal,
    })
    if (!isGone && nowMs() - sinceMs < lateArrivalMs) return false
    this.#made.delete(key)
    return this.#settle(entity, { goneMs: madeMs, madeMs, making: null })
  }

  /** Always true: if another process was faster, there is something else to do. */
  async #settle(entity: Keeping, made: HoursMade): Promise<true> {
    const { retention, sinceMs, hours } = entity
    await this.#parts.ingests.retain(entity.id, { retention, sinceMs, hours: { ...hours, made } }, entity)
    return true
  }

  #windows(dataSource: string, dates: Range) {
    return rowWindows(this.#target(dataSource), dates, null, Number.MAX_SAFE_INTEGER)
  }

  #target(dataSource: string): QueryTarget {
    const { client, settings } = this.#parts
    return { client, dataSource, hidden: [], timeoutMs: settings.queryTimeMs, signal: this.#stop.signal }
  }

  #timeout(): AbortSignal {
    return AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#parts.settings.waitMs)])
  }
}

function isKeeping(entity: Entity): entity is Keeping {
  return entity.hours !== undefined && entity.sinceMs !== null
}

/** The start of the next hours; -Infinity before the first. */
function begunMs({ made, sinceMs }: HoursKept): number {
  return Math.max(made?.madeMs ?? Number.NEGATIVE_INFINITY, sinceMs ?? Number.NEGATIVE_INFINITY)
}

function isDue({ hours, sinceMs }: Keeping): boolean {
  return (hours.made?.making ?? null) !== null || begunMs(hours) < sinceMs
}

function isMaking(made: HoursMade): made is Making {
  return made.making !== null
}
