import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnfit } from '../object-store/object-store.ts'
import { NotOwner } from './copy-log.ts'

const firstPauseMs = 200
const pauseMsMax = 30_000

export interface StoreAttemptsParts {
  /** As long may one request take. */
  readonly requestMs: number
  readonly signal: AbortSignal
  /** Told after each failure with what it was, and with null once the store has answered again. */
  readonly told: (failure: string | null) => void
}

/** Requests to the store that are made again until they succeed, with a pause that grows. */
export class StoreAttempts {
  readonly #parts: StoreAttemptsParts
  #failing = false

  constructor(parts: StoreAttemptsParts) {
    this.#parts = parts
  }

  /** Throws only what a repetition would not mend, and the signal's reason. */
  async until<T>(work: () => Promise<T>): Promise<T> {
    const { signal, told } = this.#parts
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      signal.throwIfAborted()
      try {
        const result = await this.#inTime(work())
        if (this.#failing) told(null)
        this.#failing = false
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (isFinal(error)) throw error
        this.#failing = true
        told(error instanceof Error ? error.message : String(error))
        await sleep(pauseMs, undefined, { signal })
      }
    }
  }

  /** What comes too late is no harm: nothing is written twice. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { requestMs, signal } = this.#parts
    let timer: NodeJS.Timeout | undefined
    let ended: (() => void) | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the store did not answer within ${requestMs} ms`)), requestMs)
      ended = () => reject(signal.reason)
      signal.addEventListener('abort', ended)
    })
    work.catch(() => undefined)
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
      if (ended !== undefined) signal.removeEventListener('abort', ended)
    }
  }
}

/** Asking the store again does not mend it. */
export function isFinal(error: unknown): boolean {
  return error instanceof NotOwner || error instanceof StoreUnfit
}
