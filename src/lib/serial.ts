/** Runs tasks one after another, in the order of the calls; a task starts at once when nothing runs. */
export class Serial {
  #running = false
  readonly #waiting: (() => void)[] = []

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running = true
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running = false
      else next()
    }
  }
}
