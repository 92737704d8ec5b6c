// Files in encodings other than UTF-8 are refused, with the name of the encoding.

import { byteOrder, firstInvalid, hasMark, hexOf, markBytes } from '../lib/encodings.ts'
import { joinedBytes } from '../lib/joined-bytes.ts'

/** The message names the probable encoding, and how to convert it. */
export class EncodingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EncodingError'
  }
}

/** `head` has at least the first four bytes, unless the file is shorter. Throws `EncodingError` for UTF-16. */
export function refuseUtf16(head: Uint8Array): void {
  const order = byteOrder(head)
  if (order === null) return
  const name = order === 'little' ? 'UTF-16LE' : 'UTF-16BE'
  throw new EncodingError(
    `The file is ${name}, as its first bytes show. Save it as UTF-8 (in Excel as "CSV UTF-8"), or convert it: iconv -f UTF-16 -t UTF-8.`,
  )
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Decodes UTF-8 that arrives in chunks; an invalid byte is reported with its place. */
export class Utf8Decoder {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #readBytes = 0
  /** The last bytes, which may be the beginning of a character. */
  #tail: Uint8Array = new Uint8Array(0)

  /** A null chunk ends the text. `lineBefore` returns the line on which the chunk begins, from 1. Throws `EncodingError`. */
  read(chunk: Uint8Array | null, lineBefore: () => number): string {
    try {
      const text = chunk === null ? this.#decoder.decode() : this.#decoder.decode(chunk, { stream: true })
      if (chunk !== null) {
        this.#readBytes += chunk.length
        this.#tail = chunk.slice(-3)
      }
      return text
    } catch {
      throw this.#fault(chunk ?? new Uint8Array(0), lineBefore())
    }
  }

  #fault(chunk: Uint8Array, lineBefore: number): EncodingError {
    const begun = this.#tail.findIndex((byte) => !isContinuation(byte))
    const tail = begun === -1 ? new Uint8Array(0) : this.#tail.subarray(begun)
    const bytes = joinedBytes([tail, chunk])
    const at = firstInvalid(bytes)
    const lines = bytes.subarray(tail.length, at).filter((byte) => byte === 0x0a).length
    const byte = bytes[at] ?? 0
    const character = new TextDecoder('windows-1252').decode(new Uint8Array([byte]))
    return new EncodingError(
      `line ${lineBefore + lines}: the file is not UTF-8: the byte ${hexOf(byte)} at offset ${this.#readBytes - tail.length + at} is invalid. ` +
        `It is probably Windows-1252 or Latin-1, where that is "${character}". Save it as UTF-8 (in Excel as "CSV UTF-8"), or convert it: iconv -f WINDOWS-1252 -t UTF-8.`,
    )
  }
}

// The beginning of a file.

/** The first bytes of the input in one chunk, so that its type can be detected, followed by the rest. */
export async function* withHead(input: AsyncIterable<Uint8Array>, headBytes: number): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array(0)
  for await (const chunk of input) {
    if (head === null) {
      yield chunk
      continue
    }
    const joined: Uint8Array = joinedBytes([head, chunk])
    head = joined.length < headBytes ? joined : null
    if (head === null) yield joined
  }
  if (head !== null) yield head
}

/** Removes the byte order mark that some programs write. Throws `EncodingError` for UTF-16. */
export async function* withoutMark(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first = true
  for await (const chunk of withHead(input, 4)) {
    if (first) refuseUtf16(chunk)
    yield first && hasMark(chunk) ? chunk.subarray(markBytes) : chunk
    first = false
  }
}
