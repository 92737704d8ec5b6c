/** Something that is held until it is let go. */
export interface Held {
  release(): void
}

/** Holds one after the other; they are let go together. When one cannot be held, those before it are let go, and its error is thrown. */
export async function holdAll(holds: readonly (() => Promise<Held>)[]): Promise<Held> {
  const held: Held[] = []
  const release = (): void => {
    for (const one of held.splice(0)) one.release()
  }
  try {
    for (const hold of holds) held.push(await hold())
  } catch (error) {
    release()
    throw error
  }
  return { release }
}

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
