import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterDeletionCatalog, PublishedChange } from '../../../catalog/deletions.ts'
import { repeat } from '../../../lib/repeat.ts'
import type {
  DeletionOutcome,
  DeletionRequest,
  DeletionSelection,
  PositionRange,
  UndoRequest,
} from '../../../model/deletion.ts'
import type { Entity } from '../../../model/entity.ts'
import { invalidRequest, Problem } from '../../../model/problem.ts'
import { selectedHours } from '../../hours/selected-hours.ts'
import type { DruidStore } from '../druid-store.ts'

export interface DruidDeletionParts {
  readonly store: Pick<DruidStore, 'countHidden' | 'hidesHours' | 'itemsMeeting'>
  readonly catalog: ClusterDeletionCatalog
  readonly entity: (id: number) => Pick<Entity, 'duplicates' | 'sinceMs' | 'hours'> | undefined
  /** Resolves when queries of this process use the current catalog. */
  readonly refresh: () => Promise<void>
  /** The end of an entity's rows passed to Druid, by partition. */
  readonly ends: (entityId: number) => Promise<readonly number[]>
  /** How long live readers can be notified of a deletion. */
  readonly changesKeptMs: number
}

/** The most items that the deletions of an entity may record in total: they are sent with each query. */
const itemsMax = 10_000
/** How long a deletion in progress blocks others and live readers after its process has ended. */
const leaseMs = 10_000
const renewEveryMs = 2000
const pollEveryMs = 50

/** Hides rows in Druid: they stay there, and each query excludes them. */
export class DruidDeletions {
  readonly #parts: DruidDeletionParts

  constructor(parts: DruidDeletionParts) {
    this.#parts = parts
  }

  /**
   * Deletes among the rows that `pushed` resolves with. Throws Problem `conflict` when there are too many deletions, `invalid_request` when too many items
   * meet the condition, `unavailable` while Kafka is unavailable.
   */
  async delete(
    request: Omit<DeletionRequest, 'pushed'>,
    pushed: () => Promise<readonly PositionRange[]>,
  ): Promise<DeletionOutcome> {
    const { entityId, selection, isDry, createdMs } = request
    requireOrder(selection, this.#parts.entity(entityId)?.duplicates)
    if (isDry) return this.#make(request, pushed, null)
    // Live readers wait while the deletion is made, so slow work is done first.
    await pushed()
    // The places of the change are read before `pushed` is called again, so every row before a place counts as pushed before the deletion.
    return this.#alone({ ...request, nowMs: createdMs }, (change) => this.#make(request, pushed, change))
  }

  /**
   * Makes the rows of a deletion visible again. False when there is no such deletion. Throws Problem `conflict` when all of its rows have expired,
   * `unavailable` while Kafka is unavailable.
   */
  async takeBack(request: UndoRequest): Promise<boolean> {
    const { catalog, refresh, entity } = this.#parts
    const { entityId, deletionId } = request
    const made = (await catalog.list(entityId)).find(({ id }) => id === deletionId)
    const lastMs = made?.selection.toMs ?? Number.POSITIVE_INFINITY
    await refresh()
    const { sinceMs = null, hours } = entity(entityId) ?? {}
    const haveLeft = lastMs < (sinceMs ?? Number.NEGATIVE_INFINITY)
    const isThere =
      haveLeft && hours !== undefined && (await this.#parts.store.hidesHours(entityId, deletionId, untimed()))
    if (haveLeft && !isThere) throw haveExpired(deletionId)
    const isTaken = await this.#alone(request, (change) => catalog.takeBack(request.deletionId, change))
    if (isTaken) await refresh()
    return isTaken
  }

  async #make(
    request: Omit<DeletionRequest, 'pushed'>,
    pushedBefore: () => Promise<readonly PositionRange[]>,
    change: PublishedChange | null,
  ): Promise<DeletionOutcome> {
    const { store, catalog, refresh } = this.#parts
    const { deletionsMax, isDry: _, ...asked } = request
    const { entityId } = asked
    const pushed = await pushedBefore()
    // The rows that it hides are counted next to the deletions of all processes.
    await refresh()
    const { selection, ofHours } = this.#selected(entityId, asked.selection)
    const signal = untimed()
    const items = await store.itemsMeeting(entityId, { selection, pushed }, itemsMax, signal)
    const rows = await store.countHidden(entityId, { selection, pushed, items }, ofHours, signal)
    if (change === null) return { rows, deletion: null }
    const position = Math.max(0, ...pushed.map(({ before }) => before))
    const made = { ...asked, selection, position, rows }
    const deletion = await catalog.create(made, { pushed, items }, { deletionsMax, itemsMax }, change)
    await refresh()
    return { rows, deletion }
  }

  /** For expired rows, the deletion selects whole hours. Throws Problem `rows_expired` when it needs the rows. */
  #selected(entityId: number, selection: DeletionSelection): ReturnType<typeof selectedHours> {
    const { sinceMs = null, hours } = this.#parts.entity(entityId) ?? {}
    return hours === undefined || sinceMs === null ? { selection, ofHours: null } : selectedHours(selection, sinceMs)
  }

  /** During the work, live readers in all processes receive no rows of the entity that come after the place of the change. */
  async #alone<Done>(
    { entityId, waitMs, nowMs }: Omit<UndoRequest, 'deletionId'>,
    work: (change: PublishedChange) => Promise<Done>,
  ): Promise<Done> {
    const { catalog, ends, changesKeptMs } = this.#parts
    const underWay = { entityId, name: randomUUID() }
    const timeout = AbortSignal.timeout(waitMs)
    while (!(await catalog.begin(underWay, leaseMs))) {
      if (timeout.aborted) throw anotherUnderWay()
      await sleep(pollEveryMs)
    }
    // If the lease ends too early, the catalog refuses the change.
    const stop = repeat(
      () => catalog.renew(underWay, leaseMs),
      renewEveryMs,
      () => undefined,
    )
    try {
      const places = await ends(entityId)
      return await work({ underWay, places, madeMs: nowMs, forgetBeforeMs: nowMs - changesKeptMs })
    } finally {
      await stop()
      // If the catalog is unavailable, the lease expires on its own.
      await catalog.end(underWay).catch(() => undefined)
    }
  }
}

const untimed = (): AbortSignal => new AbortController().signal

function haveExpired(id: number): Problem {
  return new Problem('conflict', `Deletion ${id} cannot be taken back: all of its rows have expired.`)
}

function anotherUnderWay(): Problem {
  return new Problem('unavailable', 'Another deletion of the entity is being made or taken back. Retry in a moment.')
}

/** Druid sorts strings by UTF-16, so their order differs from the API's if one has a character from U+E000 on, or a surrogate pair. */
function requireOrder({ where }: DeletionSelection, duplicates: Entity['duplicates'] | undefined): void {
  if (duplicates === 'replace' || where === null || typeof where.value !== 'string') return
  if (where.operator === '=' || where.operator === '!=' || !/[\ud800-\uffff]/.test(where.value)) return
  throw invalidRequest(
    'where.value',
    `a cluster cannot compare strings by ${where.operator} with one that has characters from U+E000 on: compare with = or !=, or with another string`,
  )
}
