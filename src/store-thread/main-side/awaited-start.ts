import type { Observe } from '../../observe/event.ts'
import type { Awaited } from '../protocol.ts'
import { awayReason } from './store-unavailable.ts'

interface AwaitedStartParts {
  readonly observe: Observe
  /** Rows of the journal that are still to be validated. */
  readonly rowsLeft: () => number
  /** Whether it has been ready since the service was started. */
  readonly wasReady: () => boolean
}

/** How far the thread has come with its start, and what that waits for. */
export class AwaitedStart {
  readonly #parts: AwaitedStartParts
  #awaited: Awaited | null = null
  #hasWaited = false
  #resolveBegun: () => void = () => undefined
  #resolveWaited: () => void = () => undefined
  /** Resolves once the store is open. */
  readonly begun: Promise<void>
  /** Resolves once the start waits for what nobody but the operator can bring. */
  readonly waited: Promise<void>

  constructor(parts: AwaitedStartParts) {
    this.#parts = parts
    this.begun = new Promise((resolve) => {
      this.#resolveBegun = resolve
    })
    this.waited = new Promise((resolve) => {
      this.#resolveWaited = resolve
    })
  }

  /** Whether it has ever waited. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Why it is not over, as a sentence. */
  get reason(): string {
    const { wasReady, rowsLeft } = this.#parts
    return awayReason({ wasReady: wasReady(), awaited: this.#awaited, rowsLeft: rowsLeft() })
  }

  begins(): void {
    this.#resolveBegun()
  }

  /** It goes on, or begins anew. */
  goesOn(): void {
    this.#awaited = null
  }

  waitsFor(awaited: Awaited): void {
    const isNew = this.#awaited !== awaited
    this.#awaited = awaited
    this.#hasWaited = true
    if (isNew) this.#parts.observe({ kind: 'startBlocked', reason: this.reason })
    this.#resolveWaited()
  }
}
