// A file of the reader's as rows, a piece at a time: however large it is, little of it is in memory.
import { type CsvHead, csvHead } from '../../../../src/file-push/csv-head.ts'
import { type CsvMapping, csvToNdjson } from '../../../../src/file-push/csv-rows.ts'
import { type LikelyWriting, likelyDecimal } from '../../../../src/file-push/csv-writing.ts'
import { isGzip, withoutMark } from '../../../../src/file-push/file-head.ts'
import type { RowFormat } from '../../../../src/file-push/file-name.ts'
import { jsonRows, ndjsonRows, type PushedRows, rowBytesMax } from '../../../../src/file-push/rows.ts'

export interface RowsFile {
  readonly file: File
  readonly format: RowFormat
}

/** What is made of a piece is garbage before the next one comes; of larger ones the browser would keep much of it for long. */
const pieceBytes = 64 * 1024

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      for (let at = 0; at < part.value.length; at += pieceBytes) yield part.value.subarray(at, at + pieceBytes)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** The file's bytes, decompressed where they are gzip, without a byte order mark. `onRead` is told how much of the file was read. */
async function* bytesOf(file: File, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, to) {
      onRead(chunk.length)
      to.enqueue(chunk)
    },
  })
  const packed = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()))
  const counted: ReadableStream<Uint8Array> = file.stream().pipeThrough(count)
  const plain = packed ? counted.pipeThrough(new DecompressionStream('gzip') as GenericTransformStream) : counted
  yield* withoutMark(piecesOf(plain))
}

const readNothing = (): void => undefined

/** What a CSV file begins with, and how it seems to be written; `chosen` is the delimiter where the reader chose one. Throws `CsvError` where the text is none. */
export async function headOf(file: File, chosen: string | null): Promise<CsvHead & { readonly likely: LikelyWriting }> {
  const head = await csvHead(bytesOf(file, readNothing), chosen ?? ',')
  // What is not read any further is let go.
  await head.bytes.next()
  await head.bytes.return(undefined)
  if (chosen === null && head.likely !== null) return headOf(file, head.likely.delimiter)
  const delimiter = chosen ?? ','
  return { ...head, likely: { delimiter, decimal: likelyDecimal(head.text, delimiter) } }
}

export function rowsOf(
  { file, format }: RowsFile,
  mapping: CsvMapping,
  onRead: (bytes: number) => void = readNothing,
): PushedRows {
  const bytes = bytesOf(file, onRead)
  if (format === 'json') return jsonRows(bytes)
  return ndjsonRows(format === 'csv' ? csvToNdjson(bytes, mapping, { recordCharsMax: rowBytesMax }) : bytes)
}

/** The texts of the first rows; no more of the file is read than they take. */
export async function firstRows(rows: PushedRows, rowsMax: number): Promise<readonly string[]> {
  const found: string[] = []
  const decoder = new TextDecoder()
  for await (const group of rows) {
    for (const row of group.slice(0, rowsMax - found.length)) found.push(decoder.decode(row))
    if (found.length === rowsMax) break
  }
  return found
}
