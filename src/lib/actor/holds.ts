import type { Held } from '../held.ts'

interface HoldWays {
  /** Resolves when the generation that goes on holds; rejects where there is none, or it ended before. */
  readonly hold: () => Promise<unknown>
  readonly release: () => void
}

/** What an actor is to hold through all its generations, for as long as anybody wants it. A generation that begins while `isHeld` begins holding. */
export class Holds {
  readonly #ways: HoldWays
  #holders = 0

  constructor(ways: HoldWays) {
    this.#ways = ways
  }

  get isHeld(): boolean {
    return this.#holders > 0
  }

  /** Resolves once it is held, until `release` is called. */
  async take(): Promise<Held> {
    this.#holders++
    const release = (): void => {
      if (--this.#holders === 0) this.#ways.release()
    }
    try {
      await this.#ways.hold()
    } catch (error) {
      release()
      throw error
    }
    return { release }
  }
}
