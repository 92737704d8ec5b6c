// What a journal must hold: all that was acknowledged, once, with its bytes, and after all that was acknowledged when it was pushed.

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
  /** Everything from here on must be kept. */
  #trimPosition = 0
  #acknowledgedPosition = -1

  get trimPosition(): number {
    return this.#trimPosition
  }

  get attempts(): number {
    return this.#attempts.length
  }

  /** Gives up what is before some acknowledged entry, or before the end, and says where that is. */
  moveTrimPosition(endPosition: number, random: Random): number {
    const places = this.#attempts.flatMap(({ outcome }) => (typeof outcome === 'string' ? [] : [outcome.position]))
    const kept = [...places.filter((position) => position >= this.#trimPosition && position < endPosition), endPosition]
    this.#trimPosition = kept[random.below(kept.length)] ?? endPosition
    return this.#trimPosition
  }

  /** Notes an append that is about to be called; the number is to be given when its outcome is known. */
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

  /** Reads all that must be kept, checks it, and from then on expects it to stay. Throws at the first thing that is wrong. */
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

  /** Checks that entries follow one another from a position on, each as it was pushed; returns the position after them. */
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

  /** The attempt that an entry comes from: it must be as it was pushed. Bodies begin with the attempt's number. */
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
