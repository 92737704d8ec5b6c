import { setTimeout as sleep } from 'node:timers/promises'

/** Limits the bytes sent per second; 0 is no limit. */
export class ByteRate {
  readonly #bytesPerSecond: number
  readonly #signal: AbortSignal
  #freeMs = 0

  constructor(bytesPerSecond: number, signal: AbortSignal) {
    this.#bytesPerSecond = bytesPerSecond
    this.#signal = signal
  }

  /** Resolves when this number of bytes may be sent. */
  async pass(bytes: number): Promise<void> {
    if (this.#bytesPerSecond === 0) return
    const nowMs = performance.now()
    const beginMs = Math.max(nowMs, this.#freeMs)
    this.#freeMs = beginMs + (bytes / this.#bytesPerSecond) * 1000
    if (beginMs > nowMs) await sleep(beginMs - nowMs, undefined, { signal: this.#signal })
  }
}
