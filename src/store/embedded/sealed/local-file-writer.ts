import { crc32 } from 'node:zlib'
import type { Disk, DiskFile } from '../../../lib/disk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { SpareBuffers } from '../../../lib/spare-buffers.ts'
import type { ColumnVector } from '../../../model/column.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { ParquetField } from '../parquet/column-pages.ts'
import { digitsOf } from '../parquet/decimals.ts'
import { ParquetWriter } from '../parquet/parquet-writer.ts'
import { runSlices, sliceRows } from '../parquet/slices.ts'
import {
  OtherDigitsError,
  type SealedFile,
  type SealedFileInfo,
  type SealedFileWriter,
  type SealedTarget,
} from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import type { TagIndex } from '../registry/series-index.ts'
import { type FilePaths, temporary } from './file-paths.ts'
import { IndexBuilder, type IndexOptions } from './index-builder.ts'
import { type FileColumn, positionName, storedName, timeName } from './index-layout.ts'
import { PageCuts, type PageSizes } from './page-cuts.ts'
import { RowBuffer } from './row-buffer.ts'

export interface WriterOptions extends PageSizes, IndexOptions {
  /** A row group ends at the first page end after `groupRows` rows or `groupBytes` bytes of values. */
  readonly groupRows: number
  readonly groupBytes: number
  /** A page ends early when its strings reach this number of characters. */
  readonly pageCharacters: number
}

/** About this many pages are held in addition to those of the complete row group. */
const pagesBehind = 4

/** The most rows with strings that are added at once, because strings may be long. */
const textRowsAtOnce = 256

export interface WriterParts {
  readonly disk: Disk
  readonly paths: FilePaths
  readonly name: string
  readonly target: SealedTarget
  readonly registry: EntityRegistry
  readonly pacer: Pacer
  readonly spares: SpareBuffers
  readonly options: WriterOptions
  readonly open: (info: SealedFileInfo) => SealedFile
}

/** Writes one sealed file. Keeps the rows of one row group and the index in memory. */
export class LocalFileWriter implements SealedFileWriter {
  readonly #parts: WriterParts
  readonly #file: DiskFile
  readonly #tags: readonly TagIndex[]
  /** In both of them, the digits of a double column are set when it has its first value. */
  readonly #columns: FileColumn[]
  readonly #schema: ParquetField[]
  readonly #hasDigits: boolean[]
  readonly #parquet: ParquetWriter
  readonly #rows: RowBuffer
  readonly #cuts: PageCuts
  readonly #index: IndexBuilder
  readonly #groupRows: number
  readonly #hasText: boolean
  /** Characters of the current page, which begins at `#pageStart`. */
  #pageCharacters = 0
  #pageStart = 0
  #isClosed = false
  #offset = 0
  #footerChecksum: number | null = null
  #info: SealedFileInfo | null = null
  #lastSeries = -1

  /** Creates the file, with the columns that the entity has now. */
  static async create(parts: WriterParts): Promise<LocalFileWriter> {
    return new LocalFileWriter(parts, await parts.disk.open(temporary(parts.paths.parquet), { create: true }))
  }

