/** In the length of a packet: seven bits of it a byte, and whether more bytes follow. */
const digitBits = 7
const moreFollows = 0x80
/** The type of the packet, and four bytes of its length. */
const headerBytesMax = 5

/** The length that begins behind the first byte; null where bytes of it are still to come. */
function lengthOf(header: readonly number[]): number | null {
  if (header.length < 2 || header.at(-1)! >= moreFollows) return null
  return header.slice(1).reduce((sum, digit, index) => sum + (digit % moreFollows) * 2 ** (index * digitBits), 0)
}

function headerOf(type: number, length: number): Buffer {
  const bytes = [type]
  let rest = length
  do {
    const next = Math.floor(rest / moreFollows)
    bytes.push((rest % moreFollows) + (next > 0 ? moreFollows : 0))
    rest = next
  } while (rest > 0)
  return Buffer.from(bytes)
}

/**
 * Bytes of a broker with no packet larger than so many bytes behind its header: what is more of one is let go of as it comes. Who reads packets
 * keeps each in memory until it is whole.
 */
export class PacketCutter {
  readonly #bytesMax: number
  readonly #pass: (bytes: Buffer) => void
  #header: number[] = []
  #passing = 0
  #dropping = 0
  #cutBytes = 0

  /** `pass` is given the bytes, one packet in one call at most. */
  constructor(bytesMax: number, pass: (bytes: Buffer) => void) {
    this.#bytesMax = bytesMax
    this.#pass = pass
  }

  /** Of the packet whose bytes are passed on: how many will be missing at its end. */
  get cutBytes(): number {
    return this.#cutBytes
  }

  push(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#passing > 0) {
        const piece = bytes.subarray(at, at + this.#passing)
        this.#passing -= piece.length
        at += piece.length
        this.#pass(piece)
      } else if (this.#dropping > 0) {
        const count = Math.min(this.#dropping, bytes.length - at)
        this.#dropping -= count
        at += count
      } else this.#begin(bytes[at++]!)
    }
  }

  #begin(byte: number): void {
    this.#header.push(byte)
    const length = lengthOf(this.#header)
    if (length === null && this.#header.length < headerBytesMax) return
    const header = this.#header
    this.#header = []
    if (length === null) {
      // No length: whoever reads packets says so.
      this.#pass(Buffer.from(header))
      return
    }
    this.#passing = Math.min(length, this.#bytesMax)
    this.#dropping = length - this.#passing
    this.#cutBytes = this.#dropping
    this.#pass(headerOf(header[0]!, this.#passing))
  }
}
