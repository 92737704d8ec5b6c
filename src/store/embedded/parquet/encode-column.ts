import { crc32 } from 'node:zlib'
import type { BorrowedArrays } from '../../../lib/spare-buffers.ts'
import type { ColumnVector } from '../../../model/column.ts'
import { ByteWriter } from './byte-writer.ts'
import type { ChosenBody } from './choose-body.ts'
import type { ColumnPages, DictionaryPlace, ParquetField } from './column-pages.ts'
import { type DenseRows, denseRows } from './dense-rows.ts'
import { compress, compressSteps } from './lz4.ts'
import type { ChunkBounds, PageBounds } from './page-bounds.ts'
import { writeDataPageHeader, writeDictionaryPageHeader } from './page-header.ts'
import { type EncodingOptions, planColumn } from './plan-column.ts'
import { writeRuns } from './run-lengths.ts'
import { sliceRows } from './slices.ts'

/** Describes a column chunk; its bytes are in the writer that was passed. */
export interface EncodedColumn {
  readonly pages: ColumnPages
  /** Headers included, as Parquet counts. */
  readonly uncompressedBytes: number
  readonly pageNulls: Int32Array
  readonly bounds: ChunkBounds | null
  readonly pageBounds: PageBounds | null
}

export interface ColumnPlace {
  /** The offset in the file at which the chunk will begin. */
  readonly offset: number
  readonly pageEnds: Int32Array
}

/** Writes the column chunk into `out`, which is emptied first. The borrowed arrays can be returned afterwards. */
export function* encodeColumn(
  field: ParquetField,
  column: ColumnVector,
  { offset, pageEnds }: ColumnPlace,
  options: EncodingOptions,
  arrays: BorrowedArrays,
  out: ByteWriter,
): Generator<void, EncodedColumn> {
  const { digits = null } = field
  const dense = yield* denseRows(column, pageEnds, arrays)
  if (dense.rows !== null && !field.nullable) throw new Error(`column ${field.name} holds a null`)
  yield
  const plan = yield* planColumn(column, digits, dense, options, arrays)
  out.length = 0
  const chunk = new ChunkWriter(field, plan, dense, out)
  const dictionary = yield* chunk.writeDictionary(offset)
  const firstPageAt = out.length
  const ends = new Uint32Array(pageEnds.length)
  const checksums = new Uint32Array(pageEnds.length)
  const pageNulls = new Int32Array(pageEnds.length)
  for (let page = 0, row = 0, pausedAt = 0; page < pageEnds.length; page++) {
    const start = out.length
    pageNulls[page] = chunk.writePage(page, row, pageEnds[page])
    checksums[page] = crc32(out.bytes.subarray(start, out.length))
    ends[page] = out.length - firstPageAt
    row = pageEnds[page]
    if (row - pausedAt >= sliceRows) {
      pausedAt = row
      yield
    }
  }
  const { encoding } = plan.body
  const pages = {
    type: field.type,
    digits,
    encoding,
    codec: plan.codec,
    dictionary,
    offset: offset + firstPageAt,
    ends,
    checksums,
  }
  return { pages, uncompressedBytes: chunk.uncompressedBytes, pageNulls, bounds: plan.bounds, pageBounds: plan.pages }
}

const values = new ByteWriter()
const stored = new ByteWriter()

class ChunkWriter {
  uncompressedBytes = 0
  readonly #field: ParquetField
  readonly #chosen: ChosenBody
  readonly #dense: DenseRows
  readonly #out: ByteWriter

  constructor(field: ParquetField, chosen: ChosenBody, dense: DenseRows, out: ByteWriter) {
    this.#field = field
    this.#chosen = chosen
    this.#dense = dense
    this.#out = out
  }

  *writeDictionary(fileOffset: number): Generator<void, DictionaryPlace | null> {
    const { body, codec } = this.#chosen
    if (body.dictionary === null) return null
    // Another chunk may be encoded between two slices and overwrite the shared buffers, so this one has its own.
    const plain = new ByteWriter()
    body.dictionary.write(plain)
    const block = codec === 'LZ4_RAW' ? new ByteWriter() : plain
    // Unlike a data page, a dictionary cannot opt out of compression: the chunk's codec applies.
    if (codec === 'LZ4_RAW') yield* compressSteps(plain, block)
    const out = this.#out
    const start = out.length
    writeDictionaryPageHeader(body.dictionary.entries, plain.length, block.written(), out)
    this.uncompressedBytes += out.length - start + plain.length
    out.append(block.written())
    const checksum = crc32(out.bytes.subarray(start, out.length))
    return { offset: fileOffset + start, bytes: out.length - start, checksum }
  }

  /** Writes the page with the rows from `rowStart` up to `rowEnd`, and returns the number of nulls among them. */
  writePage(page: number, rowStart: number, rowEnd: number): number {
    const { body, codec } = this.#chosen
    const { defined, ends } = this.#dense
    const start = page === 0 ? 0 : ends[page - 1]
    stored.length = 0
    if (this.#field.nullable) writeLevels(defined, rowStart, rowEnd)
    const levelBytes = stored.length
    values.length = 0
    body.writeValues(start, ends[page], values)
    if (codec === 'LZ4_RAW') compress(values, 0, values.length, stored)
    const isCompressed = codec === 'LZ4_RAW' && stored.length - levelBytes < values.length
    if (!isCompressed) {
      stored.length = levelBytes
      stored.append(values.written())
    }
    const rows = rowEnd - rowStart
    const nulls = rows - (ends[page] - start)
    const header = { rows, nulls, levelBytes, valueBytes: values.length, isCompressed }
    const headerAt = this.#out.length
    writeDataPageHeader(header, body.encoding, stored.written(), this.#out)
    this.uncompressedBytes += this.#out.length - headerAt + levelBytes + values.length
    this.#out.append(stored.written())
    return nulls
  }
}

function writeLevels(defined: Int32Array | null, rowStart: number, rowEnd: number): void {
  if (defined !== null) {
    writeRuns(defined, rowStart, rowEnd, 1, stored)
  } else if (rowEnd > rowStart) {
    stored.varint((rowEnd - rowStart) * 2)
    stored.byte(1)
  }
}
