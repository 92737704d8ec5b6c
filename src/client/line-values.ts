import { joinedBytes } from '../lib/joined-bytes.ts'
import { LineSplitter } from '../lib/line-splitter.ts'

/** No row of the service is longer, since its responses are bounded, too. */
const lineBytesMax = 64 * 1024 * 1024

/** The values of NDJSON, one per line, as its bytes arrive. */
export async function* lineValues<Value>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  const splitter = new LineSplitter({ lineBytesMax })
  const decoder = new TextDecoder()
  const parsed = (line: Uint8Array): Value => JSON.parse(decoder.decode(line))
  for await (const chunk of bytes) for (const line of splitter.push(chunk)) yield parsed(line)
  for (const line of splitter.end()) yield parsed(line)
}

/** Collects all chunks into one array. */
export async function allBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return joinedBytes(parts)
}
