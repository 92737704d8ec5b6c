import type { LiveFeed, LiveNews } from '../live-feed.ts'
import type { Follower, Following, LiveQuestion, Told } from '../live-rows.ts'
import { offsetsAt, positionOf } from './offsets.ts'

interface Followed {
  readonly follower: Follower<string>
  /** By partition; null where it is not known yet where it begins. */
  readonly offsets: (number | null)[]
  hasCaughtUp: boolean
}

type Feed = Pick<LiveFeed, 'follow' | 'unfollow' | 'wait' | 'moved'>

/** The readers of one entity, each of whom follows all of its partitions. */
export class FollowedPartitions {
  readonly feeds: readonly Feed[]
  readonly #followed = new Map<number, Followed>()
  /** What one partition told, by where a reader is then: it is the same for most of them. */
  readonly #asTold = new WeakMap<Told, Map<string, Told<string>>>()
  #lastNumber = 0

  constructor(open: (send: (partition: number, news: LiveNews) => void) => readonly Feed[]) {
    this.feeds = open((partition, news) => this.#take(partition, news))
  }

  follow(question: LiveQuestion, from: string | null, follower: Follower<string>): Following {
    const number = ++this.#lastNumber
    const starts = from === null ? null : offsetsAt(from, this.feeds.length)
    this.#followed.set(number, { follower, offsets: this.feeds.map(() => null), hasCaughtUp: false })
    for (const [partition, feed] of this.feeds.entries()) {
      const position = starts?.[partition]
      feed.follow(number, question, position === undefined ? null : { position })
    }
    return {
      wait: (waits) => {
        for (const feed of this.feeds) feed.wait(number, waits)
      },
      end: () => this.#unfollow(number),
    }
  }

  #unfollow(number: number): void {
    this.#followed.delete(number)
    for (const feed of this.feeds) feed.unfollow(number)
  }

  #take(partition: number, news: LiveNews): void {
    switch (news.kind) {
      case 'following':
        this.#following(news.follower, partition, news.position)
        return
      case 'told':
        for (const told of news.told) {
          for (const number of told.followers) this.#told(number, partition, told)
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

  #following(number: number, partition: number, offset: number): void {
    const followed = this.#followed.get(number)
    if (followed === undefined) return
    followed.offsets[partition] = offset
    const offsets = known(followed)
    if (offsets !== null) followed.follower.following(positionOf(offsets))
  }

  #told(number: number, partition: number, told: Told): void {
    const followed = this.#followed.get(number)
    if (followed === undefined) return
    followed.offsets[partition] = told.position
    const offsets = known(followed)
    if (offsets === null) throw new Error('a partition told rows before all of them were followed')
    const position = positionOf(offsets)
    const asTold = this.#asTold.get(told) ?? new Map<string, Told<string>>()
    this.#asTold.set(told, asTold)
    const shared = asTold.get(position) ?? {
      followers: [],
      rows: told.rows.map(({ items, position: offset }) => ({
        items,
        position: positionOf(offsets.with(partition, offset)),
      })),
      position,
    }
    asTold.set(position, shared)
    followed.follower.told(shared)
  }

  /** Of one of its partitions: from then on it does not wait in that. */
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
