import { type CsvCell, CsvParser, type CsvRecord } from '../lib/csv-parser.ts'
import { type LikelyWriting, likelyWriting } from './csv-writing.ts'
import { Utf8Decoder } from './encoding.ts'
import { withHead } from './file-head.ts'

export interface CsvHead {
  readonly header: readonly string[]
  /** The cells of the first row; empty where there is none. */
  readonly first: readonly CsvCell[]
  /** The text that it was read from, the beginning of the file. */
  readonly text: string
  /** Where the header would be several columns by another delimiter. */
  readonly likely: LikelyWriting | null
  /** The file, from its beginning. */
  readonly bytes: AsyncGenerator<Uint8Array>
}

const headBytes = 64 * 1024

function firstRecords(text: string, delimiter: string, isWhole: boolean): CsvRecord[] {
  const reader = new CsvParser({ recordCharsMax: text.length, delimiter })
  const found = reader.push(text)
  if (found.length < 2 && isWhole) found.push(...reader.end())
  return found
}

/** What a CSV file begins with; a longer header is empty. Throws `CsvError` where it is no CSV, and `EncodingError` where it is no UTF-8. */
export async function csvHead(input: AsyncIterable<Uint8Array>, delimiter: string): Promise<CsvHead> {
  const chunks = withHead(input, headBytes)
  const next = await chunks.next()
  const head = next.done ? new Uint8Array(0) : next.value
  const bytes = (async function* () {
    try {
      yield head
      yield* chunks
    } finally {
      await chunks.return(undefined)
    }
  })()
  // Its last character may be cut. Another encoding is named first: names and delimiters would be told from characters that are none.
  const text = new Utf8Decoder().read(head.subarray(0, 2 * headBytes), () => 1)
  const likely = likelyWriting(text, delimiter)
  const found = likely === null ? firstRecords(text, delimiter, head.length < headBytes) : []
  return {
    header: found[0]?.cells.map((cell) => cell ?? '') ?? [],
    first: found[1]?.cells ?? [],
    text,
    likely,
    bytes,
  }
}
