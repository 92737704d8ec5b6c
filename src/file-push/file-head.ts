// What a file begins with.

import { hasMark, markBytes } from '../lib/encodings.ts'
import { joinedBytes } from '../lib/joined-bytes.ts'
import { refuseUtf16 } from './encoding.ts'

/** The first bytes of the input, in one chunk, so that its kind can be told; then the rest. */
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

/** Without the byte order mark that some programs write. Throws `EncodingError` for UTF-16. */
export async function* withoutMark(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first = true
  for await (const chunk of withHead(input, 4)) {
    if (first) refuseUtf16(chunk)
    yield first && hasMark(chunk) ? chunk.subarray(markBytes) : chunk
    first = false
  }
}
