import { type CsvCell, CsvParser, type CsvRecord } from '../lib/csv-parser.ts'
import { type CsvCutting, columnNames, type LikelyWriting, likelyWriting } from './csv-writing.ts'
import { Utf8Decoder, withHead } from './encoding.ts'

export interface CsvHead {
  readonly header: readonly string[]
  /** The cells of the first rows. */
  readonly rows: readonly (readonly CsvCell[])[]
  /** The text that it was read from, the beginning of the file. */
  readonly text: string
  /** How it is written, where it would likely be read wrongly. */
  readonly likely: LikelyWriting | null
  /** The file, from its beginning. */
  readonly bytes: AsyncGenerator<Uint8Array>
}

const headBytes = 64 * 1024
const rowsMax = 100

function firstRecords(text: string, cutting: CsvCutting, isWhole: boolean): CsvRecord[] {
  const reader = new CsvParser({ recordCharsMax: text.length, ...cutting })
  const found = reader.push(text)
  if (found.length < 2 && isWhole) found.push(...reader.end())
  return found
}

/** What a CSV file begins with; a longer header is empty. Throws `CsvError` where it is no CSV, and `EncodingError` where it is no UTF-8. */
export async function csvHead(input: AsyncIterable<Uint8Array>, cutting: CsvCutting): Promise<CsvHead> {
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
  const likely = likelyWriting(text, cutting)
  const found = likely === null ? firstRecords(text, cutting, head.length < headBytes) : []
  return {
    header: found[0] === undefined ? [] : columnNames(found[0]),
    rows: found.slice(1, 1 + rowsMax).map(({ cells }) => cells),
    text,
    likely,
    bytes,
  }
}
