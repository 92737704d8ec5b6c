import type { LiveNews } from '../../live/live-feed.ts'
import type { Follower, Following, LiveQuestion } from '../../live/live-rows.ts'
import type { ToStore } from '../protocol.ts'

interface Kept {
  readonly question: LiveQuestion
  readonly follower: Follower
  /** All rows before it are told; null until it is known where it begins. */
  position: number | null
  waits: boolean
}

/** Those who are told rows, through all generations of the thread: a new one goes on where the last one ended. */
export class Followers {
  readonly #post: (message: ToStore) => void
  readonly #kept = new Map<number, Kept>()
  #lastNumber = 0

  constructor(post: (message: ToStore) => void) {
    this.#post = post
  }

  follow(question: LiveQuestion, from: number | null, follower: Follower): Following {
    const number = ++this.#lastNumber
    const kept: Kept = { question, follower, position: from, waits: false }
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

  /** A new generation of the thread is ready. */
  again(): void {
    for (const [number, { question, position, waits }] of this.#kept) {
      this.#post({ kind: 'follow', follower: number, question, from: position })
      if (waits) this.#post({ kind: 'wait', follower: number, waits })
    }
  }

  take(news: LiveNews): void {
    switch (news.kind) {
      case 'following':
        this.#following(news.follower, news.position)
        return
      case 'told':
        for (const told of news.told) {
          for (const number of told.followers) this.#told(number, told)
        }
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

  #following(number: number, position: number): void {
    const kept = this.#kept.get(number)
    if (kept === undefined) return
    kept.position = position
    kept.follower.following(position)
  }

  #told(number: number, told: Extract<LiveNews, { kind: 'told' }>['told'][number]): void {
    const kept = this.#kept.get(number)
    if (kept === undefined) return
    kept.position = told.position
    kept.follower.told(told)
  }
}
