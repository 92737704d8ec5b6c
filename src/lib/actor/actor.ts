// An actor is a thread or a process that is looked after: it is started, it answers, and when it dies it is started again, unless `next` says never.
//
//   idle --start--> starting --ready--> ready
//                    |  ^                 |
//               ended|  |pause is over    |ended
//                    v  |                 |
//                   resting <-------------'
//                    |
//                    '-- nothing to hope for --> failed          close: from each of them to closed
//
//   ready --retire--> retiring --ended--> idle, or starting where somebody waits
//
// The actor begins a generation and is told by it: `ready` once, `ended` once. What is asked of a generation, and what it holds, is that generation's alone.
import { systemTimer, type Timer, timerMs } from '../timer.ts'

/** One generation of an actor, from its start to its end. */
export interface Generation {
  /** Asks it to end: `ended` is told when it has. */
  end(): void
}

/** What a generation tells of itself. */
export interface GenerationEvents {
  readonly ready: () => void
  readonly ended: (reason: unknown) => void
}

export interface Death {
  readonly reason: unknown
  /** Whether a generation was ever ready, this one or one before it. */
  readonly hasServed: boolean
  /** How many generations in a row ended before they were ready, this one among them; 0 where this one was ready. */
  readonly failures: number
}

/** When the next generation begins: after the first pause, after one that grows with each failure, or not at all. */
export type NextStart = 'soon' | 'later' | 'never'

export interface ActorParts<L extends Generation> {
  /** Begins a generation. Where it throws, the generation has ended. */
  readonly begin: (events: GenerationEvents) => L
  /** Says when the next generation begins. Where it throws, that is as `never`, for that reason. */
  readonly next: (death: Death) => NextStart | Promise<NextStart>
  /** Told of each death that nobody asked for, once it is known when the next generation begins. */
  readonly died: (reason: unknown, restartInMs: number) => void
  /** The first pause. */
  readonly restartDelayMs: number
  readonly timer?: Timer
}

export type ActorState = 'idle' | 'starting' | 'ready' | 'resting' | 'retiring' | 'failed' | 'closed'

/** The first pause of the service's actors. */
export const restartDelayMs = 100

/** The longest pause is so many times the first. */
const pauseGrowthMax = 64

interface Waiter<L> {
  readonly resolve: (generation: L) => void
  readonly reject: (reason: unknown) => void
}

/** Who asks while the actor is not ready, and will not be before something else happens. */
export class ActorAway extends Error {
  override readonly name = 'ActorAway'
}

export class Actor<L extends Generation> {
  readonly #parts: ActorParts<L>
  #state: ActorState = 'idle'
  #generation: L | null = null
  #begun = 0
  #failures = 0
  #hasServed = false
  /** Whether who asks now is to wait: not where a start has failed, for the next one may fail too. */
  #isExpected = true
  readonly #waiting = new Set<Waiter<L>>()
  #endPause: () => void = () => undefined
  /** Who waits for the end of the last generation. */
  readonly #closers: (() => void)[] = []
  #resolveServed: () => void = () => undefined
  #rejectServed: (reason: unknown) => void = () => undefined
  /** Resolves when a generation is ready for the first time. Rejects with the reason of `never`, and with ActorAway when the actor is closed before. */
  readonly served: Promise<void>

  constructor(parts: ActorParts<L>) {
    this.#parts = parts
    this.served = new Promise((resolve, reject) => {
      this.#resolveServed = resolve
      this.#rejectServed = reject
    })
    // Who waits for it hears of it.
    this.served.catch(() => undefined)
  }

  get state(): ActorState {
    return this.#state
  }

  /** The generation that goes on, ready or not. Who holds something of a generation compares it: after a death it is another one. */
  get generation(): L | null {
    return this.#generation
  }

  /** The generation that answers. */
  get ready(): L | null {
    return this.#state === 'ready' ? this.#generation : null
  }

  /** Begins the first generation; does nothing when that has begun. */
  start(): void {
    if (this.#state === 'idle') this.#begin()
  }

  /** Ends the generation that is ready, until somebody starts the next one; does nothing in other states. */
  retire(): void {
    if (this.#state !== 'ready') return
    this.#state = 'retiring'
    this.#generation?.end()
  }

  /**
   * The generation that is ready; where one is being started, or will be after a death, that one. Rejects with ActorAway where a start has failed or the
   * actor is closed, and with the signal's reason.
   */
  whenReady(signal?: AbortSignal): Promise<L> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.ready !== null) return Promise.resolve(this.ready)
    if (!this.#isExpected) return Promise.reject(new ActorAway('it is not ready'))
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

  /** Resolves when no generation goes on. None begins any more. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#endPause()
    this.#turnAway(new ActorAway('it is closed'))
    this.#rejectServed(new ActorAway('it is closed'))
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
      this.#turnAway(new ActorAway('its start has failed'))
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
      this.#turnAway(new ActorAway('it is not started again'))
      return
    }
    const { timer = systemTimer } = this.#parts
    this.#endPause = timer(() => this.#begin(), pauseMs)
  }

  /** Until the next start, nobody is to wait for it. */
  #turnAway(reason: ActorAway): void {
    this.#isExpected = false
    for (const { reject } of [...this.#waiting]) reject(reason)
  }
}
