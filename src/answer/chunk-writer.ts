import { Problem } from '../model/problem.ts'
import { SpareChunks, shortChunkBytes, spareChunkBytes } from './spare-chunks.ts'

/** Maximum written-out memory that a single body keeps for reuse. */
const ownSpareBytes = 8 * spareChunkBytes
/** From this size on, a body gets full-size chunks. */
const longBytes = 64 * 1024

/** The output buffer of a body. Callers request capacity with `reserve`, write bytes into `chunk` from `at` on, and advance `at`. */
export class ChunkWriter {
  chunk: Uint8Array = new Uint8Array(0)
  at = 0
  readonly #resultBytes: number
  readonly #spares: SpareChunks
  #full: Uint8Array[] = []
  #takenBytes = 0
  #fullBytes = 0

  /** `resultBytes` is the size limit of the body. Memory comes from `spares` while they have any. */
  constructor(resultBytes: number, spares = new SpareChunks(ownSpareBytes)) {
    this.#resultBytes = resultBytes
    this.#spares = spares
  }

  /** Total bytes written. */
  get bytes(): number {
    return this.#takenBytes + this.#fullBytes + this.at
  }

  /** Bytes of the chunks that `take` would return. */
  get fullBytes(): number {
    return this.#fullBytes
  }

  /** Ensures capacity for `bytes`; `expectedBytes` estimates how much will follow. Throws Problem `result_too_large`. */
  reserve(bytes: number, expectedBytes: number = bytes): void {
    if (this.at + bytes <= this.chunk.length) return
    this.#keepChunk()
    this.checkSize()
    // A request that does not fit leaves the end of the chunk unused: at most a quarter of it.
    const longest = Math.max(spareChunkBytes, bytes * 4)
    // A body that is already long will probably continue.
    const wanted = this.bytes >= longBytes ? longest : Math.max(bytes, Math.min(expectedBytes, longest))
    if (wanted <= shortChunkBytes) this.chunk = this.#spares.takeShort() ?? newChunk(shortChunkBytes)
    else this.chunk = (wanted === spareChunkBytes ? this.#spares.take() : null) ?? newChunk(wanted)
  }

  /** Throws Problem `result_too_large`. */
  checkSize(): void {
    if (this.bytes <= this.#resultBytes) return
    throw new Problem(
      'result_too_large',
      `The answer has more than ${this.#resultBytes} bytes, which is limits.resultBytes. ` +
        'Narrow the query: a shorter range, fewer tags (ids, prefixes), fewer metrics or a coarser granularity.',
    )
  }

  /** The full chunks; the caller owns them from here on. */
  take(): readonly Uint8Array[] {
    const taken = this.#full
    this.#full = []
    this.#takenBytes += this.#fullBytes
    this.#fullBytes = 0
    return taken
  }

  /** As `take`, plus the chunk that is not full yet. Throws Problem `result_too_large`. */
  finish(): readonly Uint8Array[] {
    this.checkSize()
    this.#keepChunk()
    return this.take()
  }

  /** Accepts chunks that are no longer read, for reuse. */
  recycle(chunks: readonly Uint8Array[]): void {
    this.#spares.give(chunks.map(({ buffer }) => buffer))
  }

  #keepChunk(): void {
    if (this.at > 0) this.#full.push(this.chunk.subarray(0, this.at))
    this.#fullBytes += this.at
    this.at = 0
    this.chunk = new Uint8Array(0)
  }
}

/** Allocates memory outside the pool of small buffers, because it is transferred to another thread. */
function newChunk(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}
