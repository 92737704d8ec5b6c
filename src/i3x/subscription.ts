// One subscription: the elements it watches, and its pending updates. It follows the live rows of its entities while it has capacity. At the limit
// it pauses at its position and later resumes from the log there, so that nothing is lost while the log is retained.
import { parseWithLongs } from '../lib/json-with-longs.ts'
import { Serial } from '../lib/serial.ts'
import type { FollowedRows, Live } from '../live/live.ts'
import type { Following, LiveStart } from '../live/live-rows.ts'
import type { OfEntity } from './address-space.ts'
import type { I3xCaller } from './caller.ts'
import { itemsQuery, type Row, updateReader, type Vqt } from './values.ts'

export type LivePort = Pick<Live<LiveStart>, 'read' | 'isAllowed' | 'follow' | 'idOf'>

export interface SubscriptionRules {
  /** The most bytes of rows that may be pending for one subscription, sent or not, before it pauses. */
  readonly waitingBytes: number
}

export interface SyncUpdate extends Vqt {
  readonly elementId: string
}

export interface SyncBatch {
  readonly sequenceNumber: number
  readonly updates: readonly SyncUpdate[]
}

/** Updates of elements that are not in the log. */
export interface Polled {
  readonly updates: readonly SyncUpdate[]
  readonly bytes: number
  /** Whether more updates exist that exceeded the capacity. */
  readonly hasMore: boolean
}

interface Feed {
  watched: OfEntity
  read: ReturnType<typeof updateReader>
  asked: FollowedRows
  following: Following | null
  /** All rows before this position were received; null until the start is known. */
  position: LiveStart | null
}

/** Rows as received, not parsed yet. */
interface Waiting {
  readonly read: Feed['read']
  readonly asked: FollowedRows
  readonly items: string
}

export class Subscription {
  readonly #live: LivePort
  readonly #rules: SubscriptionRules
  readonly #feeds = new Map<string, Feed>()
  /** Serializes all changes of the subscription. */
  readonly serial = new Serial()
  #waiting: Waiting[] = []
  #batches: (SyncBatch & { readonly bytes: number })[] = []
  #bytes = 0
  #lastSequence = 0
  #isEnded = false
  #hasLost = false
  /** Called when new updates are pending. */
  onUpdates: (() => void) | null = null

  constructor(live: LivePort, rules: SubscriptionRules) {
    this.#live = live
    this.#rules = rules
  }

