import { nullCode, type StringColumn } from '../../model/column.ts'

/** Texts that are prepared at once, and those that are kept for later rows, have about so many bytes at most. */
const preparedBytesMax = 1024 * 1024
const keptBytesMax = 8 * 1024 * 1024

/** The bytes of the values of a dictionary that were met, so that each is encoded once. */
export class TextPool {
  /** The most bytes that one of the texts has, with what stands before it. */
  bytesMax = 0
  readonly #before: Uint8Array
  readonly #encode: (text: string) => string
  #dictionary: readonly string[] = []
  /** Where each code's bytes lie in `#pool`; ends are one more than that, and 0 where the code was not met. */
  #starts = new Int32Array(0)
  #ends = new Int32Array(0)
  #pool = Buffer.allocUnsafe(0)
  #poolEnd = 0

  /** `before` is kept in front of each text. */
  constructor(before: Uint8Array, encode: (text: string) => string) {
    this.#before = before
    this.#encode = encode
  }

  /** Encodes the texts of the rows from `from` on; returns up to which row, at most `to`: long ones are not all encoded at once. */
  prepare({ codes, dictionary }: StringColumn, from: number, to: number): number {
    if (dictionary !== this.#dictionary || dictionary.length > this.#ends.length || this.#poolEnd > keptBytesMax) {
      this.#forget(dictionary)
    }
    const poolEndMax = this.#poolEnd + preparedBytesMax
    for (let row = from; row < to; row += 1) {
      const code = codes[row]
      if (code === nullCode || this.#ends[code] !== 0) continue
      if (this.#poolEnd > poolEndMax) return row
      this.#add(code)
    }
    return to
  }

  /** The bytes of a prepared code. */
  length(code: number): number {
    return this.#ends[code] - 1 - this.#starts[code]
  }

  /** Writes a prepared code at `at`; returns where it ends. */
  write(out: Uint8Array, at: number, code: number): number {
    const pool = this.#pool
    const start = this.#starts[code]
    const length = this.#ends[code] - 1 - start
    if (length > 128) out.set(pool.subarray(start, start + length), at)
    else for (let index = 0; index < length; index += 1) out[at + index] = pool[start + index]
    return at + length
  }

  #forget(dictionary: readonly string[]): void {
    this.#dictionary = dictionary
    this.#starts = new Int32Array(dictionary.length)
    this.#ends = new Int32Array(dictionary.length)
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
    this.#starts[code] = start
    this.#ends[code] = end + 1
    this.#poolEnd = end
    if (end - start > this.bytesMax) this.bytesMax = end - start
  }

  #growPool(bytes: number): void {
    const pool = Buffer.allocUnsafe(Math.max(256, this.#pool.length * 2, this.#poolEnd + bytes))
    pool.set(this.#pool.subarray(0, this.#poolEnd))
    this.#pool = pool
  }
}
