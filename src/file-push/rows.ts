import type { PushFormat } from '../client/transport.ts'
import { JsonRows } from '../lib/json-rows.ts'
import { LineProtocolSplitter } from '../lib/line-protocol/protocol-splitter.ts'
import { LineSplitter } from '../lib/line-splitter.ts'
import type { FileFormat } from './file-name.ts'

/** The most that one row may take: the service takes no larger body. */
export const rowBytesMax = 16 * 1024 * 1024

/** The bytes of each row, in groups as they come. JSON is cut and never parsed, so that each digit arrives as it was written. */
export type PushedRows = AsyncIterable<readonly Uint8Array[]>

/** CSV travels as NDJSON, and so do lines; rows of a JSON array may hold new lines, so they travel as an array. */
export function pushFormatOf(format: FileFormat): PushFormat {
  return format === 'json' ? 'json' : 'ndjson'
}

/** `lines` is told where blank lines stand. */
export async function* ndjsonRows(
  input: AsyncIterable<Uint8Array>,
  lines?: FileLines,
): AsyncGenerator<readonly Uint8Array[]> {
  const onBlank = (rows: number): void => lines?.blankAfter(rows)
  const splitter = new LineSplitter({ lineBytesMax: rowBytesMax, onBlank })
  for await (const chunk of input) yield splitter.push(chunk)
  yield splitter.end()
}

/** Lines of line protocol: as many as an editor counts, comments and blank ones included. */
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

/** So many places with blank lines are remembered. */
const placesMax = 100_000

/** On which line of a file of NDJSON a row stands: blank lines are no rows. */
export class FileLines {
  /** Ascending: behind so many rows stand so many blank lines, all before them counted. */
  readonly #places: { readonly rows: number; blanks: number }[] = []
  #blanks = 0

  blankAfter(rows: number): void {
    this.#blanks++
    const last = this.#places.at(-1)
    if (last?.rows === rows) last.blanks = this.#blanks
    else if (this.#places.length <= placesMax) this.#places.push({ rows, blanks: this.#blanks })
  }

  /** Rows and lines count from 1. Null where too many blank lines came before. */
  lineOf(row: number): number | null {
    if (this.#places.length > placesMax && row > this.#places.at(-1)!.rows) return null
    const place = this.#places.findLast(({ rows }) => rows < row)
    return row + (place?.blanks ?? 0)
  }
}
