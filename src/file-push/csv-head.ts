import { type CsvCell, CsvParser, type CsvRecord } from '../lib/csv-parser.ts'
import { type CsvCutting, columnNames, type LikelyWriting, likelyWriting } from './csv-writing.ts'
import { Utf8Decoder, withHead } from './encoding.ts'

export interface CsvHead {
  readonly header: readonly string[]
  /** The cells of the first rows. */
  readonly rows: readonly (readonly CsvCell[])[]
  /** The beginning of the file, from which the head was read. */
  readonly text: string
  /** How the file is probably written, if the given settings would misread it; else null. */
  readonly likely: LikelyWriting | null
  /** The whole file, from its beginning. */
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

/** Reads the beginning of a CSV file. A header that is too long is empty. Throws `CsvError` if it is not CSV, and `EncodingError` if it is not UTF-8. */
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
  // Its last character may be cut. Encoding errors come first, because names and delimiters could not be recognized in another encoding.
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
