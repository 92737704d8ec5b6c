import { Problem } from '../model/problem.ts'

/** How much of the room one subscriber may take: the rest is left to others, whatever he keeps. */
const ownShare = 0.75

/** Counts what statements keep between requests: the rest of their answers with its columns, and the texts of those that were prepared. */
export class HeldBytes {
  readonly #bytesMax: number
  readonly #own = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Counts `bytes` until what it returns is called. Throws Problem `overloaded` where there is no room for them. */
  hold(ownerId: string, bytes: number): () => void {
    const own = this.#own.get(ownerId) ?? 0
    if (this.#bytes + bytes > this.#bytesMax || own + bytes > this.#bytesMax * ownShare) {
      throw new Problem(
        'overloaded',
        `Answers that are not read to their end take all of jdbc.heldBytes (${this.#bytesMax}), of which one subscriber gets three quarters. Close statements, or ask for less.`,
      )
    }
    this.#count(ownerId, bytes)
    let isHeld = true
    return () => {
      if (isHeld) this.#count(ownerId, -bytes)
      isHeld = false
    }
  }

  #count(ownerId: string, bytes: number): void {
    this.#bytes += bytes
    const own = (this.#own.get(ownerId) ?? 0) + bytes
    if (own > 0) this.#own.set(ownerId, own)
    else this.#own.delete(ownerId)
  }
}
