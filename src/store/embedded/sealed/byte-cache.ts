/** Something that a cache may drop: `evict` lets go of it. An entry is in one cache at most. */
export interface CacheEntry {
  evict(): void
}

/** The place of an entry in the order of use. The ends of that order are one place without an entry, so that it is a ring; a mark is another one. */
interface Place {
  readonly entry: CacheEntry | null
  bytes: number
  older: Place
  newer: Place
}

/**
 * Keeps what was used last, within a bound of bytes (or whatever its entries are measured in). A use changes no Map: why, says
 * `src/lib/slots.ts`.
 */
export class ByteCache {
  readonly #bytesMax: number
  readonly #places = new Map<CacheEntry, Place>()
  readonly #ends = newPlace(null)
  /** What was used since the last call of `dropUnused` is newer than this place without an entry. */
  readonly #mark = newPlace(null)
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    linkBefore(this.#ends, this.#mark)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes the entry in, or notes that it is used again and how big it is now. One bigger than the bound does not stay. */
  use(entry: CacheEntry, bytes: number): void {
    let place = this.#places.get(entry)
    if (place === undefined) {
      place = newPlace(entry)
      this.#places.set(entry, place)
    }
    unlink(place)
    linkBefore(this.#ends, place)
    this.#bytes += bytes - place.bytes
    place.bytes = bytes
    this.#shrink()
  }

  /** Drops an entry without evicting it. */
  forget(entry: CacheEntry): void {
    const place = this.#places.get(entry)
    if (place === undefined) return
    this.#places.delete(entry)
    unlink(place)
    this.#bytes -= place.bytes
  }

  /** Drops what was not used since the last call; answers with its bytes. */
  dropUnused(): number {
    const before = this.#bytes
    for (let oldest = this.#ends.newer; oldest.entry !== null; oldest = this.#ends.newer) this.#drop(oldest.entry)
    unlink(this.#mark)
    linkBefore(this.#ends, this.#mark)
    return before - this.#bytes
  }

  #shrink(): void {
    while (this.#bytes > this.#bytesMax) {
      const oldest = this.#ends.newer
      const { entry } = oldest === this.#mark ? oldest.newer : oldest
      if (entry === null) return
      this.#drop(entry)
    }
  }

  #drop(entry: CacheEntry): void {
    this.forget(entry)
    entry.evict()
  }
}

/** Alone in a ring of its own. */
function newPlace(entry: CacheEntry | null): Place {
  const place = { entry, bytes: 0 } as Place
  place.older = place
  place.newer = place
  return place
}

function unlink(place: Place): void {
  place.older.newer = place.newer
  place.newer.older = place.older
  place.older = place
  place.newer = place
}

function linkBefore(next: Place, place: Place): void {
  place.older = next.older
  place.newer = next
  next.older.newer = place
  next.older = place
}
