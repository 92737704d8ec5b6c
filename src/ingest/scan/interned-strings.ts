// Strings are recognized by the bytes they were pushed as, so that a tag seen before costs neither decoding nor an allocation.
import { backslash, quote } from '../../lib/ascii.ts'
import { unescaped } from '../../lib/line-protocol/parse-line.ts'
import { skipString } from './skip.ts'

const hashFactor = 0x01000193
const halfPair = /\p{Surrogate}/u

/** Returned instead of the next place for a string with half a surrogate pair, which has no UTF-8 encoding. */
export const notWellFormed = -1

function hashOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, hashFactor)
  return hash
}

function doubled<T extends Int32Array | Uint8Array>(array: T, longer: T): T {
  longer.set(array)
  return longer
}

/**
 * Strings and their codes. The key of an entry is a spelling: the bytes between the quotes. Spellings of one string (`é`, `\u00e9`)
 * share its code. Codes count up from 0 and keep their meaning for the lifetime of the object.
 */
export class InternedStrings {
  /** Strings by code; append-only. */
  readonly dictionary: string[] = []
  readonly #seed: number
  /** Hash table with open addressing: 1 + an entry, 0 if free; at most half full. */
  #table = new Int32Array(64)
  #entries = 0
  #hashes = new Int32Array(32)
  #codes = new Int32Array(32)
  /** Key of entry `e`: `#keys` from `#ends[e]` to `#ends[e + 1]`. */
  #ends = new Int32Array(33)
  #keys: Uint8Array = new Uint8Array(512)
  /** The entry that followed entry `e` when it was last read: pushes tend to repeat their tags in the same order. */
  #followers = new Int32Array(32)
  #last = 0

  /** `seed` differs between processes, so that a client cannot choose strings that all collide in the table. */
  constructor(seed: number) {
    this.#seed = seed
  }

  /** The number of spellings. */
  get size(): number {
    return this.#entries
  }

  /** An estimate of the memory used. */
  get bytes(): number {
    return this.#keys.length + 4 * (this.#table.length + 4 * this.#hashes.length) + 2 * this.#ends[this.#entries]!
  }

  /**
   * Writes the code of the string that begins after the quote at `start - 1` to `codes[row]`. Returns the place after its closing
   * quote, or `notWellFormed`.
   */
  read(bytes: Buffer, start: number, codes: Int32Array, row: number): number {
    const likely = this.#followers[this.#last]!
    const ends = this.#ends
    const keys = this.#keys
    const keyEnd = ends[likely + 1]!
    let key = ends[likely]!
    let at = start
    while (key < keyEnd && keys[key] === bytes[at]) {
      key++
      at++
    }
    if (key === keyEnd && bytes[at] === quote && likely < this.#entries) {
      this.#last = likely
      codes[row] = this.#codes[likely]!
      return at + 1
    }
    return this.#readByHash(bytes, start, codes, row)
  }

  /** Writes the code of a string given by its bytes, none of which is a quote, a backslash or below a space. */
  readPlain(bytes: Buffer, start: number, end: number, codes: Int32Array, row: number): void {
    let entry = this.#known(bytes, start, end)
    if (entry < 0) entry = this.#addNew(bytes, start, end, this.#define(bytes.toString('utf8', start, end)))
    this.#found(entry, codes, row, end)
  }

  /**
   * Like `readPlain`, for a tag value in line protocol, where a backslash escapes commas, equals signs and spaces. It cannot be confused with a spelling in
   * JSON, whose backslashes precede other characters.
   */
  readTagValue(bytes: Buffer, start: number, end: number, codes: Int32Array, row: number): void {
    let entry = this.#known(bytes, start, end)
    if (entry < 0) {
      const code = this.#codeOf(unescaped(bytes.toString('utf8', start, end)))
      entry = this.#addNew(bytes, start, end, code)
    }
    this.#found(entry, codes, row, end)
  }

  /** The entry with this key, trying the last follower first; -1 if there is none. */
  #known(bytes: Buffer, start: number, end: number): number {
    const likely = this.#followers[this.#last]!
    if (likely < this.#entries && this.#hasKey(likely, bytes, start, end)) return likely
    return this.#find(bytes, start, end, hashOf(bytes, start, end, this.#seed))
  }

