import type { PushFormat } from '../client/transport.ts'
import { JsonRows } from '../lib/json-rows.ts'
import { LineProtocolSplitter } from '../lib/line-protocol/protocol-splitter.ts'
import { LineSplitter } from '../lib/line-splitter.ts'
import type { FileLines } from './file-lines.ts'
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
