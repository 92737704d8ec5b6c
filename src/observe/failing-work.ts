import { doneWorks, failedWorks } from './background-work.ts'
import type { Observe } from './event.ts'

/** Background work whose last attempt failed. It is retried automatically. */
export interface FailingWorkEntry {
  readonly work: string
  /** Time of the first of these failures. */
  readonly sinceMs: number
  /** Failures in a row. */
  readonly failures: number
}

/** Work that is not retried within this time has become obsolete: for example, the files of a failed merge may have been dropped. */
const forgetMs = 600_000

/** The background work that fails now, for `/readyz`. Counters show only that it failed at some time. */
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

  /** Longest-failing first. */
  list(): FailingWorkEntry[] {
    const nowMs = this.#nowMs()
    return [...this.#failing]
      .filter(([, { lastMs }]) => nowMs - lastMs < forgetMs)
      .map(([work, { sinceMs, failures }]) => ({ work, sinceMs, failures }))
      .sort((one, other) => one.sinceMs - other.sinceMs)
  }
}
