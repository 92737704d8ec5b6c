const blockBytes = 1024 * 1024
/** A call leaves hardly more behind. */
const spareMax = 2

/**
 * The memory that a cursor reads into. Where its user needs bodies no longer than until the next call, blocks are used again: at a hundred
 * megabytes a second, new ones would have the garbage collector mark the whole heap several times a second.
 */
export class ReadBlocks {
  readonly #reuses: boolean
  /** Entries of the call at hand are made of them. */
  #left: Buffer[] = []
  #spare: Buffer[] = []

  constructor(reuses: boolean) {
    this.#reuses = reuses
  }

  /** The entries of the call before are not needed any more. */
  beginCall(): void {
    if (this.#left.length === 0) return
    this.#spare = [...this.#spare, ...this.#left].slice(0, spareMax)
    this.#left = []
  }

  /** A block of so many bytes at least; they may be any. */
  take(bytes: number): Buffer {
    if (bytes <= blockBytes) return this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
    return Buffer.allocUnsafeSlow(bytes)
  }

  /** The block is not read into any more. */
  leave(block: Buffer): void {
    if (this.#reuses && block.length === blockBytes) this.#left.push(block)
  }
}
