import type { FeedUpdate, LiveFeed, LiveMessage } from '../live-feed.ts'
import type { Follower, Following, LiveQuery, LiveUpdate } from '../live-rows.ts'
import { placeAt, positionOf } from './offsets.ts'

interface Followed {
  readonly follower: Follower<string>
  /** By partition; null until the partition's start is known. */
  readonly offsets: (number | null)[]
  /** The last deletion change that each partition has reached. */
  readonly reached: number[]
  /** The last change that all partitions have reached; it has been sent. */
  change: number
  hasCaughtUp: boolean
}

type Feed = Pick<LiveFeed, 'follow' | 'unfollow' | 'wait' | 'hold' | 'moved'>

/** The readers of one entity; each follows all of its partitions. */
export class FollowedPartitions {
  readonly feeds: readonly Feed[]
  readonly #followed = new Map<number, Followed>()
  /** A partition's news as the readers receive it, by their position after it: most readers share one. */
  readonly #sharedUpdates = new WeakMap<LiveUpdate, Map<string, LiveUpdate<string>>>()
  #lastNumber = 0

  constructor(open: (send: (partition: number, news: LiveMessage) => void) => readonly Feed[]) {
    this.feeds = open((partition, news) => this.#take(partition, news))
  }

  follow(question: LiveQuery, from: string | null, follower: Follower<string>): Following {
    const number = ++this.#lastNumber
    const start = from === null ? null : placeAt(from, this.feeds.length)
    const [offsets, reached] = [this.feeds.map(() => null), this.feeds.map(() => 0)]
    this.#followed.set(number, { follower, offsets, reached, change: 0, hasCaughtUp: false })
    for (const [partition, feed] of this.feeds.entries()) {
      feed.follow(number, question, start && { position: start.offsets[partition]!, change: start.change })
    }
    return {
      wait: (waits) => {
        for (const feed of this.feeds) feed.wait(number, waits)
      },
      end: () => this.#unfollow(number),
    }
  }

  /** The last deletion change that all current readers have been sent. Readers that may resume later are not counted. */
  get sentChange(): number {
    let least = Number.POSITIVE_INFINITY
    for (const { change } of this.#followed.values()) least = Math.min(least, change)
    return least
  }

  #unfollow(number: number): void {
    this.#followed.delete(number)
    for (const feed of this.feeds) feed.unfollow(number)
  }

  #take(partition: number, news: LiveMessage): void {
    switch (news.kind) {
      case 'following':
        this.#following(news, partition)
        return
      case 'sent':
        for (const update of news.updates) {
          for (const number of update.followers) this.#update(number, partition, update)
        }
        return
      case 'caughtUp':
        for (const number of news.followers) this.#caughtUp(number)
        return
      case 'lost':
        for (const number of news.followers) {
          const followed = this.#followed.get(number)
          this.#unfollow(number)
          followed?.follower.lost()
        }
    }
  }

  #following(
    { follower: number, position, change }: Extract<LiveMessage, { kind: 'following' }>,
    partition: number,
  ): void {
    const followed = this.#followed.get(number)
    if (followed === undefined) return
    followed.offsets[partition] = position
    // All partitions begin after the same change.
    followed.reached[partition] = change
    followed.change = change
    const offsets = known(followed)
    if (offsets !== null) followed.follower.following(positionOf({ offsets, change }))
  }

  #update(number: number, partition: number, update: FeedUpdate): void {
    const followed = this.#followed.get(number)
    if (followed === undefined) return
    followed.offsets[partition] = update.position
    const offsets = known(followed)
    if (offsets === null) throw new Error('a partition sent rows before all of them were followed')
    if (update.deletion !== undefined && !this.#isReached(number, followed, { partition, change: update.change }))
      return
    const { change } = followed
    const position = positionOf({ offsets, change })
    const byPosition = this.#sharedUpdates.get(update) ?? new Map<string, LiveUpdate<string>>()
    this.#sharedUpdates.set(update, byPosition)
    const shared = byPosition.get(position) ?? {
      followers: [],
      rows: update.rows.map(({ items, position: offset }) => ({
        items,
        position: positionOf({ offsets: offsets.with(partition, offset), change }),
      })),
      ...(update.deletion === undefined ? {} : { deletion: update.deletion }),
      position,
    }
    byPosition.set(position, shared)
    followed.follower.update(shared)
  }

  /** Whether all partitions have now reached the place of a change. Partitions that reach it earlier are held until then. */
  #isReached(
    number: number,
    followed: Followed,
    { partition, change }: { readonly partition: number; readonly change: number },
  ): boolean {
    followed.reached[partition] = change
    const isReached = followed.reached.every((reached) => reached >= change)
    if (isReached) followed.change = change
    for (const [index, feed] of this.feeds.entries()) feed.hold(number, followed.reached[index]! > followed.change)
    return isReached
  }

  /** Called when a partition has caught up. The reader is notified for the first of its partitions. */
  #caughtUp(number: number): void {
    const followed = this.#followed.get(number)
    if (followed === undefined || followed.hasCaughtUp) return
    followed.hasCaughtUp = true
    followed.follower.caughtUp()
  }
}

function known({ offsets }: Followed): readonly number[] | null {
  const all = offsets.filter((offset) => offset !== null)
  return all.length === offsets.length ? all : null
}
