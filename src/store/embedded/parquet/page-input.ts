/** Bytes past the end that may be read: unpacking loads whole words where its last values need only a part. */
const slackBytes = 16

/** The body of the page being decoded, in memory that is reused for the next page. Little-endian. */
export class PageInput {
  bytes = new Uint8Array(1 << 16)
  view = new DataView(this.bytes.buffer)
  position = 0
  end = 0

  /** Makes the first `length` bytes the body and moves to its start; the caller fills `bytes`. */
  begin(length: number): void {
    if (length + slackBytes > this.bytes.length) {
      this.bytes = new Uint8Array(2 * length + slackBytes)
      this.view = new DataView(this.bytes.buffer)
    }
    this.position = 0
    this.end = length
  }

  byte(): number {
    return this.bytes[this.position++]
  }

  uint32(): number {
    this.position += 4
    return this.view.getUint32(this.position - 4, true)
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      // Ensures that loops that read numbers end, whatever the bytes are.
      if (this.position >= this.end) throw new Error('damaged page')
      const byte = this.bytes[this.position++]
      if (byte < 0x80) return value + byte * scale
      value += (byte & 0x7f) * scale
      scale *= 0x80
    }
  }

  zigzag(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
