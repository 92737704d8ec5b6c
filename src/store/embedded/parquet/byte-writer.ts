const initialBytes = 1024

/** A growing little-endian byte buffer. Only the first `length` bytes of `bytes` are valid; `view` shares their memory. */
export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  length = 0

  constructor(capacityBytes = initialBytes) {
    this.bytes = new Uint8Array(capacityBytes)
    this.view = new DataView(this.bytes.buffer)
  }

  /** Makes space for `extra` more bytes; `length` does not change. */
  reserve(extra: number): void {
    const needed = this.length + extra
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.written())
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length)
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  uint32(value: number): void {
    this.reserve(4)
    this.view.setUint32(this.length, value, true)
    this.length += 4
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Writes a whole number from 0 to 2^53, seven bits per byte. */
  varint(value: number): void {
    this.reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.length++] = rest
  }

  /** Writes a whole number within 2^52 of zero; small ones of either sign take few bytes. */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : value * -2 - 1)
  }
}
