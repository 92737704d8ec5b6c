// Splits JSON text into the texts of its rows without parsing them, so that every digit reaches the service as written.

import { joinedBytes } from './joined-bytes.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const space = 0x20

type State = 'start' | 'first' | 'next' | 'element' | 'done'

/** Splits one object, or an array of rows, that arrives in chunks of bytes, into the bytes of each row. */
export class JsonRows {
  readonly #rowBytesMax: number
  #state: State = 'start'
  #single = false
  #depth = 0
  #inString = false
  #escaped = false
  #parts: Uint8Array[] = []
  #partBytes = 0
  #rows = 0

  constructor(options: { readonly rowBytesMax: number }) {
    this.#rowBytesMax = options.rowBytesMax
  }

  /** The rows that this chunk completes; they may share its memory. Throws if the text is not a JSON object or array. */
  push(chunk: Uint8Array): Uint8Array[] {
    const rows: Uint8Array[] = []
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#inString) {
        this.#readInString(byte)
        continue
      }
      if (this.#state !== 'element') {
        if (byte <= space || !this.#begins(byte)) continue
        from = at
      }
      const end = this.#readElement(byte, at)
      if (end !== -1) rows.push(this.#row(chunk.subarray(from, end)))
    }
    if (this.#state === 'element') this.#keep(chunk.subarray(from))
    return rows
  }

  /** Throws if the text is incomplete. */
  end(): void {
    if (this.#state === 'start') throw new Error('the text is empty, where a JSON object or array belongs')
    if (this.#state !== 'done') throw new Error(`the JSON text ends too early, after row ${this.#rows}`)
  }

  #readInString(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === backslash) this.#escaped = true
    else if (byte === quote) this.#inString = false
  }

  /** Whether this byte, outside any row, begins one. */
  #begins(byte: number): boolean {
    switch (this.#state) {
      case 'start':
        if (byte === openBracket) {
          this.#state = 'first'
          return false
        }
        if (byte !== openBrace) throw new Error('the text is neither a JSON object nor an array')
        this.#single = true
        break
      case 'first':
        if (byte === closeBracket) {
          this.#state = 'done'
          return false
        }
        break
      case 'done':
        throw new Error(`there is more text after the end of the JSON ${this.#single ? 'object' : 'array'}`)
    }
    if (byte === comma || byte === closeBracket) throw new Error(`a row is missing after row ${this.#rows}`)
    this.#state = 'element'
    return true
  }

  /** Reads one byte of a row; returns the index where the row ends, or -1. */
  #readElement(byte: number, at: number): number {
    if (byte === quote) this.#inString = true
    else if (byte === openBrace || byte === openBracket) this.#depth++
    else if (this.#depth === 0 && byte === comma) return this.#leave('next', at)
    else if (byte === closeBrace || byte === closeBracket) {
      if (this.#depth === 0 && byte === closeBrace) throw new Error(`a closing brace too many after row ${this.#rows}`)
      if (this.#depth === 0) return this.#leave('done', at)
      this.#depth--
      if (this.#single && this.#depth === 0) return this.#leave('done', at + 1)
    }
    return -1
  }

  #leave(state: State, end: number): number {
    this.#state = state
    return end
  }

  #row(tail: Uint8Array): Uint8Array {
    this.#rows++
    if (this.#parts.length === 0) return tail
    const row = joinedBytes([...this.#parts, tail])
    this.#parts = []
    this.#partBytes = 0
    return row
  }

  #keep(part: Uint8Array): void {
    this.#parts.push(part)
    this.#partBytes += part.length
    if (this.#partBytes > this.#rowBytesMax) {
      throw new Error(`row ${this.#rows + 1} has more than ${this.#rowBytesMax} bytes; is a quote left open?`)
    }
  }
}
