/** Approximate size of the chunks of a body. */
export const spareChunkBytes = 256 * 1024
/** A body that fits one chunk of this size is short. */
export const shortChunkBytes = 16 * 1024
const shortChunksMax = 16

/**
 * Reusable memory of bodies that were sent or written to a file. Allocating new memory for each body would produce a hundred megabytes of garbage a
 * second, collected in pauses of tens of milliseconds.
 */
export class SpareChunks {
  readonly #chunksMax: number
  readonly #buffers: ArrayBufferLike[] = []
  readonly #short: ArrayBufferLike[] = []

  constructor(bytesMax: number) {
    this.#chunksMax = Math.floor(bytesMax / spareChunkBytes)
  }

  /** A chunk of `spareChunkBytes` with arbitrary contents; null if there is none. */
  take(): Uint8Array | null {
    const buffer = this.#buffers.pop()
    return buffer === undefined ? null : new Uint8Array(buffer)
  }

  /** As `take`, but of `shortChunkBytes`. */
  takeShort(): Uint8Array | null {
    const buffer = this.#short.pop()
    return buffer === undefined ? null : new Uint8Array(buffer)
  }

  /** Accepts the memory of chunks that are no longer read. Buffers of other sizes, or beyond the limits, are dropped. */
  give(buffers: Iterable<ArrayBufferLike>): void {
    for (const buffer of buffers) {
      if (buffer.byteLength === spareChunkBytes && this.#buffers.length < this.#chunksMax) this.#buffers.push(buffer)
      if (buffer.byteLength === shortChunkBytes && this.#short.length < shortChunksMax) this.#short.push(buffer)
    }
  }
}
