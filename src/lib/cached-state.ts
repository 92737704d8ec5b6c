// An in-memory copy of state stored elsewhere. It is never stale for good: failed reads are retried.

export interface CachedStateParts<State> {
  readonly read: () => Promise<State>
  /** Receives what was read; never something older than before. */
  readonly hold: (state: State) => void
  /** Delay before the next read after a failed one. */
  readonly retryMs: number
}

export class CachedState<State> {
  readonly #parts: CachedStateParts<State>
  /** Reads are numbered in the order they begin. */
  #begun = 0
  #held = 0
  /** The number of the last read that failed. */
  #failed = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(parts: CachedStateParts<State>) {
    this.#parts = parts
  }

  /**
   * Resolves when the copy is at least as new as the state at the time of the call. Rejects if the state cannot be read. The caller may give up after that,
   * so the read is retried until it succeeds.
   */
  async refresh(): Promise<void> {
    this.#begun += 1
    const own = this.#begun
    try {
      const state = await this.#parts.read()
      // Of two concurrent reads, the one that began first may have seen the older state and finish last.
      if (own < this.#held) return
      this.#parts.hold(state)
      this.#held = own
    } catch (error) {
      this.#failed = Math.max(this.#failed, own)
      this.#retryLater()
      throw error
    }
  }

  /** Stops the automatic retries. */
  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #retryLater(): void {
    if (this.#isClosed || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      // A read that began after the failed one has seen everything that the failed one should have seen.
      if (this.#held < this.#failed) this.refresh().catch(() => {})
    }, this.#parts.retryMs)
    // It must not keep the process alive.
    this.#timer.unref()
  }
}
