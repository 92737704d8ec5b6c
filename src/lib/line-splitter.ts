import { joinedBytes } from './joined-bytes.ts'

const lineFeed = 0x0a
const space = 0x20

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte <= space)
}

/** Splits bytes that arrive in chunks into lines, without their line feeds. Skips blank lines; changes no byte. */
export class LineSplitter {
  readonly #lineBytesMax: number
  readonly #onBlank: (linesBefore: number) => void
  #lines = 0
  #parts: Uint8Array[] = []
  #partBytes = 0

  /** `onBlank` is called for each blank line with the number of non-blank lines before it. */
  constructor(options: { readonly lineBytesMax: number; readonly onBlank?: (linesBefore: number) => void }) {
    this.#lineBytesMax = options.lineBytesMax
    this.#onBlank = options.onBlank ?? (() => undefined)
  }

  /** The lines that this chunk completes; they may share its memory. Throws if a line is longer than `lineBytesMax`. */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#take(chunk.subarray(start, end), lines)
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
    return lines
  }

  /** The last line, if the bytes do not end with a line feed. */
  end(): Uint8Array[] {
    const lines: Uint8Array[] = []
    this.#take(new Uint8Array(0), lines)
    return lines
  }

  #take(tail: Uint8Array, lines: Uint8Array[]): void {
    let line = tail
    if (this.#parts.length > 0) {
      line = joinedBytes([...this.#parts, tail])
      this.#parts = []
      this.#partBytes = 0
    }
    if (isBlank(line)) {
      this.#onBlank(this.#lines)
      return
    }
    this.#lines++
    lines.push(line)
  }

  #keep(part: Uint8Array): void {
    this.#parts.push(part)
    this.#partBytes += part.length
    if (this.#partBytes > this.#lineBytesMax) throw new Error(`a line of more than ${this.#lineBytesMax} bytes`)
  }
}
