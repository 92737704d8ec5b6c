import { doneWorks, failedWorks } from './background-work.ts'
import type { Observe } from './event.ts'

/** Work in the background that failed when it was last tried. It is tried again by itself. */
export interface FailingWorkEntry {
  readonly work: string
  /** When the first of these failures was. */
  readonly sinceMs: number
  /** Failures one after the other. */
  readonly failures: number
}

/** Who does not try again within this time has nothing left to do: the files that a merge failed over may have been dropped, say. */
const forgetMs = 600_000

/** Which work in the background fails now, as `/readyz` tells it: counters say only that it failed once. */
export class FailingWork {
  readonly #nowMs: () => number
  readonly #failing = new Map<string, { sinceMs: number; lastMs: number; failures: number }>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  readonly observe: Observe = ({ kind }) => {
    const good = doneWorks.get(kind)
    if (good !== undefined) this.#failing.delete(good.work)
    const bad = failedWorks.get(kind)
    if (bad === undefined || !bad.isReported) return
    const nowMs = this.#nowMs()
    const known = this.#failing.get(bad.work)
    if (known === undefined) this.#failing.set(bad.work, { sinceMs: nowMs, lastMs: nowMs, failures: 1 })
    else {
      known.lastMs = nowMs
      known.failures++
    }
  }

  /** What fails longest first. */
  list(): FailingWorkEntry[] {
    const nowMs = this.#nowMs()
    return [...this.#failing]
      .filter(([, { lastMs }]) => nowMs - lastMs < forgetMs)
      .map(([work, { sinceMs, failures }]) => ({ work, sinceMs, failures }))
      .sort((one, other) => one.sinceMs - other.sinceMs)
  }
}
