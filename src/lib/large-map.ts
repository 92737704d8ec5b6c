/** Beyond so many keys a map is cut into many. */
const keysMax = 8192
const shardBits = 10

/**
 * A map that may have millions of keys and grows a little at a time: a plain one moves all it has at once when it grows, which
 * for a million keys holds up its thread for a tenth of a second.
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

  /** Adds a key that is not there yet. */
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
/** Neighbouring whole numbers, as codes of strings mostly are, share a shard, and with it the processor's caches. */
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
