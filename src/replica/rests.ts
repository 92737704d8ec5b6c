/** Pauses of one loop, which somebody else may end. */
export class Rests {
  #end: (() => void) | null = null
  #isIdle = false

  /** An idle one also ends when there is something to do. */
  async rest(ms: number, isIdle: boolean): Promise<void> {
    if (ms <= 0) return
    this.#isIdle = isIdle
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#end = null
  }

  /** There is something to do. */
  wake(): void {
    if (this.#isIdle) this.#end?.()
  }

  end(): void {
    this.#end?.()
  }
}
