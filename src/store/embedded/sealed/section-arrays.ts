/** Takes arrays from a section, one behind the other. */
export class Arrays {
  readonly #bytes: ArrayBuffer
  #offset = 0

  constructor(bytes: ArrayBuffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.byteLength
  }

  /** Empty, and the end never reached, when the section is too short. */
  float64(length: number): Float64Array {
    const offset = this.#take(length * 8)
    return offset === null ? new Float64Array(0) : new Float64Array(this.#bytes, offset, length)
  }

  uint32(length: number): Uint32Array {
    const offset = this.#take(length * 4)
    return offset === null ? new Uint32Array(0) : new Uint32Array(this.#bytes, offset, length)
  }

  int32(length: number): Int32Array {
    const offset = this.#take(length * 4)
    return offset === null ? new Int32Array(0) : new Int32Array(this.#bytes, offset, length)
  }

  #take(bytes: number): number | null {
    const offset = this.#offset
    this.#offset += bytes
    return this.#offset <= this.#bytes.byteLength ? offset : null
  }
}
