import { setTimeout } from 'node:timers/promises'
import { Serial } from '../../lib/serial.ts'

export interface ChangesParts {
  /** Reads the current catalog. */
  readonly read: () => Promise<void>
  /** Called for each read that failed. */
  readonly failed: (error: unknown) => void
  /** The delay before the catalog is read again. */
  readonly retryDelayMs: number
  readonly signal: AbortSignal
}

/** Reads changes of the catalog. A read that fails is repeated until it succeeds. */
export class CatalogChanges {
  readonly #parts: ChangesParts
  readonly #readings = new Serial()

  constructor(parts: ChangesParts) {
    this.#parts = parts
  }

  /** Resolves when a read of the catalog that started after this call has succeeded, or when the signal is aborted. */
  learn(): Promise<void> {
    return this.#readings.run(async () => {
      while (!this.#parts.signal.aborted && !(await this.#isRead())) await this.#pause()
    })
  }

  async #isRead(): Promise<boolean> {
    try {
      await this.#parts.read()
      return true
    } catch (error) {
      this.#parts.failed(error)
      return false
    }
  }

  async #pause(): Promise<void> {
    const { retryDelayMs, signal } = this.#parts
    await setTimeout(retryDelayMs, undefined, { signal }).catch(() => undefined)
  }
}
