import { type NumberArray, packedHeaderBytes, unpackArray } from './packed-array.ts'

/** Whatever is wrong with the bytes: whoever takes them is told at the end. */
function isUnpacked(packed: Uint8Array, into: NumberArray): boolean {
  try {
    return unpackArray(packed, into)
  } catch {
    return false
  }
}

/** Takes arrays from a section, one behind the other. */
export class Arrays {
  readonly #bytes: Uint8Array
  #offset = 0
  #isWhole = true
  /** How much memory was taken by arrays. */
  memoryBytes = 0

  constructor(bytes: ArrayBuffer) {
    this.#bytes = new Uint8Array(bytes)
  }

  /** Whether all of the section was taken, and each array was there. */
  get isAtEnd(): boolean {
    return this.#isWhole && this.#offset === this.#bytes.length
  }

  /** Of zeros, and the end never reached, when the section does not go on with such an array. */
  float64(length: number): Float64Array<ArrayBuffer> {
    return this.#take(new Float64Array(length))
  }

  uint32(length: number): Uint32Array<ArrayBuffer> {
    return this.#take(new Uint32Array(length))
  }

  int32(length: number): Int32Array<ArrayBuffer> {
    return this.#take(new Int32Array(length))
  }

  /** So many bytes as they are; all others where it is not told. */
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
