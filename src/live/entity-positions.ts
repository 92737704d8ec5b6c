/** A range of positions in which rows of an entity were stored; `toPosition` is exclusive. */
interface Stored {
  fromPosition: number
  toPosition: number
}

interface Known {
  /** Upper bound for the end of the stored rows that are no longer in the journal. */
  trimmedPosition: number
  /** Stored rows that are in the journal, by slice of positions. */
  readonly stored: Map<number, Stored>
}

/** Positions per slice. Slices bound the memory for an entity that receives rows continuously. */
const slice = 65_536

/** The position since which an entity has received no rows: a reader that was there has missed nothing, however long ago that was. */
export class EntityPositions {
  readonly #known = new Map<number, Known>()

  constructor(trimmed: Iterable<readonly [entityId: number, position: number]> = []) {
    for (const [entityId, trimmedPosition] of trimmed) this.#known.set(entityId, { trimmedPosition, stored: new Map() })
  }

  /** Records that rows in this range of positions were stored in the entity. May be called more than once for a range. */
  stored(entityId: number, fromPosition: number, toPosition: number): void {
    const known = this.#known.get(entityId) ?? { trimmedPosition: 0, stored: new Map<number, Stored>() }
    this.#known.set(entityId, known)
    const place = Math.floor(toPosition / slice)
    const before = known.stored.get(place)
    if (before === undefined) {
      known.stored.set(place, { fromPosition, toPosition })
      return
    }
    before.fromPosition = Math.min(before.fromPosition, fromPosition)
    before.toPosition = Math.max(before.toPosition, toPosition)
  }

  /** Call before the journal is trimmed to begin at a position. */
  trim(firstPosition: number): void {
    for (const known of this.#known.values()) {
      for (const [place, { fromPosition, toPosition }] of known.stored) {
        if (fromPosition >= firstPosition) continue
        known.trimmedPosition = Math.max(known.trimmedPosition, Math.min(toPosition, firstPosition))
        if (toPosition <= firstPosition) known.stored.delete(place)
      }
    }
  }

  /** No rows that are gone from the journal were stored at or after this position. */
  trimmedPosition(entityId: number): number {
    return this.#known.get(entityId)?.trimmedPosition ?? 0
  }

  /** For `new EntityPositions` in a later process. */
  get trimmed(): readonly (readonly [entityId: number, position: number])[] {
    return [...this.#known].map(([entityId, { trimmedPosition }]) => [entityId, trimmedPosition] as const)
  }
}
