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

/** Deletes what the journal holds of sealed rows, unless a backup is being made: then once it is over. */
export class Trimmer {
  readonly #parts: TrimmerParts
  readonly #trims = new Serial()
  #position = 0
  #trimmedPosition = 0
  /** How many want nothing to be deleted. */
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

  /** Keeps what somebody has still to read, a copy of the journal or readers of live rows: from that position on. */
  needs(neededPosition: () => number): void {
    this.#needed.push(neededPosition)
  }

  /** Less may be needed now. */
  again(): void {
    void this.#trims.run(() => this.#trim())
  }

  /** Resolves when nothing is being deleted, and nothing will be until it is released. */
  async hold(): Promise<Held> {
    this.#holds++
    await this.#trims.run(async () => undefined)
    const release = (): void => {
      if (--this.#holds > 0) return
      void this.#trims.run(() => this.#trim())
    }
    return { release }
  }

  /** What is sealed by now is deleted still. */
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
        // Nothing in the newest segment is needed any more either.
        await journal.rotate()
        reach('journal-rotated')
        segments += await journal.trim(position)
      }
      this.#trimmedPosition = position
      reach('journal-trimmed')
      if (segments > 0) observe({ kind: 'journalTrimmed', position, segments })
    } catch (error) {
      // What is left goes with the next trim; a journal that failed says so itself.
      observe({ kind: 'journalTrimFailed', message: messageOf(error) })
    }
  }
}
