// The body of a replay in the journal (docs/formats/journal.md): previously rejected rows, each with its own position.
import { readUint64, writeUint64 } from '../../lib/uint64.ts'

/** The text by which a row is validated again. */
export interface RowText {
  /** JSON in UTF-8: the row as pushed, or the JSON equivalent of its line. */
  readonly text: Uint8Array
  /** For a line: properties whose numbers were longs, which JSON cannot express. */
  readonly longs?: readonly string[]
}

export interface ReplayedRow extends RowText {
  /** The position of its push. */
  readonly position: number
}

const headBytes = 12
const textBytesAt = 8
/** Flag in the length of a text: names of longs follow it. */
const hasLongs = 0x80000000
const lengthBytes = 4

/** The rows must be in the order of their positions. */
export function encodeReplayedRows(rows: readonly ReplayedRow[]): Buffer {
  return Buffer.concat(rows.flatMap(encodedRow))
}

function encodedRow({ position, text, longs = [] }: ReplayedRow): readonly Uint8Array[] {
  const head = Buffer.allocUnsafe(headBytes)
  writeUint64(head, position, 0)
  head.writeUInt32LE(longs.length === 0 ? text.length : text.length + hasLongs, textBytesAt)
  if (longs.length === 0) return [head, text]
  const names = Buffer.from(JSON.stringify(longs))
  const length = Buffer.allocUnsafe(lengthBytes)
  length.writeUInt32LE(names.length)
  return [head, text, length, names]
}

/** The texts are views into the body. Throws an Error if it is not the body of a replay. */
export function decodeReplayedRows(bytes: Uint8Array): readonly ReplayedRow[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rows: ReplayedRow[] = []
  let last = -1
  for (let at = 0; at < body.length; ) {
    const length = lengthAt(body, at + textBytesAt)
    const text = bytesAt(body, at + headBytes, length % hasLongs)
    const position = readUint64(body, at)
    if (position <= last) throw new Error('the rows of a replay are not in order')
    last = position
    at += headBytes + text.length
    if (length < hasLongs) {
      rows.push({ position, text })
      continue
    }
    const names = bytesAt(body, at + lengthBytes, lengthAt(body, at))
    rows.push({ position, text, longs: JSON.parse(names.toString()) })
    at += lengthBytes + names.length
  }
  return rows
}

function lengthAt(body: Buffer, at: number): number {
  return bytesAt(body, at, lengthBytes).readUInt32LE()
}

function bytesAt(body: Buffer, start: number, length: number): Buffer {
  if (start + length > body.length) throw new Error('the body of a replay ends within a row')
  return body.subarray(start, start + length)
}
