/** Spares are whole numbers of this: each is good for any kind of array. */
const unit = 4096

export interface SpareBuffersOptions {
  /** Smaller ones cost less to make than to keep. */
  readonly bytesMin: number
  /** What may be kept together. */
  readonly bytesMax: number
  /** When nothing was given or taken for so long, all of it is let go. */
  readonly idleMs: number
}

/**
 * Large memory that was given back, for whoever needs as much next. Made anew each time it comes to page faults, and every few dozen megabytes
 * the garbage collector marks the whole heap for it.
 */
export class SpareBuffers {
  readonly #options: SpareBuffersOptions
  /** Smallest first. */
  #spares: ArrayBuffer[] = []
  #bytes = 0
  #letGoBytes = 0
  #timer: NodeJS.Timeout | null = null

  constructor(options: SpareBuffersOptions) {
    this.#options = options
  }

  /** What is kept now. */
  get bytes(): number {
    return this.#bytes
  }

  /** Memory of at least `bytes`: a spare of at least `bytesWanted`, if there is one. Whatever was written to it may still be there. */
  take(bytes: number, bytesWanted = bytes): ArrayBuffer {
    const { bytesMin } = this.#options
    const place = bytesWanted < bytesMin ? -1 : this.#spares.findIndex((spare) => spare.byteLength >= bytesWanted)
    const [spare] = place === -1 ? [] : this.#spares.splice(place, 1)
    if (spare === undefined) return new ArrayBuffer(bytes < bytesMin ? bytes : Math.ceil(bytes / unit) * unit)
    this.#bytes -= spare.byteLength
    this.#timer?.refresh()
    return spare
  }

  /** Nobody uses it any more. */
  give(buffer: ArrayBuffer): void {
    const { byteLength } = buffer
    const { bytesMin, bytesMax, idleMs } = this.#options
    if (byteLength < bytesMin || this.#bytes + byteLength > bytesMax) return
    const larger = this.#spares.findIndex((spare) => spare.byteLength > byteLength)
    this.#spares.splice(larger === -1 ? this.#spares.length : larger, 0, buffer)
    this.#bytes += byteLength
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#clear(), idleMs).unref()
  }

  /** How many bytes were let go since the last call: a thread that is idle has to be told, or it keeps the garbage. */
  takeLetGoBytes(): number {
    const bytes = this.#letGoBytes
    this.#letGoBytes = 0
    return bytes
  }

  #clear(): void {
    this.#letGoBytes += this.#bytes
    this.#spares = []
    this.#bytes = 0
    this.#timer = null
  }
}

/** Makes arrays in which anything may be. */
export interface ArrayMaker {
  float64(length: number): Float64Array<ArrayBuffer>
  int32(length: number): Int32Array<ArrayBuffer>
}

export const newArrays: ArrayMaker = {
  float64: (length) => new Float64Array(length),
  int32: (length) => new Int32Array(length),
}

/** Arrays out of spare memory that are all given back at once. */
export class BorrowedArrays implements ArrayMaker {
  readonly #spares: SpareBuffers
  readonly #taken: ArrayBuffer[] = []

  constructor(spares: SpareBuffers) {
    this.#spares = spares
  }

  float64(length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#take(length * 8), 0, length)
  }

  int32(length: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#take(length * 4), 0, length)
  }

  /** None of the arrays is used any more. */
  giveBack(): void {
    for (const buffer of this.#taken) this.#spares.give(buffer)
    this.#taken.length = 0
  }

  #take(bytes: number): ArrayBuffer {
    const buffer = this.#spares.take(bytes)
    this.#taken.push(buffer)
    return buffer
  }
}
