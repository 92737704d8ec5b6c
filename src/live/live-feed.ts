// Sends rows to followers as they become queryable. It follows the pipeline through the journal at its own pace, so the pipeline never waits for it.
// Readers that resume from an old position are served by the same code.

import { setTimeout as sleep } from 'node:timers/promises'
import { NotInJournal } from '../journal/journal.ts'
import { addTo } from '../lib/add-to.ts'
import type { DeletionChange } from '../model/deletion.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Observe } from '../observe/event.ts'
import type { SeriesQuerier } from '../store/series-store.ts'
import type { JournalRows, StoredRows } from './journal-rows.ts'
import { type LivePlace, livePlaceText } from './live-place.ts'
import type { LiveQuery, LiveUpdate } from './live-rows.ts'
import { eventsFor, projectionOf, type Reader, StoredPart } from './stored-part.ts'

/** For `change` see `LivePlace`. */
export type FeedUpdate = LiveUpdate<number> & { readonly change: number }

export type LiveMessage =
  | {
      readonly kind: 'following'
      readonly follower: number
      readonly position: number
      readonly change: number
    }
  | { readonly kind: 'sent'; readonly updates: readonly FeedUpdate[] }
  | { readonly kind: 'caughtUp'; readonly followers: readonly number[] }
  | { readonly kind: 'lost'; readonly followers: readonly number[] }

/** Deletions of entities, for live readers. */
export interface LiveDeletions {
  /** The rows without what was deleted: whole rows, or values of metrics. */
  seen(stored: StoredRows): StoredRows
  /** Changes in order, with ascending places: deletions that were made or undone. */
  changesOf(entityId: number): readonly DeletionChange[]
  /** No future change has a place before this position. Rows after it are not sent yet. */
  firstPendingPosition(entityId: number): number
}

export interface LiveFeedParts {
  readonly rows: Pick<JournalRows, 'read' | 'refresh' | 'close'>
  /** All rows before this position are queryable. */
  readonly position: () => number
  readonly deletions: LiveDeletions
  readonly store: Pick<SeriesQuerier, 'run'>
  readonly send: (news: LiveMessage) => void
  readonly observe: Observe
  readonly signal: AbortSignal
  /** How long to wait after a failure. */
  readonly retryDelayMs: number
}

interface Followed extends Reader {
  readonly id: number
  /** Equal for followers with the same query. */
  readonly key: string
  /** All rows before this position have been sent. */
  position: number
  /** The last change that has been sent. */
  change: number
  waits: boolean
  /** The follower receives nothing until its other partitions have come as far. */
  isHeld: boolean
  hasCaughtUp: boolean
}

