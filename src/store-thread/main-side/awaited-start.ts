import type { Observe } from '../../observe/event.ts'
import type { Awaited } from '../protocol.ts'
import { unavailableReason } from './store-unavailable.ts'

interface AwaitedStartParts {
  readonly observe: Observe
  /** Rows of the journal that are not validated yet. */
  readonly rowsLeft: () => number
  /** Whether the store has been ready since the service started. */
  readonly wasReady: () => boolean
}

/** The progress of the thread's start, and the condition that it waits for. */
export class AwaitedStart {
  readonly #parts: AwaitedStartParts
  #awaited: Awaited | null = null
  #hasWaited = false
  #resolveBegun: () => void = () => undefined
  #resolveWaited: () => void = () => undefined
  /** Resolves when the store is open. */
  readonly begun: Promise<void>
  /** Resolves when the start waits for something that only the operator can provide. */
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

  /** Why the start has not finished, as a sentence. */
  get reason(): string {
    const { wasReady, rowsLeft } = this.#parts
    return unavailableReason({ wasReady: wasReady(), awaited: this.#awaited, rowsLeft: rowsLeft() })
  }

  begins(): void {
    this.#resolveBegun()
  }

  /** The start continues, or restarts. */
  resumed(): void {
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
