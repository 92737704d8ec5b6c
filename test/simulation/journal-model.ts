// The guarantees of a journal: every acknowledged entry exists once, with its bytes, and after every entry that was acknowledged when it was pushed.

import { type JournalCursor, type JournalEntry, type PlacedEntry, positionAfter } from '../../src/journal/journal.ts'
import type { Random } from '../support/random.ts'

interface Attempt {
  readonly entry: JournalEntry
  /** The last position that was acknowledged when it was pushed; -1 when there was none. */
  readonly after: number
  outcome: 'unknown' | 'refused' | { readonly position: number }
}

export class JournalModel {
  readonly #attempts: Attempt[] = []
  /** Everything from this position on must be kept. */
  #trimPosition = 0
  #acknowledgedPosition = -1

  get trimPosition(): number {
    return this.#trimPosition
  }

  get attempts(): number {
    return this.#attempts.length
  }

  /** Moves the trim position to a random acknowledged entry or to the end, and returns it. Entries before it may be lost. */
  moveTrimPosition(endPosition: number, random: Random): number {
    const places = this.#attempts.flatMap(({ outcome }) => (typeof outcome === 'string' ? [] : [outcome.position]))
    const kept = [...places.filter((position) => position >= this.#trimPosition && position < endPosition), endPosition]
    this.#trimPosition = kept[random.below(kept.length)] ?? endPosition
    return this.#trimPosition
  }

  /** Records an append that is about to be called; returns the number to report its outcome with. */
  attempt(entry: JournalEntry): number {
    return this.#attempts.push({ entry, after: this.#acknowledgedPosition, outcome: 'unknown' }) - 1
  }

  acknowledge(attempt: number, position: number): void {
    this.#attempts[attempt]!.outcome = { position }
    this.#acknowledgedPosition = Math.max(this.#acknowledgedPosition, position)
  }

  refuse(attempt: number): void {
    this.#attempts[attempt]!.outcome = 'refused'
  }

  /** Reads and checks everything that must be kept, and expects it to stay from then on. Throws at the first fault. */
  async check(reader: JournalCursor, endPosition: number, bytesMax: () => number): Promise<void> {
    if (endPosition < this.#trimPosition) throw new Error(`the journal ends at ${endPosition}, before its place`)
    const expected = this.#attempts.filter((attempt) => this.#mustBeThere(attempt))
    const found = await this.#readAll(reader, endPosition, bytesMax)
    for (const { outcome, entry } of expected) {
      if (typeof outcome === 'string') continue
      if (found.get(outcome.position)?.entry !== entry)
        throw new Error(`the entry acknowledged at ${outcome.position} is lost`)
    }
    for (const [position, attempt] of found) {
      if (attempt.outcome === 'refused') throw new Error(`the entry at ${position} was refused`)
      attempt.outcome = { position }
    }
  }

  /** Checks that entries are contiguous from a position on, each as it was pushed; returns the position after them. */
  checkRun(entries: readonly PlacedEntry[], from: number): number {
    let position = from
    for (const placed of entries) {
      if (placed.position !== position) throw new Error(`an entry is at ${placed.position} where ${position} should be`)
      this.#attemptOf(placed)
      position = positionAfter(placed)
    }
    return position
  }

  async #readAll(reader: JournalCursor, endPosition: number, bytesMax: () => number): Promise<Map<number, Attempt>> {
    const found = new Map<number, Attempt>()
    let position = this.#trimPosition
    const seen = new Set<number>()
    while (position < endPosition) {
      const entries = await reader.read(position, endPosition, bytesMax())
      if (entries.length === 0) throw new Error(`there is nothing at ${position}`)
      position = this.checkRun(entries, position)
      for (const placed of entries) {
        const number = this.#attemptOf(placed)
        const attempt = this.#attempts[number]!
        if (seen.has(number)) throw new Error(`the entry at ${placed.position} is there twice`)
        if (placed.position <= attempt.after)
          throw new Error(`the entry at ${placed.position} was pushed after ${attempt.after}`)
        found.set(placed.position, attempt)
        seen.add(number)
      }
    }
    if (position !== endPosition) throw new Error('the last entry goes past the end')
    return found
  }

  #mustBeThere({ outcome }: Attempt): boolean {
    return typeof outcome !== 'string' && outcome.position >= this.#trimPosition
  }

  /** The attempt that an entry comes from; throws unless the entry is as it was pushed. Bodies begin with the attempt's number. */
  #attemptOf(placed: PlacedEntry): number {
    const { position, body, ...rest } = placed
    const index = Number.parseInt(Buffer.from(body).toString('latin1'), 10)
    const pushed = this.#attempts[index]?.entry
    if (pushed === undefined) throw new Error(`the entry at ${position} was never pushed`)
    const { body: pushedBody, ...pushedRest } = pushed
    const same =
      Buffer.compare(body, pushedBody) === 0 &&
      Object.entries(pushedRest).every(([key, value]) => Object.is(Reflect.get(rest, key), value))
    if (!same) throw new Error(`the entry at ${position} is not as it was pushed`)
    return index
  }
}
