import { nullCode, type StringColumn } from '../../model/column.ts'

/** Approximate limits in bytes: for texts encoded in one call, and for texts kept for later rows. */
const preparedBytesMax = 1024 * 1024
const keptBytesMax = 8 * 1024 * 1024
/** Rows are few if the dictionary has more than this number of texts per row: a result of one tag must not scan a hundred thousand texts. */
const textsPerFewRow = 8
/** Dictionaries up to this size are cheap to scan. */
const smallDictionary = 1024
const firstPlaces = 16

/** Caches the encoded values of a dictionary, so that each is encoded once. */
export class TextPool {
  /** The longest cached text in bytes, including `before`. */
  bytesMax = 0
  readonly #before: Uint8Array
  readonly #encode: (text: string) => string
  #dictionary: readonly string[] = []
  /** Maps codes to places if few codes are used; null if the place of a code is the code itself. */
  #places: Map<number, number> | null = null
  /** Bounds of each place's bytes in `#pool`. Ends are stored plus one; 0 means that the code is not cached. */
  #starts = new Int32Array(0)
  #ends = new Int32Array(0)
  #pool = Buffer.allocUnsafe(0)
  #poolEnd = 0
  /** Rows seen so far. */
  #rows = 0

  /** `before` is stored in front of each text. */
  constructor(before: Uint8Array, encode: (text: string) => string) {
    this.#before = before
    this.#encode = encode
  }

  /** Encodes the texts of the rows from `from` on. Returns the end of the prepared rows, at most `to`: long texts are not all encoded at once. */
  prepare({ codes, dictionary }: StringColumn, from: number, to: number): number {
    this.#rows += to - from
    const areFew = dictionary.length > Math.max(smallDictionary, this.#rows * textsPerFewRow)
    const hasSpace = this.#places === null ? dictionary.length <= this.#ends.length : areFew
    if (dictionary !== this.#dictionary || !hasSpace || this.#poolEnd > keptBytesMax) this.#forget(dictionary, areFew)
    const poolEndMax = this.#poolEnd + preparedBytesMax
    for (let row = from; row < to; row += 1) {
      const code = codes[row]
      if (code === nullCode || this.#isKnown(code)) continue
      if (this.#poolEnd > poolEndMax) return row
      this.#add(code)
    }
    return to
  }

  /** Length of a prepared code's text in bytes. */
  length(code: number): number {
    const place = this.#places === null ? code : this.#places.get(code)!
    return this.#ends[place] - 1 - this.#starts[place]
  }

  /** Writes the text of a prepared code at `at`; returns its end. */
  write(out: Uint8Array, at: number, code: number): number {
    const pool = this.#pool
    const place = this.#places === null ? code : this.#places.get(code)!
    const start = this.#starts[place]
    const length = this.#ends[place] - 1 - start
    if (length > 128) out.set(pool.subarray(start, start + length), at)
    else for (let index = 0; index < length; index += 1) out[at + index] = pool[start + index]
    return at + length
  }

  #isKnown(code: number): boolean {
    return this.#places === null ? this.#ends[code] !== 0 : this.#places.has(code)
  }

  #forget(dictionary: readonly string[], areFew: boolean): void {
    const length = areFew ? firstPlaces : dictionary.length
    this.#dictionary = dictionary
    this.#places = areFew ? new Map() : null
    this.#starts = new Int32Array(length)
    this.#ends = new Int32Array(length)
    this.#poolEnd = 0
    this.bytesMax = 0
  }

  #add(code: number): void {
    const text = this.#encode(this.#dictionary[code])
    const before = this.#before
    const bytesMax = before.length + text.length * 3
    if (this.#poolEnd + bytesMax > this.#pool.length) this.#growPool(bytesMax)
    const start = this.#poolEnd
    this.#pool.set(before, start)
    const end = start + before.length + this.#pool.write(text, start + before.length)
    const place = this.#places === null ? code : this.#newPlace(this.#places, code)
    this.#starts[place] = start
    this.#ends[place] = end + 1
    this.#poolEnd = end
    if (end - start > this.bytesMax) this.bytesMax = end - start
  }

  #newPlace(places: Map<number, number>, code: number): number {
    const place = places.size
    places.set(code, place)
    if (place === this.#ends.length) {
      this.#starts = twiceAsLong(this.#starts)
      this.#ends = twiceAsLong(this.#ends)
    }
    return place
  }

  #growPool(bytes: number): void {
    const pool = Buffer.allocUnsafe(Math.max(256, this.#pool.length * 2, this.#poolEnd + bytes))
    pool.set(this.#pool.subarray(0, this.#poolEnd))
    this.#pool = pool
  }
}

function twiceAsLong(values: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(values.length * 2)
  longer.set(values)
  return longer
}
