import type { Held } from '../lib/held.ts'
import { messageOf } from '../lib/message-of.ts'
import { Serial } from '../lib/serial.ts'
import type { Reach } from '../observe/crash-point.ts'
import type { Observe } from '../observe/event.ts'
import type { LocalJournalWriter } from './journal.ts'

export interface TrimmerParts {
  readonly journal: Pick<LocalJournalWriter, 'trim' | 'rotate' | 'durablePosition'>
  readonly observe: Observe
  readonly reach: Reach
}

/** Deletes the journal of sealed rows; while a backup is being made, only after it has ended. */
export class Trimmer {
  readonly #parts: TrimmerParts
  readonly #trims = new Serial()
  #position = 0
  #trimmedPosition = 0
  /** The number of holders that prevent deletion. */
  #holds = 0
  #stopped = false
  readonly #needed: (() => number)[] = []

  constructor(parts: TrimmerParts) {
    this.#parts = parts
  }

  /** Rows before this position are sealed. */
  sealed(position: number): void {
    this.#position = Math.max(this.#position, position)
    void this.#trims.run(() => this.#trim())
  }

  /** Keeps the journal from the given position on for a reader that still needs it: a copy of the journal, or readers of live rows. */
  needs(neededPosition: () => number): void {
    this.#needed.push(neededPosition)
  }

  /** Called when less may be needed. */
  again(): void {
    void this.#trims.run(() => this.#trim())
  }

  /** Resolves when nothing is being deleted; nothing will be until it is released. */
  async hold(): Promise<Held> {
    this.#holds++
    await this.#trims.run(async () => undefined)
    const release = (): void => {
      if (--this.#holds > 0) return
      void this.#trims.run(() => this.#trim())
    }
    return { release }
  }

  /** Rows sealed by now are still deleted from the journal. */
  stop(): Promise<void> {
    return this.#trims.run(async () => {
      this.#stopped = true
    })
  }

  async #trim(): Promise<void> {
    const { journal, observe, reach } = this.#parts
    const position = Math.min(this.#position, ...this.#needed.map((position) => position()))
    if (this.#holds > 0 || this.#stopped || position <= this.#trimmedPosition) return
    try {
      let segments = await journal.trim(position)
      if (position >= journal.durablePosition) {
        // The newest segment is no longer needed either.
        await journal.rotate()
        reach('journal-rotated')
        segments += await journal.trim(position)
      }
      this.#trimmedPosition = position
      reach('journal-trimmed')
      if (segments > 0) observe({ kind: 'journalTrimmed', position, segments })
    } catch (error) {
      // The next trim deletes the rest; a failed journal reports that itself.
      observe({ kind: 'journalTrimFailed', message: messageOf(error) })
    }
  }
}
