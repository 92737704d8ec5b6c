// A copy in memory of what is kept elsewhere, which is never left behind for good.

export interface CachedStateParts<State> {
  readonly read: () => Promise<State>
  /** Given what was read; never something older than before. */
  readonly hold: (state: State) => void
  /** How long after a read that failed the next one follows. */
  readonly retryMs: number
}

export class CachedState<State> {
  readonly #parts: CachedStateParts<State>
  /** Reads are numbered as they begin. */
  #begun = 0
  #held = 0
  /** The last read that failed. */
  #failed = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(parts: CachedStateParts<State>) {
    this.#parts = parts
  }

  /**
   * Resolves when what was there at the time of the call is held. Rejects when it cannot be read. Whoever changed it may take that for
   * the end and never ask again, so it is read again and again until that succeeds.
   */
  async refresh(): Promise<void> {
    this.#begun += 1
    const own = this.#begun
    try {
      const state = await this.#parts.read()
      // Of two reads at once, the one that began first may have seen the older state and come to its end last.
      if (own < this.#held) return
      this.#parts.hold(state)
      this.#held = own
    } catch (error) {
      this.#failed = Math.max(this.#failed, own)
      this.#retryLater()
      throw error
    }
  }

  /** Nothing is read again by itself any more. */
  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #retryLater(): void {
    if (this.#isClosed || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      // One that began after the failure has seen all that the failed one was to see.
      if (this.#held < this.#failed) this.refresh().catch(() => {})
    }, this.#parts.retryMs)
    // It is never a reason for the process to stay.
    this.#timer.unref()
  }
}
