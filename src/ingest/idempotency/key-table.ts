// All live keys in memory, at about 48 bytes each. Entries are stored in the order of arrival, as they are written to files, and found through an index of
// their numbers. The index is split into many small shards, so that growing one is quick.
import { readUint64, writeUint64 } from '../../lib/uint64.ts'
import { bodyHashBytes, type KeyedPush, keyHashBytes } from './push-key.ts'

export const entryBytes = 40
const at = { bodyHash: keyHashBytes, position: keyHashBytes + bodyHashBytes, rows: 32, receivedS: 36 } as const

export const chunkEntries = 16_384
const shardBits = 10
const firstSlots = 16
/** Entry numbers wrap around here: stored plus one, they fit into 32 bits, and 0 is an empty slot. */
const numbers = 2 ** 32 - 1

export class KeyTable {
  /** Entry numbers count from the first entry ever: `#end` is after the newest entry, `#start` is the oldest that remains. */
  #end = 0
  #start = 0
  /** The chunk with the oldest entry first. */
  readonly #chunks: Buffer[] = []
  readonly #shards: Uint32Array[] = Array.from({ length: 2 ** shardBits }, () => new Uint32Array(firstSlots))
  readonly #used = new Uint32Array(2 ** shardBits)

  get size(): number {
    return this.#end - this.#start
  }

  /** The number of the next entry. */
  get end(): number {
    return this.#end
  }

  get start(): number {
    return this.#start
  }

  get bytes(): number {
    const index = this.#shards.reduce((sum, shard) => sum + shard.byteLength, 0)
    return index + this.#chunks.length * chunkEntries * entryBytes
  }

  /** The number of the newest entry with this key; null if there is none. */
  find(keyHash: Uint8Array): number | null {
    const key = words(keyHash)
    const shard = this.#shards[shardOf(key.first)]!
    const slot = this.#slotOf(shard, key)
    const stored = shard[slot]!
    return stored === 0 ? null : this.#sequence(stored)
  }

