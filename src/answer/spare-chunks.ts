/** Bodies are kept in chunks of about this size. */
export const spareChunkBytes = 256 * 1024
/** A body that fits into one of these is short. */
export const shortChunkBytes = 16 * 1024
const shortChunksMax = 16

/**
 * Memory of bodies that were sent or put away, to be written again. Fresh memory for each body would be a hundred megabytes a second, which
 * the garbage collector gives back in pauses of tens of milliseconds.
 */
export class SpareChunks {
  readonly #chunksMax: number
  readonly #buffers: ArrayBufferLike[] = []
  readonly #short: ArrayBufferLike[] = []

  constructor(bytesMax: number) {
    this.#chunksMax = Math.floor(bytesMax / spareChunkBytes)
  }

  /** A chunk of `spareChunkBytes`, which holds anything; null when there is none. */
  take(): Uint8Array | null {
    const buffer = this.#buffers.pop()
    return buffer === undefined ? null : new Uint8Array(buffer)
  }

  /** As `take`, a chunk of `shortChunkBytes`. */
  takeShort(): Uint8Array | null {
    const buffer = this.#short.pop()
    return buffer === undefined ? null : new Uint8Array(buffer)
  }

  /** Takes the memory of chunks that nobody reads any more. It lets go of what has another size, or is too much. */
  give(buffers: Iterable<ArrayBufferLike>): void {
    for (const buffer of buffers) {
      if (buffer.byteLength === spareChunkBytes && this.#buffers.length < this.#chunksMax) this.#buffers.push(buffer)
      if (buffer.byteLength === shortChunkBytes && this.#short.length < shortChunksMax) this.#short.push(buffer)
    }
  }
}
