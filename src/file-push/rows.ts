import type { PushFormat } from '../client/transport.ts'
import { JsonRows } from '../lib/json-rows.ts'
import { LineProtocolSplitter } from '../lib/line-protocol/protocol-splitter.ts'
import { LineSplitter } from '../lib/line-splitter.ts'
import type { FileFormat } from './file-name.ts'

/** The most bytes of a row: the service accepts no larger body. */
export const rowBytesMax = 16 * 1024 * 1024

/** The bytes of rows, in groups as they arrive. JSON is split but never parsed, so that numbers keep their digits. */
export type PushedRows = AsyncIterable<readonly Uint8Array[]>

/** CSV is sent as NDJSON, and so are lines. Rows of a JSON array may contain newlines, so they are sent as an array. */
export function pushFormatOf(format: FileFormat): PushFormat {
  return format === 'json' ? 'json' : 'ndjson'
}

/** `lines` records the places of blank lines. */
export async function* ndjsonRows(
  input: AsyncIterable<Uint8Array>,
  lines?: FileLines,
): AsyncGenerator<readonly Uint8Array[]> {
  const onBlank = (rows: number): void => lines?.blankAfter(rows)
  const splitter = new LineSplitter({ lineBytesMax: rowBytesMax, onBlank })
  for await (const chunk of input) yield splitter.push(chunk)
  yield splitter.end()
}

/** Lines of line protocol, counted as in an editor, including comments and blank lines. */
export async function* protocolLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  const splitter = new LineProtocolSplitter({ lineBytesMax: rowBytesMax })
  for await (const chunk of input) yield splitter.push(chunk)
  yield splitter.end()
}

export async function* jsonRows(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  const splitter = new JsonRows({ rowBytesMax })
  for await (const chunk of input) yield splitter.push(chunk)
  splitter.end()
}

/** The most places with blank lines that are remembered. */
const placesMax = 100_000

/** Maps rows of an NDJSON file to lines: blank lines are not rows. */
export class FileLines {
  /** Ascending: `blanks` is the total number of blank lines up to and including those after `rows` rows. */
  readonly #places: { readonly rows: number; blanks: number }[] = []
  #blanks = 0

  blankAfter(rows: number): void {
    this.#blanks++
    const last = this.#places.at(-1)
    if (last?.rows === rows) last.blanks = this.#blanks
    else if (this.#places.length <= placesMax) this.#places.push({ rows, blanks: this.#blanks })
  }

  /** Rows and lines count from 1. Null if too many places with blank lines precede the row. */
  lineOf(row: number): number | null {
    if (this.#places.length > placesMax && row > this.#places.at(-1)!.rows) return null
    const place = this.#places.findLast(({ rows }) => rows < row)
    return row + (place?.blanks ?? 0)
  }
}
