import { Problem } from '../model/problem.ts'
import { SpareChunks, shortChunkBytes, spareChunkBytes } from './spare-chunks.ts'

/** What one body alone keeps of its memory that was put away. */
const ownSpareBytes = 8 * spareChunkBytes
/** From so many bytes on a body gets whole chunks. */
const longBytes = 64 * 1024

/** The bytes of a body as they are written: whoever writes makes room with `reserve`, puts bytes into `chunk` from `at` on, and moves `at`. */
export class ChunkWriter {
  chunk: Uint8Array = new Uint8Array(0)
  at = 0
  readonly #resultBytes: number
  readonly #spares: SpareChunks
  #full: Uint8Array[] = []
  #takenBytes = 0
  #fullBytes = 0

  /** `resultBytes` is the most that the body may have; its memory is taken from `spares` as far as there are any. */
  constructor(resultBytes: number, spares = new SpareChunks(ownSpareBytes)) {
    this.#resultBytes = resultBytes
    this.#spares = spares
  }

  /** All that was written. */
  get bytes(): number {
    return this.#takenBytes + this.#fullBytes + this.at
  }

  /** What `take` would give. */
  get fullBytes(): number {
    return this.#fullBytes
  }

  /** Makes room for `bytes`, where about `expectedBytes` are to come. Throws Problem `result_too_large`. */
  reserve(bytes: number, expectedBytes: number = bytes): void {
    if (this.at + bytes <= this.chunk.length) return
    this.#keepChunk()
    this.checkSize()
    // What is shorter than the longest leaves room at the end of a chunk, at most a quarter of it.
    const longest = Math.max(spareChunkBytes, bytes * 4)
    // What is long already mostly goes on.
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
        'Ask for a shorter range, fewer tags (ids, prefixes), fewer metrics or a coarser granularity.',
    )
  }

  /** The chunks that are full; they are the caller's now. */
  take(): readonly Uint8Array[] {
    const taken = this.#full
    this.#full = []
    this.#takenBytes += this.#fullBytes
    this.#fullBytes = 0
    return taken
  }

  /** As `take`, with the chunk that is not full yet. Throws Problem `result_too_large`. */
  finish(): readonly Uint8Array[] {
    this.checkSize()
    this.#keepChunk()
    return this.take()
  }

  /** Takes back chunks that nobody reads any more. */
  giveBack(chunks: readonly Uint8Array[]): void {
    this.#spares.give(chunks.map(({ buffer }) => buffer))
  }

  #keepChunk(): void {
    if (this.at > 0) this.#full.push(this.chunk.subarray(0, this.at))
    this.#fullBytes += this.at
    this.at = 0
    this.chunk = new Uint8Array(0)
  }
}

/** Of its own memory, not of the pool that small buffers share: it is handed over to another thread. */
function newChunk(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}
