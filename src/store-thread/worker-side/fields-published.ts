/** Waits until the main thread knows the fields that rows have added, so that a reader of such a row can query its fields. */
export class FieldsPublished {
  readonly #publish: () => void
  readonly #signal: AbortSignal
  #known: (() => void) | null = null

  constructor(publish: () => void, signal: AbortSignal) {
    this.#publish = publish
    this.#signal = signal
  }

  published(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#signal.removeEventListener('abort', done)
        resolve()
      }
      // A thread that is stopping waits for nothing.
      if (this.#signal.aborted) return resolve()
      this.#signal.addEventListener('abort', done)
      this.#known = done
      this.#publish()
    })
  }

  known(): void {
    this.#known?.()
  }
}