  /** Adds the newest push, which replaces an older one with its key. */
  add(push: KeyedPush): void {
    const sequence = this.#end++
    const place = this.#place(sequence)
    if (place.chunk === this.#chunks.length) this.#chunks.push(Buffer.alloc(chunkEntries * entryBytes))
    writeEntry(this.#chunks[place.chunk]!, place.offset, push)
    const key = words(push.keyHash)
    const number = shardOf(key.first)
    if ((this.#used[number]! + 1) * 4 > this.#shards[number]!.length * 3) this.#grow(number)
    const shard = this.#shards[number]!
    const slot = this.#slotOf(shard, key)
    if (shard[slot] === 0) this.#used[number]!++
    shard[slot] = (sequence % numbers) + 1
  }

  entry(sequence: number): KeyedPush {
    const { chunk, offset } = this.#place(sequence)
    return readEntry(this.#chunks[chunk]!, offset)
  }

  /** The bytes of entries, in contiguous pieces. They stay unchanged even when their entries are forgotten. */
  piecesOf(start: number, end: number): readonly Buffer[] {
    const pieces: Buffer[] = []
    for (let from = start; from < end; ) {
      const to = Math.min(end, (Math.floor(from / chunkEntries) + 1) * chunkEntries)
      const { chunk, offset } = this.#place(from)
      pieces.push(this.#chunks[chunk]!.subarray(offset, offset + (to - from) * entryBytes))
      from = to
    }
    return pieces
  }

  /** Forgets up to `entriesMax` of the oldest entries, stopping at the first that is not expired by its number and stamp. */
  forget(isExpired: (number: number, receivedS: number) => boolean, entriesMax: number): void {
    for (let count = 0; count < entriesMax && this.#start < this.#end; count++) {
      const { chunk, offset } = this.#place(this.#start)
      const bytes = this.#chunks[chunk]!
      if (!isExpired(this.#start, bytes.readUInt32LE(offset + at.receivedS))) return
      this.#unlink(bytes.readUInt32LE(offset), bytes.readUInt32LE(offset + 4))
      this.#start++
      if (this.#start % chunkEntries === 0) this.#chunks.shift()
    }
  }

  #place(sequence: number): { chunk: number; offset: number } {
    const chunk = Math.floor(sequence / chunkEntries) - Math.floor(this.#start / chunkEntries)
    return { chunk, offset: (sequence % chunkEntries) * entryBytes }
  }

  #sequence(stored: number): number {
    return this.#start + ((stored - 1 - (this.#start % numbers) + numbers) % numbers)
  }

  /** The slot of the key, or the empty slot where it would be inserted. */
  #slotOf(shard: Uint32Array, key: KeyWords): number {
    const mask = shard.length - 1
    for (let slot = key.second & mask; ; slot = (slot + 1) & mask) {
      const stored = shard[slot]!
      if (stored === 0 || this.#holds(stored, key)) return slot
    }
  }

  #holds(stored: number, { first, second, third, fourth }: KeyWords): boolean {
    const { chunk, offset } = this.#place(this.#sequence(stored))
    const bytes = this.#chunks[chunk]!
    return (
      bytes.readUInt32LE(offset) === first &&
      bytes.readUInt32LE(offset + 4) === second &&
      bytes.readUInt32LE(offset + 8) === third &&
      bytes.readUInt32LE(offset + 12) === fourth
    )
  }

  #grow(number: number): void {
    const old = this.#shards[number]!
    const grown = new Uint32Array(old.length * 2)
    const mask = grown.length - 1
    for (const stored of old) {
      if (stored === 0) continue
      let slot = this.#second(stored) & mask
      while (grown[slot] !== 0) slot = (slot + 1) & mask
      grown[slot] = stored
    }
    this.#shards[number] = grown
  }

  /** Removes the oldest entry from the index, unless a newer one has replaced it. */
  #unlink(first: number, second: number): void {
    const number = shardOf(first)
    const shard = this.#shards[number]!
    const mask = shard.length - 1
    const wanted = (this.#start % numbers) + 1
    let slot = second & mask
    while (shard[slot] !== wanted) {
      if (shard[slot] === 0) return
      slot = (slot + 1) & mask
    }
    this.#used[number]!--
    // Following entries that could not be found across the gap are moved up.
    for (let next = (slot + 1) & mask; shard[next] !== 0; next = (next + 1) & mask) {
      const home = this.#second(shard[next]!) & mask
      if (((next - home) & mask) < ((next - slot) & mask)) continue
      shard[slot] = shard[next]!
      slot = next
    }
    shard[slot] = 0
  }

  /** The part of the key that determines its home slot in its shard. */
  #second(stored: number): number {
    const { chunk, offset } = this.#place(this.#sequence(stored))
    return this.#chunks[chunk]!.readUInt32LE(offset + 4)
  }
}

interface KeyWords {
  readonly first: number
  readonly second: number
  readonly third: number
  readonly fourth: number
}

function words(keyHash: Uint8Array): KeyWords {
  const view = new DataView(keyHash.buffer, keyHash.byteOffset, keyHash.byteLength)
  const [first, second] = [view.getUint32(0, true), view.getUint32(4, true)]
  return { first, second, third: view.getUint32(8, true), fourth: view.getUint32(12, true) }
}

function shardOf(first: number): number {
  return first >>> (32 - shardBits)
}

function writeEntry(bytes: Buffer, offset: number, push: KeyedPush): void {
  bytes.set(push.keyHash, offset)
  bytes.set(push.bodyHash, offset + at.bodyHash)
  writeUint64(bytes, push.position, offset + at.position)
  bytes.writeUInt32LE(push.rows, offset + at.rows)
  bytes.writeUInt32LE(push.receivedS, offset + at.receivedS)
}

/** The newest time of receipt among these entries, in seconds; 0 if there are none. */
export function newestOf(pieces: readonly Buffer[]): number {
  let newest = 0
  for (const piece of pieces) {
    for (let offset = 0; offset < piece.length; offset += entryBytes) {
      newest = Math.max(newest, piece.readUInt32LE(offset + at.receivedS))
    }
  }
  return newest
}

/** The hashes are copies. */
export function readEntry(bytes: Buffer, offset: number): KeyedPush {
  return {
    keyHash: Uint8Array.prototype.slice.call(bytes, offset, offset + keyHashBytes),
    bodyHash: Uint8Array.prototype.slice.call(bytes, offset + at.bodyHash, offset + at.position),
    position: readUint64(bytes, offset + at.position),
    rows: bytes.readUInt32LE(offset + at.rows),
    receivedS: bytes.readUInt32LE(offset + at.receivedS),
  }
}
