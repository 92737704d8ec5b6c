import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../lib/message-of.ts'
import { StoreRefused, StoreUnfit } from '../object-store/object-store.ts'
import { ReplicaDamaged, ReplicaNewer } from './replica-format.ts'
import { NotOwner } from './replica-log.ts'

const firstPauseMs = 200
const pauseMsMax = 30_000

export interface StoreAttemptsParts {
  /** The longest time for one request. */
  readonly requestMs: number
  readonly signal: AbortSignal
  /** Called after each failure with its message, and with null when the store responds again. */
  readonly report: (failure: string | null) => void
  /** Whether to give up after this error, with which attempt number `tries` ended. */
  readonly isFinal: (error: unknown, tries: number) => boolean
}

/** Repeats requests to the store until they succeed, with a growing pause. */
export class StoreAttempts {
  readonly #parts: StoreAttemptsParts
  /** The last failure of each request that is being retried: success of another request does not clear it. */
  readonly #failing = new Map<object, string>()

  constructor(parts: StoreAttemptsParts) {
    this.#parts = parts
  }

  /** Throws only errors that a retry would not fix, and the signal's reason. */
  async until<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#repeat(work)
    } finally {
      if (this.#failing.delete(work)) this.#parts.report(this.#failing.values().next().value ?? null)
    }
  }

  async #repeat<T>(work: () => Promise<T>): Promise<T> {
    const { signal, report, isFinal } = this.#parts
    for (let tries = 1, pauseMs = firstPauseMs; ; tries++, pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      signal.throwIfAborted()
      try {
        return await this.#inTime(work())
      } catch (error) {
        signal.throwIfAborted()
        if (isFinal(error, tries)) throw error
        const failure = messageOf(error)
        this.#failing.set(work, failure)
        report(failure)
        await sleep(pauseMs, undefined, { signal })
      }
    }
  }

  /** A result that arrives too late is harmless, because nothing is written twice. */
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

/** For a service, which retries until somebody has fixed the store: errors that nobody could fix there. */
export function isFinal(error: unknown): boolean {
  return error instanceof NotOwner || error instanceof StoreUnfit || error instanceof ReplicaNewer
}

/** A response may have been torn on its way, so a damaged object is read a second time. */
const damagedTries = 2

/** For a command, whose user is there to fix the store. */
export function isFinalForCommand(error: unknown, tries: number): boolean {
  return isFinal(error) || error instanceof StoreRefused || (error instanceof ReplicaDamaged && tries >= damagedTries)
}
