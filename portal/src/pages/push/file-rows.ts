// Reads a local file as rows, piece by piece, so that memory use does not depend on its size.
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

/** Objects made from a piece become garbage before the next piece; with larger pieces the browser would keep many of them for long. */
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

/** The file's bytes, decompressed if gzipped, without a byte order mark. `onRead` is called with the number of bytes read. */
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

/** The head of a CSV file and its likely format. `chosen` is the delimiter and the lines, if chosen by the user. Throws `CsvError`. */
export async function headOf(
  file: File,
  chosen: CsvCutting | null,
): Promise<CsvHead & { readonly likely: LikelyWriting }> {
  const cutting = chosen ?? usualWriting
  const head = await csvHead(bytesOf(file, readNothing), cutting)
  // Releases the stream, since the rest is not read.
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

/** The way in which the rows of a file are pushed to an ingest. */
export function targetFor(
  { alias, lines }: ShownIngest,
  { format, precision }: RowsFile,
  client: TidemarkClient,
): RowTarget {
  const known = { kept: null, isByField: lines !== null }
  return rowTargetOf({ client, ingest: alias, known, format, precision })
}

const firstBytesMax = 4 * 1024 * 1024

/** The first rows as a batch, null if there are none. Reads no more of the file than these rows need. */
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
