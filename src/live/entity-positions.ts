/** Rows were stored in an entity by a step from one position up to another. */
interface Stored {
  fromPosition: number
  toPosition: number
}

interface Known {
  /** The last position at which something was stored, of what is not in the journal any more; at least that. */
  trimmedPosition: number
  /** By stretch of positions, of what the journal holds. */
  readonly stored: Map<number, Stored>
}

/** Positions that are not told apart: an entity that gets rows all the time has few numbers here. */
const stretch = 65_536

/** Since when nothing has happened in an entity: whoever knew it then has missed nothing, however long ago that was. */
export class EntityPositions {
  readonly #known = new Map<number, Known>()

  constructor(trimmed: Iterable<readonly [entityId: number, position: number]> = []) {
    for (const [entityId, trimmedPosition] of trimmed) this.#known.set(entityId, { trimmedPosition, stored: new Map() })
  }

  /** Rows of these positions, or some of them, were stored in the entity. It may be told again. */
  stored(entityId: number, fromPosition: number, toPosition: number): void {
    const known = this.#known.get(entityId) ?? { trimmedPosition: 0, stored: new Map<number, Stored>() }
    this.#known.set(entityId, known)
    const place = Math.floor(toPosition / stretch)
    const before = known.stored.get(place)
    if (before === undefined) {
      known.stored.set(place, { fromPosition, toPosition })
      return
    }
    before.fromPosition = Math.min(before.fromPosition, fromPosition)
    before.toPosition = Math.max(before.toPosition, toPosition)
  }

  /** The journal will begin at a position. */
  trim(firstPosition: number): void {
    for (const known of this.#known.values()) {
      for (const [place, { fromPosition, toPosition }] of known.stored) {
        if (fromPosition >= firstPosition) continue
        known.trimmedPosition = Math.max(known.trimmedPosition, Math.min(toPosition, firstPosition))
        if (toPosition <= firstPosition) known.stored.delete(place)
      }
    }
  }

  /** Nothing was stored at or after it, of what is not in the journal any more. */
  trimmedPosition(entityId: number): number {
    return this.#known.get(entityId)?.trimmedPosition ?? 0
  }

  /** For `new EntityPositions` in a later process. */
  get trimmed(): readonly (readonly [entityId: number, position: number])[] {
    return [...this.#known].map(([entityId, { trimmedPosition }]) => [entityId, trimmedPosition] as const)
  }
}
