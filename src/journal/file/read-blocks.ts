const blockBytes = 1024 * 1024
/** A call hardly ever releases more blocks. */
const spareMax = 2

/**
 * The memory that a cursor reads into. When its user needs bodies only until the next call, blocks are reused: at a hundred megabytes per
 * second, new ones would make the garbage collector mark the whole heap several times a second.
 */
export class ReadBlocks {
  readonly #reuses: boolean
  /** Blocks that belong to entries of the current call. */
  #left: Buffer[] = []
  #spare: Buffer[] = []

  constructor(reuses: boolean) {
    this.#reuses = reuses
  }

  /** Called when the entries of the previous call are no longer needed. */
  beginCall(): void {
    if (this.#left.length === 0) return
    this.#spare = [...this.#spare, ...this.#left].slice(0, spareMax)
    this.#left = []
  }

  /** A block of at least `bytes` bytes, with arbitrary content. */
  take(bytes: number): Buffer {
    if (bytes <= blockBytes) return this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
    return Buffer.allocUnsafeSlow(bytes)
  }

  /** Called when the block is no longer read into. */
  leave(block: Buffer): void {
    if (this.#reuses && block.length === blockBytes) this.#left.push(block)
  }
}
