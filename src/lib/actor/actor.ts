// An actor supervises a thread or a process: it starts it, passes requests to it and restarts it after it dies, unless `next` returns never.
//
//   idle --start--> starting --ready--> ready
//                    |  ^                 |
//               ended|  |pause is over    |ended
//                    v  |                 |
//                   resting <-------------'
//                    |
//                    '-- `next` is never --> failed                  close: from each of them to closed
//
//   ready --retire--> retiring --ended--> idle, or starting if somebody waits
//
// The actor begins a generation, and the generation reports back: `ready` once, `ended` once. Requests to a generation, and what it holds, belong to that
// generation alone.
import { systemTimer, type Timer, timerMs } from '../timer.ts'

/** One generation of an actor, from its start to its end. */
export interface Generation {
  /** Requests the end; `ended` reports it. */
  end(): void
}

/** Events that a generation reports. */
export interface GenerationEvents {
  readonly ready: () => void
  readonly ended: (reason: unknown) => void
}

export interface Death {
  readonly reason: unknown
  /** Whether any generation was ever ready, including this one. */
  readonly hasServed: boolean
  /** The number of generations in a row that ended before they were ready, including this one; 0 if this one was ready. */
  readonly failures: number
}

/** When the next generation begins: after the first pause, after a pause that grows with each failure, or not at all. */
export type NextStart = 'soon' | 'later' | 'never'

export interface ActorParts<L extends Generation> {
  /** Begins a generation. If it throws, the generation has ended. */
  readonly begin: (events: GenerationEvents) => L
  /** Decides when the next generation begins. An error it throws counts as `never`, with that error as the reason. */
  readonly next: (death: Death) => NextStart | Promise<NextStart>
  /** Called for each death that was not requested, after the start of the next generation has been decided. */
  readonly died: (reason: unknown, restartInMs: number) => void
  /** The first pause. */
  readonly restartDelayMs: number
  readonly timer?: Timer
}

export type ActorState = 'idle' | 'starting' | 'ready' | 'resting' | 'retiring' | 'failed' | 'closed'

/** The first pause of the service's actors. */
export const restartDelayMs = 100

/** The longest pause, as a multiple of the first. */
const pauseGrowthMax = 64

interface Waiter<L> {
  readonly resolve: (generation: L) => void
  readonly reject: (reason: unknown) => void
}

/** A request came while the actor was not ready, and waiting would not help until its state changes. */
export class ActorUnavailable extends Error {
  override readonly name = 'ActorUnavailable'
}

export class Actor<L extends Generation> {
  readonly #parts: ActorParts<L>
  #state: ActorState = 'idle'
  #generation: L | null = null
  #begun = 0
  #failures = 0
  #hasServed = false
  /** Whether new callers should wait. False after a failed start, because the next start may fail too. */
  #isExpected = true
  readonly #waiting = new Set<Waiter<L>>()
  #endPause: () => void = () => undefined
  /** Callers that wait for the end of the last generation. */
  readonly #closers: (() => void)[] = []
  #resolveServed: () => void = () => undefined
  #rejectServed: (reason: unknown) => void = () => undefined
  /** Resolves when a generation is ready for the first time. Rejects with the reason of `never`, and with ActorUnavailable if the actor is closed first. */
  readonly served: Promise<void>

  constructor(parts: ActorParts<L>) {
    this.#parts = parts
    this.served = new Promise((resolve, reject) => {
      this.#resolveServed = resolve
      this.#rejectServed = reject
    })
    // Callers that await it see the error; without any, it must not count as an unhandled rejection.
    this.served.catch(() => undefined)
  }

  get state(): ActorState {
    return this.#state
  }

  /** The current generation, ready or not. Code that holds state of a generation compares against this: after a death it is a different one. */
  get generation(): L | null {
    return this.#generation
  }

  /** The generation that accepts requests; null while there is none. */
  get ready(): L | null {
    return this.#state === 'ready' ? this.#generation : null
  }

