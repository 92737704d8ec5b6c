/** With more keys than this, the map is split into shards. */
const keysMax = 8192
const shardBits = 10

/**
 * A map for millions of keys that grows a little at a time. A plain Map moves all its entries at once when it grows, which blocks the thread for a tenth
 * of a second at a million keys.
 */
export class LargeMap<Key extends number | bigint | null, Value> {
  #few = new Map<Key, Value>()
  #shards: readonly Map<Key, Value>[] | null = null
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    return this.#mapOf(key).get(key)
  }

  /** Adds a key that must not be in the map yet. */
  add(key: Key, value: Value): void {
    if (this.#size === keysMax) this.#cut()
    this.#mapOf(key).set(key, value)
    this.#size++
  }

  clear(): void {
    if (this.#size === 0) return
    if (this.#shards === null) this.#few.clear()
    else this.#few = new Map()
    this.#shards = null
    this.#size = 0
  }

  #mapOf(key: Key): Map<Key, Value> {
    return this.#shards === null ? this.#few : this.#shards[shardOf(key)]
  }

  #cut(): void {
    const shards = Array.from({ length: 2 ** shardBits }, () => new Map<Key, Value>())
    for (const [key, value] of this.#few) shards[shardOf(key)].set(key, value)
    this.#few = new Map()
    this.#shards = shards
  }
}

const double = new Float64Array(1)
const words = new Int32Array(double.buffer)
/** Neighbouring integers, which codes of strings mostly are, share a shard, and so the processor's caches. */
const neighbourBits = 12

function shardOf(key: number | bigint | null): number {
  let bits = 0
  if (typeof key === 'bigint') bits = Number(BigInt.asIntN(32, key))
  else if (key !== null && key === (key | 0)) bits = key >> neighbourBits
  else if (key !== null) {
    double[0] = key
    bits = words[0] ^ words[1]
  }
  return Math.imul(bits, 0x9e3779b1) >>> (32 - shardBits)
}
