import type { Observe } from '../observe/event.ts'
import type { ReplicaState } from './copier-parts.ts'

/** A copy that is so far behind is told of. */
const behindMs = 10_000
/** Where it is written to seldom, later. */
const behindIntervals = 5

/** Tells the log when the copy falls behind, and when it has caught up. */
export class LagWatch {
  readonly #observe: Observe
  readonly #behindMs: number
  #isBehind = false

  constructor(observe: Observe, intervalMs: number) {
    this.#observe = observe
    this.#behindMs = Math.max(behindMs, behindIntervals * intervalMs)
  }

  look({ position, lagMs, lagBytes, error }: ReplicaState): void {
    const isBehind = lagMs > this.#behindMs
    if (isBehind === this.#isBehind) return
    this.#isBehind = isBehind
    if (isBehind) this.#observe({ kind: 'replicaBehind', position, lagMs, lagBytes, error })
    else this.#observe({ kind: 'replicaCaughtUp', position })
  }
}
