interface Waiting {
  readonly hadMs: number
  readonly begin: () => void
}

/** Runs one task at a time, starting with the one that has used the least time. A long task is asked to yield while others wait. */
export class Turns {
  readonly #waiting = new Set<Waiting>()
  /** Asks the running task to yield; null until its time slice is over. */
  #requestYield: (() => void) | null = null
  #isTaken = false

  /**
   * Runs `work` when its turn comes. `hadMs` is the time that it has used before. Its signal is aborted when others wait and `turnMs` have passed.
   * Throws what `work` throws, and the signal's reason when it is aborted before its turn.
   */
  async run<Result>(
    { signal, hadMs, turnMs }: { readonly signal: AbortSignal; readonly hadMs: number; readonly turnMs: number },
    work: (turn: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    await this.#enter(signal, hadMs)
    const turn = new AbortController()
    const timer = setTimeout(() => {
      this.#requestYield = () => turn.abort()
      if (this.#waiting.size > 0) turn.abort()
    }, turnMs)
    try {
      return await work(turn.signal)
    } finally {
      clearTimeout(timer)
      this.#leave()
    }
  }

  #enter(signal: AbortSignal, hadMs: number): Promise<void> | void {
    signal.throwIfAborted()
    if (!this.#isTaken) {
      this.#isTaken = true
      return
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        hadMs,
        begin: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      this.#waiting.add(waiting)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#requestYield?.()
    })
  }

  #leave(): void {
    this.#requestYield = null
    const [first, ...others] = this.#waiting
    if (first === undefined) {
      this.#isTaken = false
      return
    }
    const next = others.reduce((least, other) => (other.hadMs < least.hadMs ? other : least), first)
    this.#waiting.delete(next)
    next.begin()
  }
}
