/** Something that a cache may drop: `evict` lets go of it. An entry is in one cache at most. */
export interface CacheEntry {
  evict(): void
}

/** Keeps what was used last, within a bound of bytes (or whatever its entries are measured in). */
export class ByteCache {
  readonly #bytesMax: number
  /** Oldest use first. */
  readonly #entries = new Map<CacheEntry, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes the entry in, or notes that it is used again and how big it is now. One bigger than the bound does not stay. */
  use(entry: CacheEntry, bytes: number): void {
    this.forget(entry)
    this.#entries.set(entry, bytes)
    this.#bytes += bytes
    if (this.#bytes > this.#bytesMax) this.#shrink()
  }

  /** Drops an entry without evicting it. */
  forget(entry: CacheEntry): void {
    const bytes = this.#entries.get(entry)
    if (bytes === undefined) return
    this.#entries.delete(entry)
    this.#bytes -= bytes
  }

  #shrink(): void {
    for (const entry of this.#entries.keys()) {
      this.forget(entry)
      entry.evict()
      if (this.#bytes <= this.#bytesMax) return
    }
  }
}
