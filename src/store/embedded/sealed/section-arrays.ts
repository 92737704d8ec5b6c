import { type NumberArray, packedHeaderBytes, unpackArray } from './packed-array.ts'

/** Returns false for any invalid bytes; the caller checks `isAtEnd` after the last array. */
function isUnpacked(packed: Uint8Array, into: NumberArray): boolean {
  try {
    return unpackArray(packed, into)
  } catch {
    return false
  }
}

/** Reads arrays from a section, one after another. */
export class Arrays {
  readonly #bytes: Uint8Array
  #offset = 0
  #isWhole = true
  /** Bytes of memory of the arrays read so far. */
  memoryBytes = 0

  constructor(bytes: ArrayBuffer) {
    this.#bytes = new Uint8Array(bytes)
  }

  /** Whether the whole section was read and each array was valid. */
  get isAtEnd(): boolean {
    return this.#isWhole && this.#offset === this.#bytes.length
  }

  /** When the section does not continue with such an array, the result is zeros and `isAtEnd` stays false. */
  float64(length: number): Float64Array<ArrayBuffer> {
    return this.#take(new Float64Array(length))
  }

  uint32(length: number): Uint32Array<ArrayBuffer> {
    return this.#take(new Uint32Array(length))
  }

  int32(length: number): Int32Array<ArrayBuffer> {
    return this.#take(new Int32Array(length))
  }

  /** The next `length` bytes as they are; by default all that remain. */
  bytes(length = this.#bytes.length - this.#offset): Uint8Array<ArrayBuffer> {
    const start = this.#offset
    this.#offset += length
    this.memoryBytes += length
    return this.#bytes.slice(start, this.#offset)
  }

  #take<T extends NumberArray>(into: T): T {
    this.memoryBytes += into.byteLength
    const head = this.#offset
    const view = new DataView(this.#bytes.buffer)
    const end = head + packedHeaderBytes
    const length = end <= this.#bytes.length ? view.getUint32(end - 4, true) : Number.POSITIVE_INFINITY
    this.#offset = end + length
    this.#isWhole &&= this.#offset <= this.#bytes.length && isUnpacked(this.#bytes.subarray(head, this.#offset), into)
    return into
  }
}