/** The least interval between rounds, so that many small pushes cost no more than a few large ones: a round for 1,000 readers is 1,000 writes. */
const roundMs = 50
/** From this number of readers on, the writes of a round dominate its cost, so rounds are as far apart as is acceptable. */
const manyReaders = 200
const longRoundMs = 80
/** Characters sent before the pipeline gets its turn. Readers with different queries multiply the output for the same rows. */
const turnCharacters = 1024 * 1024
const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class LiveFeed {
  readonly #parts: LiveFeedParts
  readonly #followed = new Map<number, Followed>()
  #running: Promise<void> | null = null
  #wake: (() => void) | null = null

  constructor(parts: LiveFeedParts) {
    this.#parts = parts
  }

  follow(id: number, question: LiveQuery, from: LivePlace | null): void {
    const { entityId } = question.plan.selection
    const change = this.#parts.deletions.changesOf(entityId).at(-1)?.id ?? 0
    const place = from ?? { change, position: this.#untilOf(entityId) }
    const asked = { key: JSON.stringify(question), projection: projectionOf(question) }
    const state = { waits: false, isHeld: false, hasCaughtUp: false }
    this.#followed.set(id, { id, question, ...asked, ...place, ...state })
    this.#parts.send({ kind: 'following', follower: id, ...place })
    this.moved()
  }

  unfollow(id: number): void {
    this.#followed.delete(id)
  }

  wait(id: number, waits: boolean): void {
    const followed = this.#followed.get(id)
    if (followed === undefined) return
    followed.waits = waits
    this.moved()
  }

  /** Pauses a follower at its position, or resumes it. */
  hold(id: number, isHeld: boolean): void {
    const followed = this.#followed.get(id)
    if (followed === undefined || followed.isHeld === isHeld) return
    followed.isHeld = isHeld
    if (!isHeld) this.moved()
  }

  /** Refreshes which entities were dropped. */
  async refresh(): Promise<void> {
    if (this.#running !== null) await this.#parts.rows.refresh()
  }

  /** Call after the signal is aborted; resolves when all reading has ended. */
  async stop(): Promise<void> {
    await this.#running
    await this.#parts.rows.close()
  }

  /** Call when there may be more to send. */
  moved(): void {
    if (this.#followed.size === 0) return
    this.#wake?.()
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
  }

  async #run(): Promise<void> {
    const { signal, observe, retryDelayMs } = this.#parts
    const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)
    await this.#parts.rows.refresh().catch(checkFailed(observe))
    while (this.#followed.size > 0 && !signal.aborted) {
      try {
        const isBehind = await this.#round()
        if (isBehind) await yieldToEventLoop()
        else await Promise.all([pause(this.#followed.size < manyReaders ? roundMs : longRoundMs), this.#wakeup()])
      } catch (error) {
        checkFailed(observe)(error)
        await pause(retryDelayMs)
      }
    }
  }

  /** Resolves when there may be more to send. */
  #wakeup(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#parts.signal.removeEventListener('abort', done)
        this.#wake = null
        resolve()
      }
      this.#parts.signal.addEventListener('abort', done)
      this.#wake = done
      if (this.#followed.size === 0 || this.#parts.signal.aborted || this.#due().length > 0) done()
    })
  }

  /** Rows of an entity before this position may be sent. */
  #untilOf(entityId: number): number {
    const { position, deletions } = this.#parts
    return Math.min(position(), deletions.firstPendingPosition(entityId))
  }

  /** The next deletion change for a follower, or null. Rows after its place are sent after it. */
  #nextChange({ question, change }: Followed): DeletionChange | null {
    const changes = this.#parts.deletions.changesOf(question.plan.selection.entityId)
    if ((changes.at(-1)?.id ?? 0) <= change) return null
    return changes.find(({ id }) => id > change) ?? null
  }

  #isBehind(followed: Followed): boolean {
    if (followed.position < this.#untilOf(followed.question.plan.selection.entityId)) return true
    return (this.#nextChange(followed)?.place ?? Number.POSITIVE_INFINITY) <= followed.position
  }

  /** Followers that have something to receive. */
  #due(): Followed[] {
    return [...this.#followed.values()].filter(
      (followed) =>
        !followed.isHeld &&
        (!followed.waits || followed.hasCaughtUp) &&
        (!followed.hasCaughtUp || this.#isBehind(followed)),
    )
  }

  /** Sends the next part to the followers that are furthest behind, and to all others that it concerns. Returns whether more can be sent at once. */
  async #round(): Promise<boolean> {
    const due = this.#due()
    this.#sendChanges(due)
    const behind = due.filter((followed) => !followed.isHeld && this.#isBehind(followed))
    const from = behind.reduce((least, { position }) => Math.min(least, position), Number.POSITIVE_INFINITY)
    const until = behind.reduce((least, followed) => {
      const place = this.#nextChange(followed)?.place ?? Number.POSITIVE_INFINITY
      return Math.min(least, place, this.#untilOf(followed.question.plan.selection.entityId))
    }, Number.POSITIVE_INFINITY)
    if (from < until) await this.#sendFrom(from, until, behind)
    this.#noteCaughtUp()
    return this.#due().length > 0
  }

  /** Sends deletions and undone deletions to the followers that have reached their places. */
  #sendChanges(due: readonly Followed[]): void {
    const updates: FeedUpdate[] = []
    for (let behind = due; behind.length > 0; ) {
      const next = new Map<DeletionChange, Followed[]>()
      for (const followed of behind) {
        const change = this.#nextChange(followed)
        if (change === null || change.place > followed.position) continue
        addTo(next, change, followed)
      }
      for (const [change, group] of next) {
        for (const position of new Set(group.map((followed) => followed.position))) {
          const followers = group.filter((followed) => followed.position === position).map(({ id }) => id)
          updates.push({ followers, rows: [], deletion: change, position, change: change.id })
        }
        for (const followed of group) followed.change = change.id
      }
      behind = [...next.values()].flat()
    }
    if (updates.length > 0) this.#parts.send({ kind: 'sent', updates })
  }

  async #sendFrom(from: number, until: number, due: readonly Followed[]): Promise<void> {
    const { rows, send } = this.#parts
    const entityIds = new Set(due.map(({ question }) => question.plan.selection.entityId))
    try {
      const { rows: stored, throughPosition } = await rows.read(from, until, entityIds)
      const concerned = due.filter(({ position }) => position < throughPosition)
      await this.#publish(stored, concerned, throughPosition)
      for (const followed of concerned) followed.position = throughPosition
    } catch (error) {
      if (!(error instanceof NotInJournal)) throw error
      const lost = due.filter(({ position }) => position === from).map(({ id }) => id)
      for (const id of lost) this.#followed.delete(id)
      send({ kind: 'lost', followers: lost })
    }
  }

  async #publish(stored: readonly StoredRows[], concerned: readonly Followed[], position: number): Promise<void> {
    const parts = stored.map((rows) => new StoredPart(this.#parts.deletions.seen(rows), this.#parts))
    let updates: FeedUpdate[] = []
    let characters = 0
    const unconcerned = new Map<number, number[]>()
    // All groups register their rows first, so that rows are formatted together.
    const asked = groupsOf(concerned).map((group) => ({ group, wanted: parts.map((part) => part.want(group[0])) }))
    for (const { group, wanted } of asked) {
      const followers = group.map(({ id }) => id).filter((id) => this.#followed.has(id))
      if (followers.length === 0) continue
      if (wanted.some(({ rows }) => rows.length > 0)) {
        const rows = await eventsFor(group[0], { parts, wanted, position })
        updates.push({ followers, rows, position, change: group[0].change })
        characters += rows.reduce((sum, { items }) => sum + items.length, 0)
      } else if (parts.some((part) => part.isNew(group[0]))) {
        const { change } = group[0]
        const others = unconcerned.get(change)
        if (others === undefined) unconcerned.set(change, followers)
        else others.push(...followers)
      }
      if (characters < turnCharacters) continue
      this.#send(updates)
      updates = []
      characters = 0
      await yieldToEventLoop()
    }
    for (const [change, followers] of unconcerned) updates.push({ followers, rows: [], position, change })
    this.#send(updates)
  }

  #send(updates: readonly FeedUpdate[]): void {
    for (const { followers, position } of updates) {
      for (const id of followers) {
        const followed = this.#followed.get(id)
        if (followed !== undefined) followed.position = position
      }
    }
    if (updates.length > 0) this.#parts.send({ kind: 'sent', updates })
  }

  #noteCaughtUp(): void {
    const followers: number[] = []
    for (const followed of this.#followed.values()) {
      if (followed.hasCaughtUp || followed.waits || followed.isHeld || this.#isBehind(followed)) continue
      followed.hasCaughtUp = true
      followers.push(followed.id)
    }
    if (followers.length > 0) this.#parts.send({ kind: 'caughtUp', followers })
  }
}

type Group = [Followed, ...Followed[]]

/** Groups followers that have the same query and the same place. */
function groupsOf(all: readonly Followed[]): readonly Group[] {
  const groups = new Map<string, Map<string, Group>>()
  for (const followed of all) {
    const place = livePlaceText(followed)
    const equallyFar = groups.get(place) ?? new Map<string, Group>()
    groups.set(place, equallyFar)
    addTo(equallyFar, followed.key, followed)
  }
  return [...groups.values()].flatMap((equallyFar) => [...equallyFar.values()])
}
