/** Beyond so many groups the table is cut into many. */
const groupsMax = 8192
const shardBits = 10
const firstSlots = 64
/** A table that is used again keeps no more slots: clearing them would take longer than most questions. */
const keptSlotsMax = 1024

/**
 * The number of a group by its bucket and its combination of fields. It may have millions of groups and grows a little at a time: a plain
 * map moves all it has at once when it grows, which for a million holds up its thread for a tenth of a second.
 */
export class GroupTable {
  #few = new HashSlots(firstSlots)
  #shards: readonly HashSlots[] | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The group that is known, or else `group`, which it is from now on. */
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
    // They are filled alike: each grows at another time, so that not all of them do at once.
    const shards = Array.from(
      { length: 2 ** shardBits },
      (_, shard) => new HashSlots(firstSlots, 2 ** (shard / 2 ** shardBits - 1.5)),
    )
    this.#few.moveTo((hash) => shards[hash >>> (32 - shardBits)])
    this.#few.clear()
    this.#shards = shards
  }
}

/** The low bits of dates are mostly those of their granularity, and so the same. */
function hashOf(bucketMs: number, combination: number): number {
  const hash = Math.imul(bucketMs | 0, 0x9e3779b1) ^ Math.imul(combination + 1, 0x85ebca6b)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
}

/** Open addressing; it grows when this share of it is full. */
class HashSlots {
  #buckets: Float64Array
  #combinations: Int32Array
  /** Group + 1, 0 for a free slot. */
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
