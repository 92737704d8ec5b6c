import { hash, newline } from '../ascii.ts'
import { joinedBytes } from '../joined-bytes.ts'
import { blanksEnd, commentEnd, lineEnd } from './line-text.ts'

const nothing = new Uint8Array(0)

/**
 * Splits bytes of line protocol that arrive in chunks into one piece per newline, so that pieces are numbered as an editor numbers lines: blank lines and
 * comments are pieces too, and a line with newlines in a quoted value is followed by as many empty pieces. Only the newlines between pieces are dropped.
 */
export class LineProtocolSplitter {
  readonly #lineBytesMax: number
  #rest: Uint8Array = nothing

  constructor(options: { readonly lineBytesMax: number }) {
    this.#lineBytesMax = options.lineBytesMax
  }

  /** The pieces that this chunk completes; they may share its memory. Throws if one is longer than `lineBytesMax`. */
  push(chunk: Uint8Array): Uint8Array[] {
    const bytes = this.#rest.length === 0 ? chunk : joinedBytes([this.#rest, chunk])
    const pieces: Uint8Array[] = []
    let start = 0
    for (let end = this.#endOf(bytes, 0); end >= 0; end = this.#endOf(bytes, start)) {
      take(bytes.subarray(start, end), pieces)
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    return pieces
  }

  /** The last pieces. */
  end(): Uint8Array[] {
    const bytes = this.#rest
    this.#rest = nothing
    const pieces: Uint8Array[] = []
    for (let start = 0; start < bytes.length; ) {
      const end = pieceEnd(bytes, start, true)
      take(bytes.subarray(start, end), pieces)
      start = end + 1
    }
    return pieces
  }

  /** -1 if the next chunk decides. A quoted value that would be too long is not read as one. */
  #endOf(bytes: Uint8Array, start: number): number {
    const end = pieceEnd(bytes, start, false)
    if (end >= 0 || bytes.length - start <= this.#lineBytesMax) return end
    const first = bytes.indexOf(newline, start)
    if (first < 0) throw new Error(`a line of more than ${this.#lineBytesMax} bytes`)
    return first
  }
}

/** The index of the newline that ends the piece at `start`, or the end of the bytes; -1 as for `lineEnd`. */
function pieceEnd(bytes: Uint8Array, start: number, isWhole: boolean): number {
  let at = blanksEnd(bytes, start)
  while (bytes[at] === hash) at = blanksEnd(bytes, commentEnd(bytes, at))
  return bytes[at] === newline ? at : lineEnd(bytes, at, isWhole)
}

function take(piece: Uint8Array, pieces: Uint8Array[]): void {
  pieces.push(piece)
  for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, at + 1)) pieces.push(nothing)
}
