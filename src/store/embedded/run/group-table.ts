/** With this many groups the table is split into shards. */
const groupsMax = 8192
const shardBits = 10
const firstSlots = 64
/** A table that is reused keeps at most this many slots: clearing more would take longer than most queries. */
const keptSlotsMax = 1024

/**
 * Maps a bucket and a combination of fields to the number of a group. It can have millions of groups and grows in small steps. A plain map
 * moves all entries at once when it grows, which blocks the thread for a tenth of a second with a million of them.
 */
export class GroupTable {
  #few = new HashSlots(firstSlots)
  #shards: readonly HashSlots[] | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns the known number of the group, or else `group`, which becomes its number. */
  take(bucketMs: number, combination: number, group: number): number {
    const hash = hashOf(bucketMs, combination)
    const slots = this.#shards === null ? this.#few : this.#shards[hash >>> (32 - shardBits)]
    const taken = slots.take(hash, bucketMs, combination, group)
    if (taken === group && ++this.#size === groupsMax) this.#cut()
    return taken
  }

  clear(): void {
    if (this.#size === 0) return
    if (this.#size > keptSlotsMax / 2) this.#few = new HashSlots(firstSlots)
    else this.#few.clear()
    this.#shards = null
    this.#size = 0
  }

  #cut(): void {
    // Shards fill evenly, so each has a different fill level at which it grows: they do not all grow at the same time.
    const shards = Array.from(
      { length: 2 ** shardBits },
      (_, shard) => new HashSlots(firstSlots, 2 ** (shard / 2 ** shardBits - 1.5)),
    )
    this.#few.moveTo((hash) => shards[hash >>> (32 - shardBits)])
    this.#few.clear()
    this.#shards = shards
  }
}

/** Mixes all bits, since bucket starts of one granularity mostly have the same low bits. */
function hashOf(bucketMs: number, combination: number): number {
  const hash = Math.imul(bucketMs | 0, 0x9e3779b1) ^ Math.imul(combination + 1, 0x85ebca6b)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
}

/** A hash table with open addressing. It grows when more than `fullShare` of its slots are used. */
class HashSlots {
  #buckets: Float64Array
  #combinations: Int32Array
  /** Group + 1; 0 for a free slot. */
  #groups: Int32Array
  #size = 0
  readonly #fullShare: number

  constructor(slots: number, fullShare = 0.5) {
    this.#buckets = new Float64Array(slots)
    this.#combinations = new Int32Array(slots)
    this.#groups = new Int32Array(slots)
    this.#fullShare = fullShare
  }

  take(hash: number, bucketMs: number, combination: number, group: number): number {
    const groups = this.#groups
    const buckets = this.#buckets
    const combinations = this.#combinations
    const mask = groups.length - 1
    let slot = hash & mask
    for (; groups[slot] !== 0; slot = (slot + 1) & mask) {
      if (buckets[slot] === bucketMs && combinations[slot] === combination) return groups[slot] - 1
    }
    buckets[slot] = bucketMs
    combinations[slot] = combination
    groups[slot] = group + 1
    if (++this.#size > groups.length * this.#fullShare) this.#grow()
    return group
  }

  clear(): void {
    this.#groups.fill(0)
    this.#size = 0
  }

  moveTo(slotsOf: (hash: number) => HashSlots): void {
    for (let slot = 0; slot < this.#groups.length; slot++) {
      if (this.#groups[slot] === 0) continue
      const bucketMs = this.#buckets[slot]
      const combination = this.#combinations[slot]
      const hash = hashOf(bucketMs, combination)
      slotsOf(hash).take(hash, bucketMs, combination, this.#groups[slot] - 1)
    }
  }

  #grow(): void {
    const grown = new HashSlots(this.#groups.length * 2, 1)
    this.moveTo(() => grown)
    this.#buckets = grown.#buckets
    this.#combinations = grown.#combinations
    this.#groups = grown.#groups
  }
}
