// When entities are processed one after another, a failure at one does not hold up the others.
import { messageOf } from '../../../lib/message-of.ts'

const namedMax = 5

export interface EntityFailuresParts {
  readonly nowMs: () => number
  /** The total time that failures may take. Beyond it the service behind them is taken to be unavailable, and the other entities would fail too. */
  readonly budgetMs: number
}

export class EntityFailures {
  readonly #parts: EntityFailuresParts
  readonly #failures = new Map<number, unknown>()
  #spentMs = 0
  #lastMs: number

  constructor(parts: EntityFailuresParts) {
    this.#parts = parts
    this.#lastMs = parts.nowMs()
  }

  /** The entities at which something failed. */
  get ids(): ReadonlySet<number> {
    return new Set(this.#failures.keys())
  }

  /** Whether the work succeeded. Throws its error when failures have taken too long in total. */
  async attempt(entityId: number, work: () => Promise<unknown>): Promise<boolean> {
    this.#lastMs = this.#parts.nowMs()
    try {
      await work()
      return true
    } catch (error) {
      this.add(entityId, error)
      return false
    }
  }

  /** Records a failure. It is charged with the time since the last failure, or since the attempt began. */
  add(entityId: number, error: unknown): void {
    const nowMs = this.#parts.nowMs()
    this.#spentMs += nowMs - this.#lastMs
    this.#lastMs = nowMs
    this.#failures.set(entityId, error)
    if (this.#spentMs > this.#parts.budgetMs) throw error
  }

  /** Throws an Error that names some of them, if there are any. */
  throwAny(): void {
    if (this.#failures.size === 0) return
    const named = [...this.#failures].slice(0, namedMax).map(([id, error]) => `entity ${id}: ${messageOf(error)}`)
    const more = this.#failures.size > namedMax ? ` and ${this.#failures.size - namedMax} more` : ''
    throw new Error(`these entities failed, the others succeeded: ${named.join('; ')}${more}`)
  }
}
