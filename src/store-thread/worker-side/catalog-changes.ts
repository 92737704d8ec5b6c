import { setTimeout } from 'node:timers/promises'
import { Serial } from '../../lib/serial.ts'

export interface ChangesParts {
  /** Reads what the catalog says now. */
  readonly read: () => Promise<void>
  /** Told of each reading that failed. */
  readonly failed: (error: unknown) => void
  /** How long to wait before the catalog is read again. */
  readonly retryDelayMs: number
  readonly signal: AbortSignal
}

/** Learns what has changed in the catalog; a reading that fails is made again until it is done. */
export class CatalogChanges {
  readonly #parts: ChangesParts
  readonly #readings = new Serial()

  constructor(parts: ChangesParts) {
    this.#parts = parts
  }

  /** Resolves when all is known that the catalog said when this was called; or when the signal is aborted. */
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
