/** Content that a cache may drop: `evict` releases it. An entry is in at most one cache. */
export interface CacheEntry {
  evict(): void
}

/** A link in the ring of entries by order of use. The two ends of the order are one link without an entry; a mark is another. */
interface Place {
  readonly entry: CacheEntry | null
  bytes: number
  older: Place
  newer: Place
}

/**
 * Keeps the most recently used entries within a bound of bytes (or of another unit of their size). A use does not modify the Map;
 * `src/lib/slots.ts` explains why.
 */
export class ByteCache {
  readonly #bytesMax: number
  readonly #places = new Map<CacheEntry, Place>()
  readonly #ends = newPlace(null)
  /** Entries that are newer than this link were used since the last call of `dropUnused`. */
  readonly #mark = newPlace(null)
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    linkBefore(this.#ends, this.#mark)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds an entry, or records its use and its current size. An entry larger than the bound does not stay. */
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

  /** Evicts entries that were not used since the last call; returns their bytes. */
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

/** A link in a ring of its own. */
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