  /** Replaces the watched entities. Throws Problems of live rows, for example for too many readers. */
  async watch(all: readonly OfEntity[], { reader }: I3xCaller): Promise<void> {
    const names = new Set(all.map(({ entity }) => entity.name))
    for (const [name, feed] of this.#feeds) if (!names.has(name)) this.#drop(name, feed)
    for (const watched of all) {
      const { entity, tags, whole } = watched
      const known = this.#feeds.get(entity.name)
      if (known !== undefined && isSame(known.watched, watched)) continue
      const ids = whole === null ? [...tags.keys()] : []
      const asked = this.#live.read(itemsQuery(entity, ids), reader)
      const feed: Feed = known ?? { watched, asked, read: updateReader(watched), following: null, position: null }
      // It is registered only after it follows.
      await this.#follow(feed, { watched, asked })
      this.#feeds.set(entity.name, feed)
    }
  }

  /** Returns the unacknowledged batches; pending updates form the newest. `hasMore`: further updates exist that exceed the capacity. */
  async sync(
    acknowledged: number | null,
    caller: I3xCaller,
    poll: (roomBytes: number) => Promise<Polled>,
  ): Promise<{ readonly batches: readonly SyncBatch[]; readonly hasLost: boolean; readonly hasMore: boolean }> {
    if (acknowledged === -1) await this.#clear()
    else if (acknowledged !== null) this.#acknowledge(acknowledged)
    const polled = await poll(this.#rules.waitingBytes - this.#bytes)
    // From here on nothing may fail until everything is in a batch.
    const hasLost = this.#hasLost
    // The skipped sequence number marks the gap.
    if (hasLost) this.#lastSequence++
    this.#hasLost = false
    const taken = this.#take(caller)
    const bytes = taken.bytes + polled.bytes
    const updates = [...taken.updates, ...polled.updates]
    if (updates.length > 0) this.#batches.push({ sequenceNumber: ++this.#lastSequence, updates, bytes })
    this.#bytes += bytes
    await this.#resume()
    const hasMore = polled.hasMore || [...this.#feeds.values()].some(({ following }) => following === null)
    const batches = this.#batches.map(({ sequenceNumber, updates }) => ({ sequenceNumber, updates }))
    return { batches, hasLost, hasMore }
  }

  /** The sequence number of the newest batch sent. */
  get lastSequence(): number {
    return this.#lastSequence
  }

  /** Sends all pending updates, without keeping them for another read; then resumes as capacity allows. */
  async drain(caller: I3xCaller, tell: (updates: readonly SyncUpdate[]) => void): Promise<void> {
    const before = this.#batches.flatMap(({ updates }) => updates)
    this.#acknowledge(this.#lastSequence)
    const { updates } = this.#take(caller)
    const all = [...before, ...updates]
    // Sends before the steps that may fail, because the updates are no longer stored.
    if (all.length > 0) tell(all)
    await this.#resume()
  }

  end(): void {
    this.#isEnded = true
    for (const [name, feed] of this.#feeds) this.#drop(name, feed)
    this.#waiting = []
    this.#batches = []
  }

  /** Removes all pending updates, and returns those that the caller may still read. */
  #take({ reader }: I3xCaller): { readonly updates: readonly SyncUpdate[]; readonly bytes: number } {
    const waiting = this.#waiting
    this.#waiting = []
    const bytes = waiting.reduce((sum, { items }) => sum + items.length, 0)
    this.#bytes -= bytes
    const updates = waiting.filter(({ asked }) => this.#live.isAllowed(asked, reader)).flatMap(updatesIn)
    return { updates, bytes: updates.length === 0 ? 0 : bytes }
  }

  #acknowledge(until: number): void {
    const done = this.#batches.filter(({ sequenceNumber }) => sequenceNumber <= until)
    this.#batches = this.#batches.slice(done.length)
    this.#bytes -= done.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Paused feeds restart from now: what they have not read counts as acknowledged. */
  async #clear(): Promise<void> {
    this.#batches = []
    this.#waiting = []
    this.#bytes = 0
    for (const feed of this.#feeds.values()) {
      if (feed.following === null) await this.#follow(feed, { fromNow: true })
    }
  }

  async #resume(): Promise<void> {
    if (this.#isFull) return
    for (const feed of this.#feeds.values()) if (feed.following === null) await this.#follow(feed)
  }

  get #isFull(): boolean {
    return this.#bytes > this.#rules.waitingBytes
  }

  /** Follows from the feed's position, or from now if `fromNow`. */
  async #follow(
    feed: Feed,
    {
      watched = feed.watched,
      asked = feed.asked,
      fromNow = false,
    }: Partial<Pick<Feed, 'watched' | 'asked'>> & { readonly fromNow?: boolean } = {},
  ): Promise<void> {
    this.#pause(feed)
    Object.assign(feed, { watched, asked, read: updateReader(watched) })
    const lastId = feed.position === null || fromNow ? null : this.#live.idOf(asked, feed.position)
    await new Promise<void>((resolve, reject) => {
      const following = this.#live.follow(asked, lastId, {
        begun: (position, isReset) => {
          feed.position = position
          this.#hasLost ||= isReset
          resolve()
        },
        update: (update) => {
          feed.position = update.position
          for (const { items } of update.rows) this.#add(feed, items)
        },
        caughtUp: () => undefined,
        lost: () => {
          // The next sync restarts the feed.
          this.#hasLost = true
          feed.position = null
          this.#pause(feed)
          resolve()
        },
      })
      following.then((one) => {
        feed.following = one
        if (!this.#isEnded) return
        this.#pause(feed)
        resolve()
      }, reject)
    })
    if (this.#isFull) this.#pause(feed)
  }

  #add(feed: Feed, items: string): void {
    const { read, asked } = feed
    this.#waiting.push({ read, asked, items })
    this.#bytes += items.length
    if (this.#isFull) for (const one of this.#feeds.values()) this.#pause(one)
    this.onUpdates?.()
  }

  #pause(feed: Feed): void {
    feed.following?.end()
    feed.following = null
  }

  #drop(name: string, feed: Feed): void {
    this.#pause(feed)
    this.#feeds.delete(name)
  }
}

function isSame(one: OfEntity, other: OfEntity): boolean {
  return (
    one.entity === other.entity &&
    one.whole === other.whole &&
    one.tags.size === other.tags.size &&
    [...one.tags.keys()].every((tag) => other.tags.has(tag))
  )
}

function updatesIn({ read, items }: Waiting): readonly SyncUpdate[] {
  const rows = parseWithLongs(items)
  if (!Array.isArray(rows)) throw new Error('rows are sent as a list')
  return rows.flatMap((row: Row) => read(row).map(([elementId, vqt]) => ({ elementId, ...vqt })))
}
