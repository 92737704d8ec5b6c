// Cancellable work. A cheap substitute for AbortController and AbortSignal, which take ten microseconds to create and to listen to.

/** The signal that cancellable work listens to; an AbortSignal is one. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Calls each listener once, whether or not it was added with `once`. */
export class Cancellation implements CancelSignal {
  #aborted = false
  #reason: unknown = undefined
  #listeners: (() => void)[] = []
  #native: AbortController | null = null

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  /** The same for APIs that accept only an AbortSignal; created on first use. */
  get signal(): AbortSignal {
    if (this.#native === null) {
      this.#native = new AbortController()
      if (this.#aborted) this.#native.abort(this.#reason)
    }
    return this.#native.signal
  }

  /** Only the first call counts. The default reason is that of an AbortController. */
  cancel(reason?: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason ?? new DOMException('This operation was aborted', 'AbortError')
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
    this.#native?.abort(this.#reason)
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const place = this.#listeners.indexOf(listener)
    if (place !== -1) this.#listeners.splice(place, 1)
  }
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it is aborted. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: CancelSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) onAbort()
  })
}

/** For APIs that accept only an AbortSignal. */
export function nativeSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  if (signal instanceof Cancellation) return signal.signal
  throw new Error('a signal that is neither an AbortSignal nor a Cancellation')
}
