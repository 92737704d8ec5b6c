// Shares Druid's slots out among the entities. Entities that get rows are read. Quiet ones give their slots back, and come back with
// their next rows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { IngestCatalog } from '../../../catalog/catalog.ts'
import type { SlotWaitCatalog } from '../../../catalog/cluster-catalog.ts'
import type { RowsTopics } from '../../../kafka/rows-topics.ts'
import { Serial } from '../../../lib/serial.ts'
import type { Entity } from '../../../model/entity.ts'
import type { Observe } from '../../../observe/event.ts'
import { planSlots, type SlotEntity } from '../supervision/plan-slots.ts'
import type { SlotsSeen, SupervisorSlots } from '../supervision/supervisor-slots.ts'
import { EntityFailures } from './entity-failures.ts'

export interface EntitySlotsSettings {
  /** What the tasks of one entity take. */
  readonly slotsEach: number
  /** Of Druid's slots, the most that are taken. */
  readonly slotsMax: number
  readonly quietMs: number
  readonly quietMinMs: number
  /** How long one request may take. */
  readonly timeoutMs: number
  /** How long after a round the next one begins at the earliest. */
  readonly pauseMs: number
}

export interface EntitySlotsParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly slots: Pick<SupervisorSlots, 'look' | 'wake' | 'rest' | 'unread'>
  readonly rowsTopics: Pick<RowsTopics, 'ends'>
  readonly waits: SlotWaitCatalog
  readonly observe: Observe
  readonly nowMs: () => number
  readonly settings: EntitySlotsSettings
}

/** Where a topic ends, and since when. */
interface End {
  readonly offsets: string
  readonly sinceMs: number
  /** Whether it was seen to end elsewhere before. */
  readonly hasMoved: boolean
}

/** How often an entity was woken for what Druid had not published of a topic that ends there. */
interface Tries {
  readonly unread: string
  readonly times: number
  readonly lastMs: number
}

const timeoutsMax = 3
/**
 * An entity that was woken so often, with nothing coming of it, has nothing to be read: what a transaction wrote that was given up. It is tried again
 * after an hour all the same.
 */
const triesMax = 3
const tryAgainMs = 3_600_000

export class EntitySlots {
  readonly #parts: EntitySlotsParts
  readonly #rounds = new Serial()
  readonly #ends = new Map<number, End>()
  /** The ends that all is published to, of entities that rest. */
  readonly #published = new Map<number, string>()
  /** What is unread of entities that rest: where their topics end, and how much of them is not published. */
  readonly #unread = new Map<number, string>()
  readonly #tries = new Map<number, Tries>()
  /** Entities that are read, as far as is known. */
  #reading = new Set<number>()
  /** When rows of an entity were last written by this process. */
  readonly #writtenMs = new Map<number, number>()
  #next: Promise<void> | null = null
  readonly #stop = new AbortController()

  constructor(parts: EntitySlotsParts) {
    this.#parts = parts
  }

  /**
   * To be told that rows of these entities were written. Answers a round that sees to it that they are read. Answers null where they are
   * read for sure, because nobody lets an entity rest that got rows within `quietMinMs`.
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
   * One round, after the one that is under way; all who ask before it begins share it. Throws Problem `unavailable` while a part is away,
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
    // Before Druid is asked who reads: what is written in between is of the next round, and of whoever wrote it.
    const ends = await rowsTopics.ends(entities.map(({ id }) => id))
    const seen = await slots.look()
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
    seen: SlotsSeen,
    entities: ReadonlyMap<number, Entity>,
    failures: EntityFailures,
  ): Promise<void> {
    const { slots, waits, observe, nowMs, settings } = this.#parts
    const { slotsEach, slotsMax, quietMs, quietMinMs } = settings
    const ours = [...seen.supervisors.values()]
    const comingSlots = ours.reduce((sum, { isSuspended, running }) => (isSuspended ? sum + running : sum), 0)
    // Druid makes the tasks of who was woken a moment later.
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
    seen: SlotsSeen,
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
    // What it holds is published by and by. Nobody lets an entity rest that gets rows, so what came lately came after.
    const isNew = end.hasMoved && own.quietMs < this.#parts.settings.quietMinMs
    return { ...own, state: 'resting', hasUnread: isNew || waitingSinceMs !== null }
  }

  /** Whether an entity that rests, and whose tasks have ended, has rows that nobody reads. */
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
