import type { NativeQuery } from '../parse/native-query-types.ts'

const quote = 0x22
const backslash = 0x5c
const bracket = 0x5b
const brace = 0x7b
const bracketEnd = 0x5d
const braceEnd = 0x7d

/** Location of the rows: elements of the response, or of a list in each of its elements, identified by the length of its name. */
const listed = { keyLength: 'result'.length, depth: 3 }

/** Counts the rows of a streamed response, by counting the lists and objects that start at a certain depth of its JSON. */
export class RowCount {
  readonly #isListed: boolean
  #rows = 0
  #depth = 0
  #isString = false
  #isEscaped = false
  #textLength = 0
  /** Whether the open value at the third depth is the list of rows. */
  #isInRows = false

  constructor({ kind }: NativeQuery) {
    // Rows are in `result` of a topN or search, and in `events` of a scan; both names have the same length.
    this.#isListed = kind === 'topN' || kind === 'search' || kind === 'scan'
  }

  get rows(): number {
    return this.#rows
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (this.#isString) this.#readText(code)
      else if (code === quote) {
        this.#isString = true
        this.#textLength = 0
      } else if (code === bracket || code === brace) this.#open()
      else if (code === bracketEnd || code === braceEnd) this.#depth--
    }
  }

  #readText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === backslash) this.#isEscaped = true
    else if (code === quote) {
      this.#isString = false
      return
    }
    this.#textLength++
  }

  #open(): void {
    if (this.#isListed) {
      if (this.#depth === listed.depth - 1) this.#isInRows = this.#textLength === listed.keyLength
      else if (this.#depth === listed.depth && this.#isInRows) this.#rows++
    } else if (this.#depth === 1) this.#rows++
    this.#depth++
  }
}
