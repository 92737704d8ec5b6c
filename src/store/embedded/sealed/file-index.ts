// The part of a sealed file's index that is in memory.
import { type Codec, type ColumnPages, codecIds, type Encoding, encodingIds } from '../parquet/column-pages.ts'
import { type OpenBlocking, readWhole } from './blocking-file.ts'
import { readColumns } from './column-table.ts'
import { DamagedFileError } from './damaged-file.ts'
import {
  chunkRecordBytes,
  type FileColumn,
  headerBytes,
  headerEndBytes,
  type IndexSummary,
  readSummary,
  type SectionKind,
  sectionEntryBytes,
  sectionKinds,
} from './index-layout.ts'
import { reading, readSection, readStart, type SectionPlace } from './index-reading.ts'
import { Arrays } from './section-arrays.ts'

/** The locations of series and pages. docs/formats/series-index.md describes the arrays. */
export class FileIndex {
  readonly path: string
  readonly summary: IndexSummary
  readonly columns: readonly FileColumn[]
  readonly seriesFirstMs: Float64Array
  readonly seriesLastMs: Float64Array
  readonly numbers: Uint32Array
  readonly rowEnds: Uint32Array
  readonly pageFirstMs: Float64Array
  readonly pageLastMs: Float64Array
  readonly pageEnds: Uint32Array
  readonly groupEnds: Uint32Array
  /** Bytes of memory used. */
  readonly bytes: number
  /** The length of the file, and of its header including the table of sections. */
  readonly fileBytes: number
  readonly headBytes: number
  readonly sections: readonly SectionPlace[]
  readonly #byNumber: Uint32Array
  readonly #chunks: DataView
  readonly #ends: Uint32Array
  readonly #checksums: Uint32Array
  readonly #open: OpenBlocking

  /** Reads the index. Throws DamagedFileError when it is missing or not as it was written. */
  constructor(path: string, open: OpenBlocking) {
    this.path = path
    this.#open = open
    const { head, sections, core, fileBytes } = reading(path, open, (file) => readStart(path, file))
    this.summary = readSummary(head)
    this.sections = sections
    this.fileBytes = fileBytes
    this.headBytes = headerBytes + sections.length * sectionEntryBytes + headerEndBytes
    const { series, pages, rowGroups, columns } = this.summary
    const [columnBytes, seriesBytes, pageBytes, chunkBytes, placeBytes] = core
    this.columns = readColumns(columnBytes, columns) ?? this.fail('its columns are not as the format has them')
    const ofSeries = new Arrays(seriesBytes)
    this.seriesFirstMs = ofSeries.float64(series)
    this.seriesLastMs = ofSeries.float64(series)
    this.numbers = ofSeries.uint32(series)
    this.rowEnds = ofSeries.uint32(series)
    this.#byNumber = ofSeries.uint32(series)
    const ofPages = new Arrays(pageBytes)
    this.pageFirstMs = ofPages.float64(pages)
    this.pageLastMs = ofPages.float64(pages)
    this.pageEnds = ofPages.uint32(pages)
    this.groupEnds = ofPages.uint32(rowGroups)
    const ofPlaces = new Arrays(placeBytes)
    this.#ends = ofPlaces.uint32(columns * pages)
    this.#checksums = ofPlaces.uint32(columns * pages)
    this.#chunks = new DataView(chunkBytes)
    const unpacked = [ofSeries, ofPages, ofPlaces]
    this.bytes = chunkBytes.byteLength + unpacked.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
    const isWhole = unpacked.every(({ isAtEnd }) => isAtEnd)
    if (!isWhole || chunkBytes.byteLength !== rowGroups * columns * chunkRecordBytes)
      this.fail('its sections do not have the lengths that its header gives')
  }

  /** The place of a series in the file, -1 when the file has no row of it. */
  find(series: number): number {
    const { numbers } = this
    const byNumber = this.#byNumber
    let low = 0
    let high = byNumber.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (numbers[byNumber[middle]] < series) low = middle + 1
      else high = middle
    }
    if (low === byNumber.length) return -1
    const place = byNumber[low]
    return numbers[place] === series ? place : -1
  }

  /** The page of a row. */
  pageOf(row: number): number {
    return firstAbove(this.pageEnds, row)
  }

  /** The row group of a page. */
  groupOf(page: number): number {
    return firstAbove(this.groupEnds, page)
  }

  /** Whether all values of a column in a row group are null. */
  isEmpty(group: number, column: number): boolean {
    return this.#chunks.getUint8((group * this.summary.columns + column) * chunkRecordBytes + 26) === 1
  }

  columnPages(group: number, column: number): ColumnPages {
    const record = (group * this.summary.columns + column) * chunkRecordBytes
    const chunks = this.#chunks
    const dictionaryBytes = chunks.getUint32(record + 16, true)
    const start = column * this.summary.pages + (group === 0 ? 0 : this.groupEnds[group - 1])
    const end = column * this.summary.pages + this.groupEnds[group]
    return {
      type: this.columns[column].type,
      digits: this.columns[column].digits,
      encoding: encodings.get(chunks.getUint8(record + 24)) ?? this.fail('a column has an encoding that is not known'),
      codec: codecs.get(chunks.getUint8(record + 25)) ?? this.fail('a column has a codec that is not known'),
      dictionary:
        dictionaryBytes === 0
          ? null
          : {
              offset: chunks.getFloat64(record + 8, true),
              bytes: dictionaryBytes,
              checksum: chunks.getUint32(record + 20, true),
            },
      offset: chunks.getFloat64(record, true),
      ends: this.#ends.subarray(start, end),
      checksums: this.#checksums.subarray(start, end),
    }
  }

  /** Reads a section that is not in memory. Null when the file does not have it. */
  section(kind: SectionKind, column = 0): ArrayBuffer | null {
    const place = this.sections.find((one) => one.kind === sectionKinds[kind] && one.column === column)
    return place === undefined ? null : this.load(place)
  }

  /** Reads a section. Throws DamagedFileError when it is not as it was written. */
  load(section: SectionPlace): ArrayBuffer {
    return reading(this.path, this.#open, (file) => readSection(this.path, file, section))
  }

  bytesAt(offset: number, bytes: number): Uint8Array {
    const read = new Uint8Array(bytes)
    const isThere = reading(this.path, this.#open, (file) => readWhole(file, read, bytes, offset))
    return isThere ? read : this.fail('it is cut short')
  }

  fail(what: string): never {
    throw new DamagedFileError(this.path, what)
  }
}

const encodings = new Map<number, Encoding>()
for (const [name, id] of Object.entries(encodingIds)) if (isEncoding(name)) encodings.set(id, name)
const codecs = new Map<number, Codec>([
  [codecIds.UNCOMPRESSED, 'UNCOMPRESSED'],
  [codecIds.LZ4_RAW, 'LZ4_RAW'],
])

function isEncoding(name: string): name is Encoding {
  return Object.hasOwn(encodingIds, name)
}

function firstAbove(ends: Uint32Array, value: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ends[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}
