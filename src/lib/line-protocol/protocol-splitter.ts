import { hash, newline } from '../ascii.ts'
import { joinedBytes } from '../joined-bytes.ts'
import { blanksEnd, lineEnd } from './line-text.ts'

const nothing = new Uint8Array(0)

/**
 * Cuts bytes of line protocol that arrive in chunks into one piece for each newline, so that the pieces count as an editor counts lines: blank lines
 * and comments are pieces too, and behind a line with newlines in a quoted value stand as many empty ones. No byte but the newlines is left out.
 */
export class LineProtocolSplitter {
  readonly #lineBytesMax: number
  #rest: Uint8Array = nothing

  constructor(options: { readonly lineBytesMax: number }) {
    this.#lineBytesMax = options.lineBytesMax
  }

  /** The pieces that are complete with this chunk; they may share its memory. Throws where one is over `lineBytesMax`. */
  push(chunk: Uint8Array): Uint8Array[] {
    const bytes = this.#rest.length === 0 ? chunk : joinedBytes([this.#rest, chunk])
    const pieces: Uint8Array[] = []
    let start = 0
    // What stands behind a newline says whether it ends the line.
    for (let end = pieceEnd(bytes, 0); end + 1 < bytes.length; end = pieceEnd(bytes, start)) {
      take(bytes.subarray(start, end), pieces)
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    if (this.#rest.length > this.#lineBytesMax) throw new Error(`a line of more than ${this.#lineBytesMax} bytes`)
    return pieces
  }

  /** The last ones. */
  end(): Uint8Array[] {
    const bytes = this.#rest
    this.#rest = nothing
    const pieces: Uint8Array[] = []
    for (let start = 0; start < bytes.length; ) {
      const end = pieceEnd(bytes, start)
      take(bytes.subarray(start, end), pieces)
      start = end + 1
    }
    return pieces
  }
}

/** The place of the newline that ends what begins at `start`, or the end of the bytes. */
function pieceEnd(bytes: Uint8Array, start: number): number {
  const at = blanksEnd(bytes, start)
  if (bytes[at] === newline) return at
  if (bytes[at] !== hash) return lineEnd(bytes, at)
  const end = bytes.indexOf(newline, at)
  return end < 0 ? bytes.length : end
}

function take(piece: Uint8Array, pieces: Uint8Array[]): void {
  pieces.push(piece)
  for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, at + 1)) pieces.push(nothing)
}