  /** Call if `#known` found none. The hash is computed again, because few strings are new. */
  #addNew(bytes: Buffer, start: number, end: number, code: number): number {
    return this.#add(bytes, start, end, hashOf(bytes, start, end, this.#seed), code)
  }

  #readByHash(bytes: Buffer, start: number, codes: Int32Array, row: number): number {
    let hash = this.#seed
    let at = start
    for (let byte = bytes[at]!; byte !== quote; byte = bytes[++at]!) {
      if (byte === backslash) return this.#readEscaped(bytes, start, codes, row)
      hash = Math.imul(hash ^ byte, hashFactor)
    }
    let entry = this.#find(bytes, start, at, hash)
    if (entry < 0) entry = this.#add(bytes, start, at, hash, this.#define(bytes.toString('utf8', start, at)))
    return this.#found(entry, codes, row, at)
  }

  #readEscaped(bytes: Buffer, start: number, codes: Int32Array, row: number): number {
    const at = skipString(bytes, start - 1) - 1
    const hash = hashOf(bytes, start, at, this.#seed)
    let entry = this.#find(bytes, start, at, hash)
    if (entry < 0) {
      const text: string = JSON.parse(bytes.toString('utf8', start - 1, at + 1))
      if (halfPair.test(text)) return notWellFormed
      const code = this.#codeOf(text)
      entry = this.#find(bytes, start, at, hash)
      if (entry < 0) entry = this.#add(bytes, start, at, hash, code)
    }
    return this.#found(entry, codes, row, at)
  }

  #found(entry: number, codes: Int32Array, row: number, closingQuote: number): number {
    this.#followers[this.#last] = entry
    this.#last = entry
    codes[row] = this.#codes[entry]!
    return closingQuote + 1
  }

  /** The code of a string by its canonical spelling, which all its other spellings share. */
  #codeOf(text: string): number {
    const spelling = Buffer.from(JSON.stringify(text))
    const end = spelling.length - 1
    const hash = hashOf(spelling, 1, end, this.#seed)
    let entry = this.#find(spelling, 1, end, hash)
    // Before #codes is read: adding an entry may replace it with a longer array.
    if (entry < 0) entry = this.#add(spelling, 1, end, hash, this.#define(text))
    return this.#codes[entry]!
  }

  #define(text: string): number {
    return this.dictionary.push(text) - 1
  }

  #find(bytes: Buffer, start: number, end: number, hash: number): number {
    const mask = this.#table.length - 1
    for (let place = (hash ^ (hash >>> 15)) & mask; ; place = (place + 1) & mask) {
      const entry = this.#table[place]! - 1
      if (entry < 0) return -1
      if (this.#hashes[entry] === hash && this.#hasKey(entry, bytes, start, end)) return entry
    }
  }

  #hasKey(entry: number, bytes: Buffer, start: number, end: number): boolean {
    const keys = this.#keys
    const key = this.#ends[entry]!
    const length = end - start
    if (this.#ends[entry + 1]! - key !== length) return false
    for (let i = 0; i < length; i++) if (keys[key + i] !== bytes[start + i]) return false
    return true
  }

  #add(bytes: Buffer, start: number, end: number, hash: number, code: number): number {
    const entry = this.#entries
    if (entry === this.#hashes.length) this.#growEntries()
    const key = this.#ends[entry]!
    const keyEnd = key + end - start
    if (keyEnd > this.#keys.length) {
      this.#keys = doubled(this.#keys, new Uint8Array(Math.max(keyEnd, 2 * this.#keys.length)))
    }
    bytes.copy(this.#keys, key, start, end)
    this.#ends[entry + 1] = keyEnd
    this.#hashes[entry] = hash
    this.#codes[entry] = code
    this.#entries++
    this.#place(entry)
    return entry
  }

  #place(entry: number): void {
    const mask = this.#table.length - 1
    const hash = this.#hashes[entry]!
    let place = (hash ^ (hash >>> 15)) & mask
    while (this.#table[place] !== 0) place = (place + 1) & mask
    this.#table[place] = entry + 1
  }

  #growEntries(): void {
    const length = 2 * this.#hashes.length
    this.#hashes = doubled(this.#hashes, new Int32Array(length))
    this.#codes = doubled(this.#codes, new Int32Array(length))
    this.#ends = doubled(this.#ends, new Int32Array(length + 1))
    this.#followers = doubled(this.#followers, new Int32Array(length))
    this.#table = new Int32Array(2 * length)
    for (let entry = 0; entry < this.#entries; entry++) this.#place(entry)
  }
}
