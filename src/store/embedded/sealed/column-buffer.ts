import { type ColumnVector, nullBoolean, nullCode } from '../../../model/column.ts'
import type { ChunkColumn } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import type { EntityColumn } from '../registry/entity-columns.ts'

/**
 * The values of one column in the row group that is being gathered. Its arrays are reused for the next row group, and their unused part is
 * not cleared: memory is touched as rows arrive, not all at once.
 */
export class ColumnBuffer {
  readonly index: number
  /** Bytes of a row, without the digits of longs beyond 2^53. */
  readonly rowBytes: number
  /** Whether the column was present in any row so far. */
  isUsed = false
  readonly #type: EntityColumn['type']
  #dictionary = new Dictionary()
  #memory = new ArrayBuffer(0)
  /** All of `#memory` as numbers, codes or booleans, depending on the type; the other arrays are empty. */
  #numbers = new Float64Array(0)
  #codes = new Int32Array(0)
  #booleans = new Uint8Array(0)
  #exact: BigInt64Array | null = null

  constructor({ index, type }: EntityColumn) {
    this.index = index
    this.#type = type
    this.rowBytes = type === 'string' ? 4 : type === 'boolean' ? 1 : 8
  }

  /** The number of rows that fit. */
  get capacity(): number {
    return Math.floor(this.#memory.byteLength / this.rowBytes)
  }

  /** Approximate size of the strings. */
  get textBytes(): number {
    return this.#dictionary.bytes
  }

  /** Moves to larger memory; `used` rows are copied. */
  reserve(memory: ArrayBuffer, used: number): void {
    new Uint8Array(memory).set(new Uint8Array(this.#memory, 0, used * this.rowBytes))
    this.#memory = memory
    if (this.#type === 'string') this.#codes = new Int32Array(memory)
    else if (this.#type === 'boolean') this.#booleans = new Uint8Array(memory)
    else this.#numbers = new Float64Array(memory)
    if (this.#exact === null) return
    const exact = new BigInt64Array(this.capacity)
    exact.set(this.#exact.subarray(0, used))
    this.#exact = exact
  }

  /** Returns its memory and drops its rows. */
  release(): ArrayBuffer {
    const memory = this.#memory
    this.reserve(new ArrayBuffer(0), 0)
    return memory
  }

  /** Writes rows [start, end) of a column from row `at` on; nulls when the column is absent. */
  append(from: ChunkColumn | undefined, start: number, end: number, at: number): void {
    if (from === undefined) {
      this.#setNull(at, at + end - start)
      return
    }
    this.isUsed = true
    if (from.type !== this.#type) throw new Error('a column keeps its type')
    if (from.type === 'string') {
      const codes = this.#codes
      for (let row = start; row < end; row++)
        codes[at + row - start] = this.#dictionary.codeFrom(from.dictionary, from.codes[row])
    } else if (from.type === 'boolean') {
      if (end - start === 1) this.#booleans[at] = from.values[start]
      else this.#booleans.set(from.values.subarray(start, end), at)
    } else {
      if (end - start === 1) this.#numbers[at] = from.values[start]
      else this.#numbers.set(from.values.subarray(start, end), at)
      if (from.exact === null) return
      this.#exact ??= new BigInt64Array(this.capacity)
      this.#exact.set(from.exact.subarray(start, end), at)
    }
  }

  /** The number of characters in the strings of rows [start, end). */
  characters(start: number, end: number): number {
    if (this.#type !== 'string' || !this.isUsed) return 0
    const { strings } = this.#dictionary
    let characters = 0
    for (let row = start; row < end; row++) {
      const code = this.#codes[row]
      if (code !== nullCode) characters += strings[code].length
    }
    return characters
  }

  /** The first `rows` rows. */
  vector(rows: number): ColumnVector {
    switch (this.#type) {
      case 'string':
        return { type: 'string', codes: this.#codes.subarray(0, rows), dictionary: this.#dictionary.strings }
      case 'boolean':
        return { type: 'boolean', values: this.#booleans.subarray(0, rows) }
      case 'long':
        return {
          type: 'long',
          values: this.#numbers.subarray(0, rows),
          exact: this.#exact?.subarray(0, rows) ?? null,
        }
      default:
        return { type: this.#type, values: this.#numbers.subarray(0, rows) }
    }
  }

  /** The whole capacity, in the form of a chunk's column. */
  stored(): ChunkColumn {
    if (this.#type === 'string') return { type: 'string', codes: this.#codes, dictionary: this.#dictionary.strings }
    if (this.#type === 'boolean') return { type: 'boolean', values: this.#booleans }
    return { type: this.#type, values: this.#numbers, exact: this.#exact }
  }

  /** Moves rows [start, end) to the start, where they begin the next row group. */
  drop(start: number, end: number): void {
    this.isUsed &&= end > start
    this.#numbers.copyWithin(0, start, end)
    this.#booleans.copyWithin(0, start, end)
    this.#exact?.copyWithin(0, start, end)
    const { strings } = this.#dictionary
    this.#dictionary = new Dictionary()
    if (this.#type !== 'string') return
    for (let row = start; row < end; row++)
      this.#codes[row - start] = this.#dictionary.codeFrom(strings, this.#codes[row])
  }

  #setNull(start: number, end: number): void {
    if (this.#type === 'string') this.#codes.fill(nullCode, start, end)
    else if (this.#type === 'boolean') this.#booleans.fill(nullBoolean, start, end)
    else this.#numbers.fill(Number.NaN, start, end)
  }
}
