/** A resource that is held until it is released. */
export interface Held {
  release(): void
}

/** Acquires the holds one after another; they are released together. If one fails, those before it are released and its error is thrown. */
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

interface HoldActions {
  /** Resolves when the current generation holds; rejects if there is none, or if it ended first. */
  readonly hold: () => Promise<unknown>
  readonly release: () => void
}

/** Something that an actor holds through all its generations while anybody needs it. A generation that begins while `isHeld` begins holding. */
export class Holds {
  readonly #actions: HoldActions
  #holders = 0

  constructor(ways: HoldActions) {
    this.#actions = ways
  }

  get isHeld(): boolean {
    return this.#holders > 0
  }

  /** Resolves when it is held; it stays held until `release` is called. */
  async take(): Promise<Held> {
    this.#holders++
    const release = (): void => {
      if (--this.#holders === 0) this.#actions.release()
    }
    try {
      await this.#actions.hold()
    } catch (error) {
      release()
      throw error
    }
    return { release }
  }
}
