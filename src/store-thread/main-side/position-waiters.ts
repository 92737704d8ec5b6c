interface Waiter {
  readonly position: number
  readonly resolve: () => void
}

/** Who waits until a position is reached. */
export class PositionWaiters {
  readonly #current: () => number
  readonly #waiters = new Set<Waiter>()

  constructor(current: () => number) {
    this.#current = current
  }

  /** Resolves when the position is reached; rejects with the signal's reason. */
  wait(position: number, signal: AbortSignal): Promise<void> {
    if (position <= this.#current()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiter = { position, resolve: () => settle(resolve) }
      const onAbort = (): void => settle(() => reject(signal.reason))
      const settle = (outcome: () => void): void => {
        this.#waiters.delete(waiter)
        signal.removeEventListener('abort', onAbort)
        outcome()
      }
      this.#waiters.add(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
    })
  }

  /** The current position may have moved. */
  reached(): void {
    for (const waiter of this.#waiters) if (waiter.position <= this.#current()) waiter.resolve()
  }
}
