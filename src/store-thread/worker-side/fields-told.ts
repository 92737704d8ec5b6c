/** Waits until the main thread knows the fields that rows brought: who sees such a row can ask for its fields. */
export class FieldsTold {
  readonly #tell: () => void
  readonly #signal: AbortSignal
  #known: (() => void) | null = null

  constructor(tell: () => void, signal: AbortSignal) {
    this.#tell = tell
    this.#signal = signal
  }

  told(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#signal.removeEventListener('abort', done)
        resolve()
      }
      // Who stops waits for nothing.
      if (this.#signal.aborted) return resolve()
      this.#signal.addEventListener('abort', done)
      this.#known = done
      this.#tell()
    })
  }

  known(): void {
    this.#known?.()
  }
}
