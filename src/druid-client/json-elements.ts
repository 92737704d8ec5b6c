import { brokenOff } from './druid-failure.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const bracket = 0x5b
const brace = 0x7b
const bracketEnd = 0x5d
const braceEnd = 0x7d

/**
 * Splits a JSON array that arrives in pieces between its elements: yields arrays of whole elements, as text, about one for each piece.
 * Throws Problem `unavailable` when the array does not end.
 */
export async function* jsonElements(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const scan = new ArrayScan()
  let pending: Buffer[] = []
  let opening = ''
  for await (const piece of pieces) {
    const cut = scan.lastCut(piece)
    if (cut === null) {
      pending.push(piece)
      continue
    }
    pending.push(piece.subarray(0, cut.before))
    yield `${opening}${Buffer.concat(pending).toString('utf8')}]`
    opening = '['
    pending = [piece.subarray(cut.after)]
  }
  if (!scan.isWhole) throw brokenOff('its end is missing')
  yield `${opening}${Buffer.concat(pending).toString('utf8')}`
}

/** Tracks the nesting of the array through its pieces. */
class ArrayScan {
  #depth = 0
  #isString = false
  #isEscaped = false
  #hasEnded = false

  get isWhole(): boolean {
    return this.#hasEnded
  }

  /** The position of the last comma between two elements in this piece; null if there is none. */
  lastCut(piece: Buffer): { before: number; after: number } | null {
    let cut = -1
    let depth = this.#depth
    let at = 0
    while (at < piece.length) {
      if (this.#isString) {
        at = this.#skipString(piece, at)
        continue
      }
      const byte = piece[at]
      if (byte === quote) this.#isString = true
      else if (byte === comma) {
        if (depth === 1) cut = at
      } else if (byte === bracket || byte === brace) depth++
      else if (byte === bracketEnd || byte === braceEnd) {
        depth--
        if (depth === 0) this.#hasEnded = true
      }
      at++
    }
    this.#depth = depth
    return cut === -1 ? null : { before: cut, after: cut + 1 }
  }

  /** The position after the string's closing quote, or the end of the piece. */
  #skipString(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (piece[at] === backslash) this.#isEscaped = true
      else if (piece[at] === quote) {
        this.#isString = false
        return at + 1
      }
    }
    return piece.length
  }
}

const lineFeed = 0x0a

/**
 * Splits lines of JSON that arrive in pieces: yields them as the text of arrays, about one for each piece. Throws Problem `unavailable` when the empty
 * line is missing with which Druid ends a complete response.
 */
export async function* jsonLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending: Buffer[] = []
  let isWhole = false
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(lineFeed)
    if (end === -1) {
      pending.push(piece)
      continue
    }
    pending.push(piece.subarray(0, end))
    const text = Buffer.concat(pending).toString('utf8')
    const isBlankLast = text === '' || text.endsWith('\n')
    isWhole = isBlankLast && end === piece.length - 1
    const lines = text.replace(/(?<!\n)\n+$/, '').replaceAll('\n', ',')
    if (lines !== '') yield `[${lines}]`
    pending = [piece.subarray(end + 1)]
  }
  if (!isWhole) throw brokenOff('its last line is missing')
}
