// Distributes Druid's slots among the entities. Entities that get rows are read. Quiet ones give up their slots, and regain them with
// their next rows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { IngestCatalog } from '../../../catalog/catalog.ts'
import type { SlotWaitCatalog } from '../../../catalog/cluster-catalog.ts'
import type { RowsTopics } from '../../../kafka/rows-topics.ts'
import { Serial } from '../../../lib/serial.ts'
import type { Entity } from '../../../model/entity.ts'
import type { Observe } from '../../../observe/event.ts'
import { planSlots, type SlotEntity } from '../supervision/plan-slots.ts'
import type { SlotsState, SupervisorSlots } from '../supervision/supervisor-slots.ts'
import { EntityFailures } from './entity-failures.ts'

export interface EntitySlotsSettings {
  /** The slots that the tasks of one entity need. */
  readonly slotsEach: number
  /** The most of Druid's slots that are used. */
  readonly slotsMax: number
  readonly quietMs: number
  readonly quietMinMs: number
  /** Time limit of one request. */
  readonly timeoutMs: number
  /** The shortest pause between two rounds. */
  readonly pauseMs: number
}

export interface EntitySlotsParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly slots: Pick<SupervisorSlots, 'readState' | 'wake' | 'rest' | 'unread'>
  readonly rowsTopics: Pick<RowsTopics, 'ends'>
  readonly waits: SlotWaitCatalog
  readonly observe: Observe
  readonly nowMs: () => number
  readonly settings: EntitySlotsSettings
}

/** The end of a topic, and since when it has been there. */
interface End {
  readonly offsets: string
  readonly sinceMs: number
  /** Whether another end was seen before. */
  readonly hasMoved: boolean
}

/** How often an entity was woken for the same unpublished part of its topic. */
interface Tries {
  readonly unread: string
  readonly times: number
  readonly lastMs: number
}

const timeoutsMax = 3
/**
 * An entity that was woken this often without effect has nothing to read, only the rows of an aborted transaction. It is still tried again after an hour.
 */
const triesMax = 3
const tryAgainMs = 3_600_000

export class EntitySlots {
  readonly #parts: EntitySlotsParts
  readonly #rounds = new Serial()
  readonly #ends = new Map<number, End>()
  /** For entities at rest, the ends up to which everything is published. */
  readonly #published = new Map<number, string>()
  /** The unread part of entities at rest: the ends of their topics, and how much is not published. */
  readonly #unread = new Map<number, string>()
  readonly #tries = new Map<number, Tries>()
  /** Entities that tasks read, as far as is known. */
  #reading = new Set<number>()
  /** When rows of an entity were last written by this process. */
  readonly #writtenMs = new Map<number, number>()
  #next: Promise<void> | null = null
  readonly #stop = new AbortController()

  constructor(parts: EntitySlotsParts) {
    this.#parts = parts
  }

  /**
   * To be called when rows of these entities were written. Returns a round that makes sure that they are read. Returns null if they certainly are, because
   * no process puts an entity to rest that got rows within `quietMinMs`.
   */
  written(entityIds: readonly number[]): Promise<void> | null {
    const { nowMs, settings } = this.#parts
    const now = nowMs()
    let isSure = true
    for (const id of entityIds) {
      const before = this.#writtenMs.get(id) ?? Number.NEGATIVE_INFINITY
      this.#writtenMs.set(id, now)
      if (!this.#reading.has(id) || now - before > settings.quietMinMs / 2) isSure = false
    }
    return isSure ? null : this.check()
  }

  /**
   * Runs one round after the current one; all callers before its start share it. Throws Problem `unavailable` while a part is unavailable,
   * and an Error that names the entities at which something failed.
   */
  check(): Promise<void> {
    this.#next ??= this.#rounds.run(async () => {
      await sleep(this.#parts.settings.pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
      this.#next = null
      await this.#round()
    })
    return this.#next
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#rounds.run(async () => undefined)
  }

