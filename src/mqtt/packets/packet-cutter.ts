/** Encoding of a packet's length: seven bits per byte, and a flag that more bytes follow. */
const digitBits = 7
const moreFollows = 0x80
/** The packet type, and four bytes of length. */
const headerBytesMax = 5

/** The length that begins after the first byte; null if it is incomplete. */
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
 * Passes on a broker's bytes, with each packet cut to a maximum size after its header; the excess is dropped as it arrives. Packet readers keep a
 * packet in memory until it is complete.
 */
export class PacketCutter {
  readonly #bytesMax: number
  readonly #pass: (bytes: Buffer) => void
  #header: number[] = []
  #passing = 0
  #dropping = 0
  #cutBytes = 0

  /** `pass` is called with the bytes; one call never spans two packets. */
  constructor(bytesMax: number, pass: (bytes: Buffer) => void) {
    this.#bytesMax = bytesMax
    this.#pass = pass
  }

  /** Bytes that will be missing at the end of the packet being passed. */
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
      // Not a valid length: the packet reader reports it.
      this.#pass(Buffer.from(header))
      return
    }
    this.#passing = Math.min(length, this.#bytesMax)
    this.#dropping = length - this.#passing
    this.#cutBytes = this.#dropping
    this.#pass(headerOf(header[0]!, this.#passing))
  }
}