  private constructor(parts: WriterParts, file: DiskFile) {
    const { registry, options, spares } = parts
    this.#parts = parts
    this.#file = file
    this.#tags = [...registry.series.tags]
    const known = [...registry.columns.all]
    this.#columns = [
      { name: timeName, type: 'timestamp', role: 'time', digits: null },
      ...this.#tags.map(({ name }) => ({ name, type: 'string', role: 'tag', digits: null }) as const),
      ...known.map(({ name, type }) => ({ name, type, role: 'value', digits: null }) as const),
      { name: positionName, type: 'long', role: 'position', digits: null },
    ]
    this.#schema = this.#columns.map(({ name, type, role }): ParquetField => {
      return { name, type, nullable: role === 'tag' || role === 'value', digits: null }
    })
    this.#hasDigits = this.#columns.map(
      ({ name, type }) => type !== 'double' || parts.target.digits?.get(name) === null,
    )
    this.#parquet = new ParquetWriter(this.#schema, (bytes) => this.#write(bytes), { pause: this.#pause, spares })
    this.#groupRows = Math.min(options.groupRows, Math.ceil(options.groupBytes / (8 * this.#columns.length)))
    this.#rows = new RowBuffer(known, this.#tags.length, this.#groupRows + pagesBehind * options.pageRows, spares)
    this.#cuts = new PageCuts(options)
    this.#index = new IndexBuilder(this.#columns, known, options)
    this.#hasText = known.some(({ type }) => type === 'string')
  }

  async addSeries(series: number, slices: Iterable<RowSlice>): Promise<void> {
    const { registry, pacer } = this.#parts
    if (this.#lastSeries !== -1 && registry.series.compare(this.#lastSeries, series) >= 0)
      throw new Error('series come in the order of the values of their tags')
    this.#lastSeries = series
    const tagCodes = this.#tags.map(({ codes }) => codes.values[series])
    this.#cuts.beginSeries(this.#rows.rows)
    let lastMs = Number.NaN
    for (const slice of slices) {
      const { chunk, start, end } = slice
      if (Number.isNaN(lastMs)) this.#index.beginSeries(series, chunk.times[start])
      else if (chunk.times[start] < lastMs) throw new Error('rows of a series come in the order of their times')
      lastMs = chunk.times[end - 1]
      await this.#addRows(slice, tagCodes)
      if (pacer.spend((end - start) * this.#columns.length)) await pacer.rest()
    }
    if (Number.isNaN(lastMs)) throw new Error('a series that is added has rows')
    this.#index.endSeries(this.#rows.chunk, this.#rows.rows - 1)
    this.#cuts.endSeries(this.#rows.rows)
    if (this.#isFull) await this.#flush()
  }

  async finish(): Promise<SealedFileInfo> {
    const { target, name, disk, paths, pacer } = this.#parts
    const { entityId, day, kind } = target
    this.#cuts.finish(this.#rows.rows)
    if (this.#cuts.rows > 0) await this.#flush()
    this.#rows.release()
    if (this.#index.rows === 0) throw new Error('a sealed file has rows')
    const footerOffset = this.#offset
    this.#footerChecksum = 0
    const bytes = await this.#parquet.finish({ tidemark_entity: String(entityId) })
    await this.#file.sync()
    await this.#close()
    const footerChecksum = this.#footerChecksum
    const summary = { entityId, day, footerOffset, footerChecksum, parquetBytes: bytes }
    const parts = await this.#index.encode(summary, pacer)
    const indexBytes = await writeParts(disk, temporary(paths.index), parts)
    const { rows, bounds } = this.#index
    this.#info = { entityId, kind, day, name, rows, ...bounds, bytes, indexBytes }
    return this.#info
  }

  async publish(): Promise<SealedFile> {
    if (this.#info === null) throw new Error('a file is finished before it is published')
    const { disk, paths, open } = this.#parts
    await disk.rename(temporary(paths.index), paths.index)
    await disk.rename(temporary(paths.parquet), paths.parquet)
    return open(this.#info)
  }

  async abandon(): Promise<void> {
    const { disk, paths } = this.#parts
    await this.#close()
    const own = [paths.parquet, paths.index].flatMap((path) => [temporary(path), path])
    const removed = await Promise.allSettled(own.map((path) => disk.remove(path)))
    for (const result of removed) if (result.status === 'rejected' && !isMissing(result.reason)) throw result.reason
  }

  /** Adds rows in portions, so that not many more than a row group are held. */
  async #addRows({ chunk, start, end }: RowSlice, tagCodes: readonly number[]): Promise<void> {
    const { options, pacer } = this.#parts
    const { pageRows } = options
    const rowsAtOnce = this.#hasText ? Math.min(pageRows, textRowsAtOnce) : pageRows
    for (let from = start; from < end; from += rowsAtOnce) {
      const to = Math.min(end, from + rowsAtOnce)
      for (const _ of this.#rows.reserve(to - from)) if (pacer.spend(sliceRows)) await pacer.rest()
      this.#rows.append({ chunk, start: from, end: to }, tagCodes)
      this.#index.add(chunk, from, to)
      this.#growPage(to - from)
      // The newest row must still be in the buffer when the series ends.
      if (this.#isFull && this.#cuts.rows < this.#rows.rows) await this.#flush()
    }
  }

  #growPage(added: number): void {
    const { rows } = this.#rows
    this.#cuts.grow(rows)
    if (!this.#hasText) return
    if (this.#cuts.rows !== this.#pageStart) this.#pageCharacters = 0
    this.#pageCharacters += this.#rows.charactersFrom(rows - added)
    if (this.#pageCharacters >= this.#parts.options.pageCharacters) this.#cuts.cut(rows)
    this.#pageStart = this.#cuts.rows
  }

  /** Whether the complete pages fill a row group. */
  get #isFull(): boolean {
    const { rows } = this.#cuts
    return rows >= this.#groupRows || (rows > 0 && this.#rows.textBytes >= this.#parts.options.groupBytes)
  }

  /** Writes the complete pages as a row group. */
  async #flush(): Promise<void> {
    const { rows } = this.#cuts
    const { chunk } = this.#rows
    const times = chunk.times.subarray(0, rows)
    const columns: ColumnVector[] = [
      { type: 'timestamp', values: times },
      ...this.#tags.map(({ dictionary }, tag): ColumnVector => {
        return { type: 'string', codes: this.#rows.tagCodes(tag, rows), dictionary: dictionary.strings }
      }),
      ...this.#rows.columns(rows),
      { type: 'long', values: chunk.positions.subarray(0, rows), exact: null },
    ]
    const isEmpty = [false, ...this.#tags.map(() => false), ...this.#rows.areEmpty, false]
    const others = new Map<string, number | null>()
    for (const [place, column] of columns.entries()) {
      if (column.type !== 'double' || isEmpty[place]) continue
      const digits = await this.#findDigits(place, column.values)
      if (digits !== undefined) others.set(this.#columns[place].name, digits)
    }
    if (others.size > 0) throw new OtherDigitsError(others)
    const pages = await this.#parquet.writeRowGroup(columns, this.#cuts.takeEnds())
    this.#index.addRowGroup(pages, times, isEmpty)
    this.#rows.drop(rows)
  }

  /** The first values determine the digits of a column. Returns the digits that later values need if these differ, otherwise undefined. */
  async #findDigits(place: number, values: Float64Array): Promise<number | null | undefined> {
    const { name, digits: known } = this.#columns[place]
    if (this.#hasDigits[place] && known === null) return undefined
    if (!values.some((value) => !Number.isNaN(value))) return undefined
    const least = known ?? this.#parts.target.digits?.get(name) ?? 0
    const digits = await runSlices(digitsOf(values, least), this.#pause)
    if (this.#hasDigits[place]) return digits === known ? undefined : digits
    this.#hasDigits[place] = true
    this.#columns[place] = { ...this.#columns[place], digits }
    this.#schema[place] = { ...this.#schema[place], name: storedName({ name, digits }), digits }
    return undefined
  }

  readonly #pause = async (): Promise<void> => {
    const { pacer } = this.#parts
    if (pacer.spend(sliceRows)) await pacer.rest()
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#footerChecksum !== null) this.#footerChecksum = crc32(bytes, this.#footerChecksum)
    await this.#file.write([bytes], this.#offset)
    this.#offset += bytes.length
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#file.close()
  }
}

/** Writes a new file, which is on disk when this resolves, and returns its length. */
async function writeParts(disk: Disk, path: string, parts: readonly Uint8Array[]): Promise<number> {
  const file = await disk.open(path, { create: true })
  try {
    await file.write(parts, 0)
    await file.sync()
    return parts.reduce((sum, { length }) => sum + length, 0)
  } finally {
    await file.close()
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
