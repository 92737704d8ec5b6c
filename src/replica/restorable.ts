import type { JournalCopier } from './journal-copier.ts'

export interface RestorableParts {
  readonly journal: Pick<JournalCopier, 'position' | 'hasReached'>
}

interface Held {
  /** The position that a restore reached before the moment. */
  readonly position: number
  /** The time of the oldest data that only the moment restores. */
  sinceMs: number
  /** The moment's own position. */
  readonly untilPosition: number
}

/**
 * The state that a restore would give now. A moment is committed before the journal reaches its position, because pushes after it may need its
 * definitions. Until the journal is there, a restore uses the previous moment, and nothing of the log after the new one.
 */
export class Restorable {
  readonly #parts: RestorableParts
  #held: Held | null = null

  constructor(parts: RestorableParts) {
    this.#parts = parts
  }

  /** To be called before a moment's entry is appended to the log. `sinceMs`: the oldest data that only it will restore, by the steady clock. */
  committing(untilPosition: number, sinceMs: number | null): void {
    const before = this.#unfinished
    const since = Math.min(before?.sinceMs ?? Number.POSITIVE_INFINITY, sinceMs ?? Number.POSITIVE_INFINITY)
    this.#held = { position: this.position, sinceMs: since, untilPosition }
  }

  /** To be called before more of the journal is appended to the log, with the time of its oldest data. */
  copying(sinceMs: number): void {
    const held = this.#unfinished
    if (held !== null) held.sinceMs = Math.min(held.sinceMs, sinceMs)
  }

  /** Whether a restore can use the newest moment. */
  get isWhole(): boolean {
    return this.#unfinished === null
  }

  /** A restore would have all rows before it. */
  get position(): number {
    return this.#unfinished?.position ?? this.#parts.journal.position
  }

  /** The time of the oldest data that is in the log and would not be restored; null when there is none. */
  get sinceMs(): number | null {
    const since = this.#unfinished?.sinceMs ?? Number.POSITIVE_INFINITY
    return Number.isFinite(since) ? since : null
  }

  get #unfinished(): Held | null {
    if (this.#held !== null && this.#parts.journal.hasReached(this.#held.untilPosition)) this.#held = null
    return this.#held
  }
}
