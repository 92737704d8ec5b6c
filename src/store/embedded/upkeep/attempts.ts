import { setTimeout } from 'node:timers/promises'
import type { ManifestCatalog, ManifestChange } from '../../../catalog/manifest.ts'
import type { Observe } from '../../../observe/event.ts'

type Failure = 'sealFailed' | 'mergeFailed' | 'dropFailed'

export interface AttemptParts {
  readonly manifest: Pick<ManifestCatalog, 'commit'>
  readonly observe: Observe
  readonly retryDelayMs: number
  readonly signal: AbortSignal
  /** Told what failed that all else waits for. */
  readonly stuck?: (error: unknown) => void
  /** What waits in the place of a timer; it returns early, without an error, when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Work that may fail, on a full disk, say, and is tried again. */
export class Attempts {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  /** Null when it failed, which is observed; then some time has passed, unless `hurry` is aborted, and a full disk may have room again. */
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
   * Commits, and tries until it has; false when the store is stopped before. The new files stay meanwhile: a commit that failed while it
   * was synced may be found whole after a crash, until another one has overwritten it.
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
