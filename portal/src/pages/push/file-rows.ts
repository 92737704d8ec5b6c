// A file of the reader's as rows, a piece at a time: however large it is, little of it is in memory.
import type { TidemarkClient } from '../../../../src/client/client.ts'
import type { PushBatch } from '../../../../src/client/push-batch.ts'
import { batchesOf } from '../../../../src/file-push/batches.ts'
import { type CsvHead, csvHead } from '../../../../src/file-push/csv-head.ts'
import { type CsvMapping, csvToNdjson } from '../../../../src/file-push/csv-rows.ts'
import {
  type CsvCutting,
  type LikelyWriting,
  likelyDecimal,
  usualWriting,
} from '../../../../src/file-push/csv-writing.ts'
import { withoutMark } from '../../../../src/file-push/encoding.ts'
import type { FileFormat } from '../../../../src/file-push/file-name.ts'
import { type RowTarget, rowTargetOf } from '../../../../src/file-push/row-target.ts'
import { jsonRows, ndjsonRows, type PushedRows, protocolLines, rowBytesMax } from '../../../../src/file-push/rows.ts'
import { isGzip } from '../../../../src/lib/encodings.ts'
import type { LinePrecision } from '../../../../src/model/line-format.ts'
import type { ShownIngest } from '../ingests/side.ts'

export interface RowsFile {
  readonly file: File
  readonly format: FileFormat
  /** The unit of the times of line protocol. */
  readonly precision: LinePrecision
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

/** What a CSV file begins with, and how it seems to be written; `chosen` is how it is cut, where that was chosen. Throws `CsvError`. */
export async function headOf(
  file: File,
  chosen: CsvCutting | null,
): Promise<CsvHead & { readonly likely: LikelyWriting }> {
  const cutting = chosen ?? usualWriting
  const head = await csvHead(bytesOf(file, readNothing), cutting)
  // What is not read any further is let go.
  await head.bytes.next()
  await head.bytes.return(undefined)
  if (chosen === null && head.likely !== null) return headOf(file, head.likely)
  const { delimiter, lines } = cutting
  return { ...head, likely: { delimiter, lines, decimal: likelyDecimal(head.text, cutting) } }
}

export function rowsOf(
  { file, format }: RowsFile,
  mapping: CsvMapping,
  onRead: (bytes: number) => void = readNothing,
): PushedRows {
  const bytes = bytesOf(file, onRead)
  if (format === 'json') return jsonRows(bytes)
  if (format === 'lp') return protocolLines(bytes)
  return ndjsonRows(format === 'csv' ? csvToNdjson(bytes, mapping, { recordCharsMax: rowBytesMax }) : bytes)
}

/** How the rows of a file go into an ingest. */
export function targetFor(
  { alias, lines }: ShownIngest,
  { format, precision }: RowsFile,
  client: TidemarkClient,
): RowTarget {
  const known = { kept: null, isByField: lines !== null }
  return rowTargetOf({ client, ingest: alias, known, format, precision })
}

const firstBytesMax = 4 * 1024 * 1024

/** The first rows as a push of them, null where there are none; no more of the file is read than they take. */
export async function firstBatch(
  rows: PushedRows,
  { format, rowsOf }: Pick<RowTarget, 'format' | 'rowsOf'>,
  rowsMax: number,
): Promise<PushBatch | null> {
  const batches = batchesOf(rows, { rowsMax, rowsOf, bytesMax: firstBytesMax, format, skipRows: 0 })
  try {
    const first = await batches.next()
    return first.done ? null : first.value
  } finally {
    await batches.return(undefined)
  }
}
