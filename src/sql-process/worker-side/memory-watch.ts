/** How much more a query can take between two looks is small beside what the process may hold. */
const everyMs = 50

/** Looks, while queries run, at how much of the machine's memory the process holds. */
export class MemoryWatch {
  readonly #maxBytes: number
  readonly #residentBytes: () => number
  readonly #passed: (residentBytes: number) => void
  #running = 0
  #timer: NodeJS.Timeout | null = null

  /** `passed` is told each time that it is too much. */
  constructor(maxBytes: number, residentBytes: () => number, passed: (residentBytes: number) => void) {
    this.#maxBytes = maxBytes
    this.#residentBytes = residentBytes
    this.#passed = passed
  }

  /** A query begins; `end` is called once for each. */
  begin(): void {
    this.#running += 1
    this.#timer ??= setInterval(() => this.#look(), everyMs)
  }

  end(): void {
    this.#running -= 1
    if (this.#running > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#look()
  }

  #look(): void {
    const held = this.#residentBytes()
    if (held > this.#maxBytes) this.#passed(held)
  }
}
