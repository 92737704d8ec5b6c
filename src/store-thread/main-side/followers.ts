import type { LiveMessage } from '../../live/live-feed.ts'
import { type LivePlace, livePlaceOf, livePlaceText } from '../../live/live-place.ts'
import type { Follower, Following, LiveQuery, LiveUpdate } from '../../live/live-rows.ts'
import type { ToStore } from '../protocol.ts'

interface Kept {
  readonly question: LiveQuery
  readonly follower: Follower<string>
  /** The place up to which rows were sent; null until the first place is known. */
  place: LivePlace | null
  waits: boolean
}

/** The readers of live rows, across all generations of the thread: a new generation continues where the last one ended. */
export class Followers {
  readonly #post: (message: ToStore) => void
  readonly #kept = new Map<number, Kept>()
  #lastNumber = 0

  constructor(post: (message: ToStore) => void) {
    this.#post = post
  }

  follow(question: LiveQuery, place: string | null, follower: Follower<string>): Following {
    const number = ++this.#lastNumber
    const from = place === null ? null : livePlaceOf(place)
    const kept: Kept = { question, follower, place: from, waits: false }
    this.#kept.set(number, kept)
    this.#post({ kind: 'follow', follower: number, question, from })
    return {
      wait: (waits) => {
        if (kept.waits === waits) return
        kept.waits = waits
        this.#post({ kind: 'wait', follower: number, waits })
      },
      end: () => {
        if (this.#kept.delete(number)) this.#post({ kind: 'unfollow', follower: number })
      },
    }
  }

  /** Called when a new generation of the thread is ready. */
  again(): void {
    for (const [number, { question, place, waits }] of this.#kept) {
      this.#post({ kind: 'follow', follower: number, question, from: place })
      if (waits) this.#post({ kind: 'wait', follower: number, waits })
    }
  }

  take(news: LiveMessage): void {
    switch (news.kind) {
      case 'following':
        this.#following(news.follower, news)
        return
      case 'sent':
        for (const update of news.updates) this.#update(update)
        return
      case 'caughtUp':
        for (const number of news.followers) this.#kept.get(number)?.follower.caughtUp()
        return
      case 'lost':
        for (const number of news.followers) {
          const kept = this.#kept.get(number)
          this.#kept.delete(number)
          kept?.follower.lost()
        }
    }
  }

  #following(number: number, { position, change }: Extract<LiveMessage, { kind: 'following' }>): void {
    const kept = this.#kept.get(number)
    if (kept === undefined) return
    kept.place = { position, change }
    kept.follower.following(livePlaceText(kept.place))
  }

  /** All followers receive the same object, so that it is serialized once. */
  #update({
    followers,
    rows,
    deletion,
    position,
    change,
  }: Extract<LiveMessage, { kind: 'sent' }>['updates'][number]): void {
    const place = { position, change }
    const update: LiveUpdate<string> = {
      followers,
      rows: rows.map(({ items, position }) => ({ items, position: livePlaceText({ position, change }) })),
      ...(deletion === undefined ? {} : { deletion }),
      position: livePlaceText(place),
    }
    for (const number of followers) {
      const kept = this.#kept.get(number)
      if (kept === undefined) continue
      kept.place = place
      kept.follower.update(update)
    }
  }
}
