import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../lib/message-of.ts'
import { StoreRefused, StoreUnfit } from '../object-store/object-store.ts'
import { ReplicaDamaged, ReplicaNewer } from './replica-format.ts'
import { NotOwner } from './replica-log.ts'

const firstPauseMs = 200
const pauseMsMax = 30_000

export interface StoreAttemptsParts {
  /** As long may one request take. */
  readonly requestMs: number
  readonly signal: AbortSignal
  /** Told after each failure with what it was, and with null once the store has answered again. */
  readonly report: (failure: string | null) => void
  /** Whether to ask no more after so many tries that ended in this. */
  readonly isFinal: (error: unknown, tries: number) => boolean
}

/** Requests to the store that are made again until they succeed, with a pause that grows. */
export class StoreAttempts {
  readonly #parts: StoreAttemptsParts
  /** What each request that is made again failed with last: another that succeeds says nothing of it. */
  readonly #failing = new Map<object, string>()

  constructor(parts: StoreAttemptsParts) {
    this.#parts = parts
  }

  /** Throws only what a repetition would not mend, and the signal's reason. */
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

/** For a service, which goes on asking until somebody has mended the store: what it could not mend at all. */
export function isFinal(error: unknown): boolean {
  return error instanceof NotOwner || error instanceof StoreUnfit || error instanceof ReplicaNewer
}

/** An answer may have been torn on its way: what is damaged is read a second time. */
const damagedTries = 2

/** For a command, whose user is there to mend it. */
export function isFinalForCommand(error: unknown, tries: number): boolean {
  return isFinal(error) || error instanceof StoreRefused || (error instanceof ReplicaDamaged && tries >= damagedTries)
}