  /** Begins the first generation; does nothing if that has begun. */
  start(): void {
    if (this.#state === 'idle') this.#begin()
  }

  /** Ends the generation that is ready. The next one begins with `start`, or by itself if somebody waits then. Does nothing in other states. */
  retire(): void {
    if (this.#state !== 'ready') return
    this.#state = 'retiring'
    this.#generation?.end()
  }

  /**
   * The ready generation, or the next one if it is starting or will start after a death. Rejects with ActorUnavailable if a start has failed or the actor is
   * closed, and with the signal's reason.
   */
  whenReady(signal?: AbortSignal): Promise<L> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.ready !== null) return Promise.resolve(this.ready)
    if (!this.#isExpected) return Promise.reject(new ActorUnavailable('it is not ready'))
    return new Promise((resolve, reject) => {
      const onAbort = (): void => settled(() => reject(signal?.reason))
      const settled = (settle: () => void): void => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const waiter: Waiter<L> = {
        resolve: (generation) => settled(() => resolve(generation)),
        reject: (reason) => settled(() => reject(reason)),
      }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Resolves when the current generation has ended. No other begins after the call. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#endPause()
    this.#rejectWaiting(new ActorUnavailable('it is closed'))
    this.#rejectServed(new ActorUnavailable('it is closed'))
    const generation = this.#generation
    if (generation === null) return
    await new Promise<void>((resolve) => {
      this.#closers.push(resolve)
      generation.end()
    })
  }

  #begin(): void {
    this.#state = 'starting'
    this.#isExpected = true
    const number = ++this.#begun
    let hasEnded = false
    const ended = (reason: unknown): void => {
      if (hasEnded) return
      hasEnded = true
      this.#ended(reason)
    }
    const ready = (): void => {
      if (number === this.#begun && this.#state === 'starting') this.#becomeReady()
    }
    try {
      const generation = this.#parts.begin({ ready, ended })
      if (!hasEnded) this.#generation = generation
    } catch (error) {
      ended(error)
    }
  }

  #becomeReady(): void {
    this.#state = 'ready'
    this.#failures = 0
    this.#hasServed = true
    this.#resolveServed()
    for (const { resolve } of [...this.#waiting]) resolve(this.#generation!)
  }

  #ended(reason: unknown): void {
    const wasReady = this.#state === 'ready'
    this.#generation = null
    for (const report of this.#closers.splice(0)) report()
    if (this.#state === 'closed') return
    if (this.#state === 'retiring') {
      this.#state = 'idle'
      if (this.#waiting.size > 0) this.#begin()
      return
    }
    this.#state = 'resting'
    if (!wasReady) {
      this.#failures++
      this.#rejectWaiting(new ActorUnavailable('its start has failed'))
    }
    void this.#rest({ reason, hasServed: this.#hasServed, failures: this.#failures })
  }

  async #rest(death: Death): Promise<void> {
    let next: NextStart = 'never'
    let { reason } = death
    try {
      next = await this.#parts.next(death)
    } catch (error) {
      reason = error
    }
    const growth = next === 'later' ? Math.min(pauseGrowthMax, 2 ** Math.max(0, death.failures - 1)) : 1
    const pauseMs = timerMs(this.#parts.restartDelayMs * growth)
    if (this.#state === 'closed') return
    this.#parts.died(death.reason, pauseMs)
    if (next === 'never') {
      this.#state = 'failed'
      this.#rejectServed(reason)
      this.#rejectWaiting(new ActorUnavailable('it is not started again'))
      return
    }
    const { timer = systemTimer } = this.#parts
    this.#endPause = timer(() => this.#begin(), pauseMs)
  }

  /** Rejects all waiting callers; new ones are rejected too until the next start. */
  #rejectWaiting(reason: ActorUnavailable): void {
    this.#isExpected = false
    for (const { reject } of [...this.#waiting]) reject(reason)
  }
}
