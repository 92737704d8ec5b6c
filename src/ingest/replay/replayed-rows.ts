// The body of a replay in the journal (docs/formats/journal.md): rows that were rejected before, each with its own position.
import { readUint64, writeUint64 } from '../../lib/uint64.ts'

export interface ReplayedRow {
  /** That of its push. */
  readonly position: number
  /** The row as it was pushed, in UTF-8. */
  readonly text: Uint8Array
}

const headBytes = 12
const textBytesAt = 8

/** Rows come in the order of their positions. */
export function encodeReplayedRows(rows: readonly ReplayedRow[]): Buffer {
  const body = Buffer.allocUnsafe(rows.reduce((bytes, { text }) => bytes + headBytes + text.length, 0))
  let at = 0
  for (const { position, text } of rows) {
    writeUint64(body, position, at)
    body.writeUInt32LE(text.length, at + textBytesAt)
    body.set(text, at + headBytes)
    at += headBytes + text.length
  }
  return body
}

/** The texts are views into the body. Throws an Error when it is no body of a replay. */
export function decodeReplayedRows(bytes: Uint8Array): readonly ReplayedRow[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rows: ReplayedRow[] = []
  let last = -1
  for (let at = 0; at < body.length; ) {
    const start = at + headBytes
    const end = start <= body.length ? start + body.readUInt32LE(at + textBytesAt) : Number.POSITIVE_INFINITY
    if (end > body.length) throw new Error('the body of a replay ends within a row')
    const position = readUint64(body, at)
    if (position <= last) throw new Error('the rows of a replay are not in order')
    rows.push({ position, text: body.subarray(start, end) })
    last = position
    at = end
  }
  return rows
}
