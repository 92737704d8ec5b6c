// Writes rows to a Parquet file, as docs/formats/parquet.md describes it.
import { BorrowedArrays, SpareBuffers } from '../../../lib/spare-buffers.ts'
import { type ColumnVector, columnLength } from '../../../model/column.ts'
import { ByteWriter } from './byte-writer.ts'
import type { ColumnPages, ParquetField, RowGroupPages } from './column-pages.ts'
import { type EncodedColumn, encodeColumn } from './encode-column.ts'
import { encodeFooter, type FooterColumn, type FooterRowGroup, type IndexPlace } from './footer.ts'
import { encodeColumnIndex, encodeOffsetIndex } from './page-index.ts'
import type { EncodingOptions } from './plan-column.ts'
import { runSlices } from './slices.ts'

/** Accepts the next bytes of the file. Their memory is reused after it has returned, or after its promise has settled. */
export type ByteSink = (bytes: Uint8Array) => void | Promise<void>

export interface ParquetWriterOptions extends Partial<EncodingOptions> {
  /** Awaited every few milliseconds of work, so that other work can run in between. */
  readonly pause?: () => Promise<void>
  /** The source of the writer's working memory. */
  readonly spares?: SpareBuffers
}

const noSpares = new SpareBuffers({ bytesMin: 0, bytesMax: 0, idleMs: 0 })

const defaults: EncodingOptions = { compress: true, dictionaryEntriesMax: 1 << 16, dictionaryBytesMax: 1 << 20 }
const magic = Buffer.from('PAR1')

/** The locations of pages within a chunk are 32-bit numbers. */
const chunkBytesMax = 0xffff_ffff

interface WrittenColumn {
  readonly column: Omit<FooterColumn, 'offsetIndex' | 'columnIndex'>
  readonly offsetIndex: Uint8Array
  readonly columnIndex: Uint8Array | null
}

interface WrittenRowGroup {
  readonly rows: number
  readonly columns: readonly WrittenColumn[]
}

/**
 * Writes one Parquet file, row group by row group. Keeps the bytes of one column chunk in memory, and some 40 bytes of index for each page
 * written. After an error, of the writer or of the sink, the file is unusable.
 */
export class ParquetWriter {
  readonly #schema: readonly ParquetField[]
  readonly #sink: ByteSink
  readonly #options: EncodingOptions
  readonly #pause: (() => Promise<void>) | undefined
  readonly #arrays: BorrowedArrays
  readonly #chunk = new ByteWriter()
  readonly #rowGroups: WrittenRowGroup[] = []
  #offset = 0

  constructor(schema: readonly ParquetField[], sink: ByteSink, options: ParquetWriterOptions = {}) {
    const { pause, spares = noSpares, ...encoding } = options
    this.#schema = schema
    this.#sink = sink
    this.#options = { ...defaults, ...encoding }
    this.#pause = pause
    this.#arrays = new BorrowedArrays(spares)
  }

  /**
   * Writes the rows of `columns`, one for each field of the schema, as one row group; up to about a million rows is a good size. `pageEnds`
   * rises to the number of rows: the row after the last of each page. The columns must not change until the promise settles.
   */
  async writeRowGroup(columns: readonly ColumnVector[], pageEnds: Int32Array): Promise<RowGroupPages> {
    const rows = this.#checkedRows(columns, pageEnds)
    if (this.#offset === 0) await this.#write(magic)
    const pages: ColumnPages[] = []
    const written: WrittenColumn[] = []
    for (const [index, field] of this.#schema.entries()) {
      const place = { offset: this.#offset, pageEnds }
      const slices = encodeColumn(field, columns[index], place, this.#options, this.#arrays, this.#chunk)
      const encoded = await runSlices(slices, this.#pause)
      this.#arrays.giveBack()
      if (this.#chunk.length > chunkBytesMax) throw new Error(`column ${field.name} of a row group is over 4 GiB`)
      pages.push(encoded.pages)
      written.push(writtenColumn(encoded, this.#chunk.length, pageEnds))
      await this.#write(this.#chunk.written())
    }
    this.#rowGroups.push({ rows, columns: written })
    return { rows, pageEnds, columns: pages }
  }

  /** Writes the indexes and the footer, and returns the size of the whole file in bytes. */
  async finish(metadata: Readonly<Record<string, string>> = {}): Promise<number> {
    if (this.#offset === 0) await this.#write(magic)
    const columnIndexes = await this.#writeIndexes((column) => column.columnIndex)
    const offsetIndexes = await this.#writeIndexes((column) => column.offsetIndex)
    const rowGroups = this.#rowGroups.map(({ rows, columns }): FooterRowGroup => {
      return { rows, columns: columns.map((written) => placed(written, columnIndexes, offsetIndexes)) }
    })
    const footer = encodeFooter({ schema: this.#schema, rowGroups, metadata })
    const end = new ByteWriter()
    end.append(footer)
    end.uint32(footer.length)
    end.append(magic)
    await this.#write(end.written())
    return this.#offset
  }

  #checkedRows(columns: readonly ColumnVector[], pageEnds: Int32Array): number {
    const rows = pageEnds.at(-1) ?? 0
    if (columns.length !== this.#schema.length) throw new Error('a row group has a column for each field')
    for (const [index, field] of this.#schema.entries()) {
      const column = columns[index]
      if (column.type !== field.type || columnLength(column) !== rows)
        throw new Error(`column ${field.name} is not of type ${field.type} and ${rows} rows`)
    }
    if (pageEnds.some((end, page) => end <= (page === 0 ? 0 : pageEnds[page - 1])))
      throw new Error('the ends of pages rise from page to page')
    return rows
  }

  async #writeIndexes(of: (column: WrittenColumn) => Uint8Array | null): Promise<Map<WrittenColumn, IndexPlace>> {
    const places = new Map<WrittenColumn, IndexPlace>()
    for (const column of this.#rowGroups.flatMap(({ columns }) => columns)) {
      const bytes = of(column)
      if (bytes === null) continue
      places.set(column, { offset: this.#offset, bytes: bytes.length })
      await this.#write(bytes)
    }
    return places
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#sink(bytes)
    this.#offset += bytes.length
  }
}

function writtenColumn(encoded: EncodedColumn, storedBytes: number, pageEnds: Int32Array): WrittenColumn {
  const { pages, bounds, uncompressedBytes } = encoded
  return {
    column: {
      encoding: pages.encoding,
      codec: pages.codec,
      dictionaryOffset: pages.dictionary?.offset ?? null,
      dataOffset: pages.offset,
      nulls: encoded.pageNulls.reduce((sum, nulls) => sum + nulls, 0),
      storedBytes,
      uncompressedBytes,
      bounds,
    },
    offsetIndex: encodeOffsetIndex(pages, pageEnds),
    columnIndex: encodeColumnIndex(encoded),
  }
}

function placed(
  written: WrittenColumn,
  columnIndexes: ReadonlyMap<WrittenColumn, IndexPlace>,
  offsetIndexes: ReadonlyMap<WrittenColumn, IndexPlace>,
): FooterColumn {
  const offsetIndex = offsetIndexes.get(written)
  if (offsetIndex === undefined) throw new Error('a column chunk has no offset index')
  return { ...written.column, offsetIndex, columnIndex: columnIndexes.get(written) ?? null }
}
