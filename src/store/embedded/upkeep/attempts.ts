import { setTimeout } from 'node:timers/promises'
import type { ManifestCatalog, ManifestChange } from '../../../catalog/manifest.ts'
import type { Observe } from '../../../observe/event.ts'

type Failure = 'sealFailed' | 'mergeFailed' | 'dropFailed'

export interface AttemptParts {
  readonly manifest: Pick<ManifestCatalog, 'commit'>
  readonly observe: Observe
  readonly retryDelayMs: number
  readonly signal: AbortSignal
  /** Called with an error of work that everything else waits for. */
  readonly stuck?: (error: unknown) => void
  /** Waits in place of a timer; must return early, without an error, when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Runs work that may fail, for example on a full disk, and retries it. */
export class Attempts {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  /** Returns null after a failure, which is observed, and a delay, in which a full disk may get space again. `hurry` ends the delay early. */
  async once<T>(failure: Failure, work: () => Promise<T>, hurry?: AbortSignal): Promise<T | null> {
    const { signal, observe, retryDelayMs, stuck, sleep = sleepByTimer } = this.#parts
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) return null
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      observe({ kind: failure, message, retryInMs: retryDelayMs })
      if (failure !== 'mergeFailed') stuck?.(error)
      await sleep(retryDelayMs, hurry === undefined ? signal : AbortSignal.any([signal, hurry]))
      return null
    }
  }

  /**
   * Commits, with retries until it succeeds; returns false when the store is stopped before. The new files are kept meanwhile: a commit that
   * failed during its sync may turn out to be complete after a crash, until another one has overwritten it.
   */
  async commit(change: ManifestChange): Promise<boolean> {
    const { manifest, signal } = this.#parts
    const once = async (): Promise<true> => {
      await manifest.commit(change)
      return true
    }
    const failure = change.seal === null ? 'mergeFailed' : 'sealFailed'
    while (!signal.aborted) if ((await this.once(failure, once)) !== null) return true
    return false
  }
}

export async function sleepByTimer(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined)
}
