import type { JournalCopier } from './journal-copier.ts'

export interface RestorableParts {
  readonly journal: Pick<JournalCopier, 'position' | 'hasReached'>
}

interface Held {
  /** What a restore gave before the moment. */
  readonly position: number
  /** The oldest thing that only the moment gives back. */
  sinceMs: number
  /** The moment's own. */
  readonly untilPosition: number
}

/**
 * What a restore would give now. A moment is committed before the journal reaches its position, because pushes behind it may need its definitions.
 * Until the journal is there, a restore takes the moment before, and nothing of the log behind the new one.
 */
export class Restorable {
  readonly #parts: RestorableParts
  #held: Held | null = null

  constructor(parts: RestorableParts) {
    this.#parts = parts
  }

  /** To be called before a moment's entry goes to the log. `sinceMs` is when the oldest was made that only it will give, by a clock that runs evenly. */
  committing(untilPosition: number, sinceMs: number | null): void {
    const before = this.#unfinished
    const since = Math.min(before?.sinceMs ?? Number.POSITIVE_INFINITY, sinceMs ?? Number.POSITIVE_INFINITY)
    this.#held = { position: this.position, sinceMs: since, untilPosition }
  }

  /** To be called before more of the journal goes to the log, with the time of the oldest of it. */
  copying(sinceMs: number): void {
    const held = this.#unfinished
    if (held !== null) held.sinceMs = Math.min(held.sinceMs, sinceMs)
  }

  /** Whether the newest moment is one that a restore can take. */
  get isWhole(): boolean {
    return this.#unfinished === null
  }

  /** All rows before it would be there. */
  get position(): number {
    return this.#unfinished?.position ?? this.#parts.journal.position
  }

  /** When the oldest was made that the log has, and a restore would not give; null when there is no such thing. */
  get sinceMs(): number | null {
    const since = this.#unfinished?.sinceMs ?? Number.POSITIVE_INFINITY
    return Number.isFinite(since) ? since : null
  }

  get #unfinished(): Held | null {
    if (this.#held !== null && this.#parts.journal.hasReached(this.#held.untilPosition)) this.#held = null
    return this.#held
  }
}
