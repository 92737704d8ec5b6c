/** Sizes of spares are multiples of this, so each suits any kind of array. */
const unit = 4096

export interface SpareBuffersOptions {
  /** Smaller buffers cost less to allocate than to keep. */
  readonly bytesMin: number
  /** The most bytes kept in total. */
  readonly bytesMax: number
  /** After this long without a `give` or `take`, all spares are released. */
  readonly idleMs: number
}

/**
 * Keeps large buffers that were given back, for the next caller that needs as much. Allocating them anew causes page faults each time, and every few dozen
 * megabytes the garbage collector marks the whole heap for it.
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

  /** Bytes kept now. */
  get bytes(): number {
    return this.#bytes
  }

  /** A buffer of at least `bytes`: a spare of at least `bytesWanted`, if there is one. It may still contain old data. */
  take(bytes: number, bytesWanted = bytes): ArrayBuffer {
    const { bytesMin } = this.#options
    const place = bytesWanted < bytesMin ? -1 : this.#spares.findIndex((spare) => spare.byteLength >= bytesWanted)
    const [spare] = place === -1 ? [] : this.#spares.splice(place, 1)
    if (spare === undefined) return new ArrayBuffer(bytes < bytesMin ? bytes : Math.ceil(bytes / unit) * unit)
    this.#bytes -= spare.byteLength
    this.#timer?.refresh()
    return spare
  }

  /** Gives back a buffer that is no longer used. */
  give(buffer: ArrayBuffer): void {
    const { byteLength } = buffer
    const { bytesMin, bytesMax, idleMs } = this.#options
    if (byteLength < bytesMin || this.#bytes + byteLength > bytesMax) return
    const larger = this.#spares.findIndex((spare) => spare.byteLength > byteLength)
    this.#spares.splice(larger === -1 ? this.#spares.length : larger, 0, buffer)
    this.#bytes += byteLength
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#clear(), idleMs).unref()
  }

  /** Bytes released since the last call: an idle thread has to be notified, or it keeps the garbage. */
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

/** Makes arrays with arbitrary initial content. */
export interface ArrayMaker {
  float64(length: number): Float64Array<ArrayBuffer>
  int32(length: number): Int32Array<ArrayBuffer>
}

export const newArrays: ArrayMaker = {
  float64: (length) => new Float64Array(length),
  int32: (length) => new Int32Array(length),
}

/** Arrays from spare buffers that are all given back together. */
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

  /** Call when none of the arrays is used any more. */
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