  async #round(): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { ingests, slots, rowsTopics, waits, nowMs, settings } = this.#parts
    const entities = await ingests.entities()
    // Read before the state of Druid: rows written in between belong to the next round, which the process that wrote them requests.
    const ends = await rowsTopics.ends(entities.map(({ id }) => id))
    const seen = await slots.readState()
    const since = await waits.list()
    const failures = new EntityFailures({ nowMs, budgetMs: timeoutsMax * settings.timeoutMs })
    const known: SlotEntity[] = []
    for (const { id } of entities) {
      const own = ends.get(id)
      if (own === undefined) continue
      await failures.attempt(id, async () => known.push(await this.#validated(id, own, seen, since.get(id) ?? null)))
    }
    this.#reading = new Set(known.filter(({ state }) => state === 'reading').map(({ entityId }) => entityId))
    await this.#follow(known, seen, new Map(entities.map((entity) => [entity.id, entity])), failures)
    this.#forget(new Set(entities.map(({ id }) => id)))
    failures.throwAny()
  }

  async #follow(
    known: readonly SlotEntity[],
    seen: SlotsState,
    entities: ReadonlyMap<number, Entity>,
    failures: EntityFailures,
  ): Promise<void> {
    const { slots, waits, observe, nowMs, settings } = this.#parts
    const { slotsEach, slotsMax, quietMs, quietMinMs } = settings
    const ours = [...seen.supervisors.values()]
    const comingSlots = ours.reduce((sum, { isSuspended, running }) => (isSuspended ? sum + running : sum), 0)
    // Druid creates the tasks of a resumed supervisor a moment later.
    const dueOf = ({ isSuspended, running, queued }: (typeof ours)[number]): number =>
      isSuspended ? 0 : Math.max(0, slotsEach - running - queued)
    const due = ours.reduce((sum, each) => sum + dueOf(each), 0)
    const taken = ours.reduce((sum, { running, queued }) => sum + running + queued, due)
    const freeSlots = Math.min(seen.freeSlots - due, slotsMax - taken)
    const { wake, rest, waiting } = planSlots(known, { freeSlots, comingSlots, slotsEach, quietMs, quietMinMs })
    for (const id of wake) {
      this.#count(id)
      const isThere = seen.supervisors.has(id)
      if (await failures.attempt(id, () => slots.wake(entities.get(id)!, isThere))) this.#reading.add(id)
    }
    for (const id of rest) {
      this.#reading.delete(id)
      await failures.attempt(id, () => slots.rest(id))
    }
    const changed = await waits.put(waiting, nowMs())
    if (changed) observe({ kind: 'waitingForSlots', entities: waiting.map((id) => entities.get(id)!.name), freeSlots })
    if (wake.length + rest.length > 0) observe({ kind: 'slotsMoved', woken: wake, resting: rest })
  }

  async #validated(
    entityId: number,
    ends: readonly number[],
    seen: SlotsState,
    waitingSinceMs: number | null,
  ): Promise<SlotEntity> {
    const now = this.#parts.nowMs()
    const offsets = ends.join()
    const known = this.#ends.get(entityId)
    const end = known?.offsets === offsets ? known : { offsets, sinceMs: now, hasMoved: known !== undefined }
    this.#ends.set(entityId, end)
    const supervisor = seen.supervisors.get(entityId)
    const own = { entityId, quietMs: now - end.sinceMs, waitingSinceMs, isSettled: supervisor?.isSettled ?? false }
    if (supervisor === undefined) return { ...own, state: 'absent', hasUnread: ends.some((offset) => offset > 0) }
    const { isSuspended, running, queued } = supervisor
    if (!isSuspended) {
      this.#published.delete(entityId)
      return { ...own, state: queued > 0 ? 'queued' : 'reading', hasUnread: false }
    }
    if (running + queued === 0) return { ...own, state: 'resting', hasUnread: await this.#hasUnread(entityId, ends) }
    // Its tasks still publish their rows. No process puts an entity to rest that gets rows, so recent rows arrived afterwards.
    const isNew = end.hasMoved && own.quietMs < this.#parts.settings.quietMinMs
    return { ...own, state: 'resting', hasUnread: isNew || waitingSinceMs !== null }
  }

  /** Whether an entity that is at rest, and whose tasks have ended, has rows that no task reads. */
  async #hasUnread(entityId: number, ends: readonly number[]): Promise<boolean> {
    const offsets = ends.join()
    const published = this.#published.get(entityId)
    if (published !== undefined) return published !== offsets
    const { isKnown, lags } = await this.#parts.slots.unread(entityId, ends)
    if (!isKnown) return false
    const unread = `${offsets}:${lags.join()}`
    this.#unread.set(entityId, unread)
    if (lags.every((lag) => lag === 0)) {
      this.#published.set(entityId, offsets)
      return false
    }
    const tries = this.#tries.get(entityId)
    const isHopeless = tries?.unread === unread && tries.times >= triesMax
    return !isHopeless || this.#parts.nowMs() - tries.lastMs >= tryAgainMs
  }

  #count(entityId: number): void {
    const unread = this.#unread.get(entityId)
    if (unread === undefined) return
    const known = this.#tries.get(entityId)
    const times = known?.unread === unread ? known.times + 1 : 1
    this.#tries.set(entityId, { unread, times, lastMs: this.#parts.nowMs() })
  }

  #forget(entityIds: ReadonlySet<number>): void {
    for (const map of [this.#ends, this.#published, this.#unread, this.#tries, this.#writtenMs]) {
      for (const id of map.keys()) if (!entityIds.has(id)) map.delete(id)
    }
  }
}
