interface Waiting<T> {
  readonly message: T
  readonly bytes: number
  readonly untilMs: number
}

/** A bounded queue of waiting messages, in the order of arrival. */
export class WaitingMessages<T> {
  readonly #bounds: { readonly messagesMax: number; readonly bytesMax: number }
  #waiting: Waiting<T>[] = []
  #bytes = 0

  constructor(bounds: { readonly messagesMax: number; readonly bytesMax: number }) {
    this.#bounds = bounds
  }

  all(): readonly T[] {
    return this.#waiting.map(({ message }) => message)
  }

  /** Returns the messages removed to make space, oldest first; a message larger than the bound is among them. */
  add(message: T, bytes: number, untilMs: number): readonly T[] {
    this.#waiting.push({ message, bytes, untilMs })
    this.#bytes += bytes
    const gone: T[] = []
    while (this.#waiting.length > this.#bounds.messagesMax || this.#bytes > this.#bounds.bytesMax) {
      const oldest = this.#waiting.shift()!
      this.#bytes -= oldest.bytes
      gone.push(oldest.message)
    }
    return gone
  }

  takeOf(isWanted: (message: T) => boolean): readonly T[] {
    return this.#take(({ message }) => isWanted(message))
  }

  takeUntil(nowMs: number): readonly T[] {
    return this.#take(({ untilMs }) => untilMs <= nowMs)
  }

  #take(isWanted: (one: Waiting<T>) => boolean): readonly T[] {
    const taken = this.#waiting.filter(isWanted)
    if (taken.length === 0) return []
    const gone = new Set(taken)
    this.#waiting = this.#waiting.filter((one) => !gone.has(one))
    for (const { bytes } of taken) this.#bytes -= bytes
    return taken.map(({ message }) => message)
  }
}
