import { Problem } from '../model/problem.ts'
import type { Observe } from '../observe/event.ts'

/** `store`: a request failed and is retried. `end`: nothing is written to the replica any more. */
export type FailingPart = 'store' | 'journal' | 'catalog' | 'end'

/** The reasons why the replica is not up to date, by part: success of one part does not clear the failure of another. */
export class ReplicaErrors {
  readonly #observe: Observe
  readonly #errors = new Map<FailingPart, string>()

  constructor(observe: Observe) {
    this.#observe = observe
  }

  get error(): string | null {
    return this.#errors.get('end') ?? this.#errors.values().next().value ?? null
  }

  report(place: FailingPart, failure: string | null): void {
    if (failure === null) {
      this.#errors.delete(place)
      return
    }
    if (failure !== this.error) this.#observe({ kind: 'replicaFailed', message: failure })
    this.#errors.set(place, failure)
  }

  /** The Problem with which a waiting push is refused. */
  unavailable(): Problem {
    const why = this.error ?? 'it is being made'
    const reason = /[.?!]$/.test(why) ? why : `${why}.`
    const detail = `The replica (replica.url) cannot be written now: ${reason} Pushes wait for it (replica.wait): send this one again, with the same Idempotency-Key.`
    return new Problem('unavailable', detail, { retryAfterS: 5 })
  }
}
