interface Waiting {
  readonly begin: () => void
}

/** Lets one run at a time, in the order in which they came; who takes long is told to make room while others wait. */
export class Turns {
  readonly #waiting = new Set<Waiting>()
  /** Tells the one that runs to make room, where its time is over. */
  #makeRoom: (() => void) | null = null
  #isTaken = false

  /**
   * Runs `work` when its turn comes, with a signal that is aborted once others wait and `turnMs` are over. Throws what it throws, and the
   * signal's reason when it is aborted before its turn.
   */
  async run<Result>(
    signal: AbortSignal,
    turnMs: number,
    work: (turn: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    await this.#enter(signal)
    const turn = new AbortController()
    const timer = setTimeout(() => {
      this.#makeRoom = () => turn.abort()
      if (this.#waiting.size > 0) turn.abort()
    }, turnMs)
    try {
      return await work(turn.signal)
    } finally {
      clearTimeout(timer)
      this.#leave()
    }
  }

  #enter(signal: AbortSignal): Promise<void> | void {
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
        begin: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      this.#waiting.add(waiting)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#makeRoom?.()
    })
  }

  #leave(): void {
    this.#makeRoom = null
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting)
      waiting.begin()
      return
    }
    this.#isTaken = false
  }
}
