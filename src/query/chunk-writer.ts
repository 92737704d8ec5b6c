import { Problem } from '../model/problem.ts'

/** Bodies are kept in chunks of about this size. */
const chunkBytes = 256 * 1024
/** Chunks that are kept to be written again. */
const sparesMax = 8

/** The bytes of a body as they are written: whoever writes makes room with `reserve`, puts bytes into `chunk` from `at` on, and moves `at`. */
export class ChunkWriter {
  chunk: Uint8Array = new Uint8Array(0)
  at = 0
  readonly #resultBytes: number
  readonly #spares: Uint8Array[] = []
  #full: Uint8Array[] = []
  #takenBytes = 0
  #fullBytes = 0

  /** `resultBytes` is the most that the body may have. */
  constructor(resultBytes: number) {
    this.#resultBytes = resultBytes
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
    const wanted = Math.max(bytes, Math.min(expectedBytes, Math.max(chunkBytes, bytes * 4)))
    this.chunk = (wanted <= chunkBytes ? this.#spares.pop() : undefined) ?? newChunk(wanted)
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
    for (const { buffer } of chunks) {
      if (buffer.byteLength === chunkBytes && this.#spares.length < sparesMax) this.#spares.push(new Uint8Array(buffer))
    }
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
