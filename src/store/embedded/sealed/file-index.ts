// The index of one sealed file, as far as it is in memory.
import { crc32 } from 'node:zlib'
import type { ColumnType } from '../../../model/column.ts'
import { type Codec, type ColumnPages, codecIds, type Encoding, encodingIds } from '../parquet/pages.ts'
import { type BlockingFile, type OpenBlocking, readWhole } from './blocking-file.ts'
import { DamagedFileError } from './damaged-file.ts'
import {
  type ColumnRole,
  chunkRecordBytes,
  type FileColumn,
  headerBytes,
  headerEndBytes,
  type IndexSummary,
  indexMagic,
  indexVersion,
  readSummary,
  roleIds,
  type SectionKind,
  sectionEntryBytes,
  sectionKinds,
  typeIds,
} from './index-layout.ts'

/** Read at first: all there is of most indexes, up to the sections that are read later. */
const firstReadBytes = 1 << 16

interface SectionPlace {
  readonly kind: number
  readonly column: number
  readonly checksum: number
  readonly offset: number
  readonly bytes: number
}

/** The sections that are read when the file is first used. */
const coreKinds = ['columns', 'series', 'pages', 'chunks', 'places'] as const

/** Where series and pages are. Arrays are as the format document has them. */
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
  /** Bytes of memory that it takes. */
  readonly bytes: number
  readonly sections: readonly SectionPlace[]
  readonly #byNumber: Uint32Array
  readonly #chunks: DataView
  readonly #ends: Uint32Array
  readonly #checksums: Uint32Array
  readonly #open: OpenBlocking

  /** Reads it. Throws DamagedFileError when it is not there or not as it was written. */
  constructor(path: string, open: OpenBlocking) {
    this.path = path
    this.#open = open
    const { head, sections, core } = reading(path, open, (file) => readCore(path, file))
    this.summary = readSummary(head)
    this.sections = sections
    this.bytes = core.reduce((sum, { byteLength }) => sum + byteLength, 0)
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
    const isWhole = ofSeries.isAtEnd && ofPages.isAtEnd && ofPlaces.isAtEnd
    if (!isWhole || chunkBytes.byteLength !== rowGroups * columns * chunkRecordBytes)
      this.fail('its sections do not have the lengths that its header tells')
  }

  /** The place of a series in the file, -1 when it has no row of it. */
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

  /** The page that holds a row. */
  pageOf(row: number): number {
    return firstAbove(this.pageEnds, row)
  }

  /** The row group that holds a page. */
  groupOf(page: number): number {
    return firstAbove(this.groupEnds, page)
  }

  /** Whether no row of a row group has a value in a column. */
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

  has(kind: SectionKind, column = 0): boolean {
    return this.#place(kind, column) !== undefined
  }

  /** Reads a section that is not in memory. Null when the file has none. */
  section(kind: SectionKind, column = 0): ArrayBuffer | null {
    const place = this.#place(kind, column)
    if (place === undefined) return null
    return reading(this.path, this.#open, (file) => readSection(this.path, file, place))
  }

  fail(what: string): never {
    throw new DamagedFileError(this.path, what)
  }

  #place(kind: SectionKind, column: number): SectionPlace | undefined {
    return this.sections.find((section) => section.kind === sectionKinds[kind] && section.column === column)
  }
}

const encodings = new Map<number, Encoding>()
for (const [name, id] of Object.entries(encodingIds)) if (isEncoding(name)) encodings.set(id, name)
const codecs = new Map<number, Codec>([
  [codecIds.UNCOMPRESSED, 'UNCOMPRESSED'],
  [codecIds.LZ4_RAW, 'LZ4_RAW'],
])

function isEncoding(name: string): name is Encoding {
  return name in encodingIds
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

function reading<T>(path: string, open: OpenBlocking, work: (file: BlockingFile) => T): T {
  let file: BlockingFile | null = null
  try {
    file = open(path)
    return work(file)
  } catch (error) {
    if (error instanceof DamagedFileError) throw error
    throw new DamagedFileError(path, 'it cannot be read', error)
  } finally {
    file?.close()
  }
}

interface Core {
  readonly head: DataView
  readonly sections: readonly SectionPlace[]
  readonly core: readonly ArrayBuffer[]
}

function readCore(path: string, file: BlockingFile): Core {
  const size = file.size()
  const first = new Uint8Array(Math.min(size, firstReadBytes))
  const damaged = (what: string): never => {
    throw new DamagedFileError(path, what)
  }
  if (!readWhole(file, first, first.length, 0) || size < headerBytes + headerEndBytes) damaged('it is cut short')
  let view = new DataView(first.buffer)
  if (indexMagic.compare(first, 0, indexMagic.length) !== 0) damaged('it does not begin as an index does')
  const version = view.getUint32(8, true)
  if (version !== indexVersion) damaged(`it is of version ${version}, which this release does not know`)
  const count = view.getUint32(12, true)
  const tableEnd = headerBytes + count * sectionEntryBytes
  if (tableEnd + headerEndBytes > size) damaged('its table of sections is damaged')
  let start = first
  if (tableEnd + headerEndBytes > first.length) {
    start = new Uint8Array(tableEnd + headerEndBytes)
    if (!readWhole(file, start, start.length, 0)) damaged('it is cut short')
    view = new DataView(start.buffer)
  }
  if (crc32(start.subarray(0, tableEnd)) !== view.getUint32(tableEnd, true)) damaged('its header is damaged')
  const sections = Array.from({ length: count }, (_, index) => readPlace(view, headerBytes + index * sectionEntryBytes))
  const core = coreKinds.map((kind) => {
    const place = sections.find((section) => section.kind === sectionKinds[kind])
    if (place === undefined) return damaged(`it has no section ${kind}`)
    return inside(path, start, place) ?? readSection(path, file, place)
  })
  return { head: view, sections, core }
}

function readPlace(view: DataView, at: number): SectionPlace {
  return {
    kind: view.getUint32(at, true),
    column: view.getUint32(at + 4, true),
    checksum: view.getUint32(at + 8, true),
    offset: view.getFloat64(at + 16, true),
    bytes: view.getFloat64(at + 24, true),
  }
}

/** A section that was read with the start of the file; copied, for the rest of what was read is not kept. */
function inside(path: string, start: Uint8Array<ArrayBuffer>, place: SectionPlace): ArrayBuffer | null {
  const { offset, bytes } = place
  if (offset + bytes > start.length) return null
  requireSound(path, start.subarray(offset, offset + bytes), place)
  return start.buffer.slice(offset, offset + bytes)
}

function readSection(path: string, file: BlockingFile, place: SectionPlace): ArrayBuffer {
  const bytes = new Uint8Array(place.bytes)
  if (!readWhole(file, bytes, bytes.length, place.offset)) throw new DamagedFileError(path, 'it is cut short')
  requireSound(path, bytes, place)
  return bytes.buffer
}

function requireSound(path: string, bytes: Uint8Array, { kind, column, checksum }: SectionPlace): void {
  if (crc32(bytes) === checksum) return
  const name = Object.entries(sectionKinds).find(([, id]) => id === kind)?.[0] ?? kind
  throw new DamagedFileError(path, `its section ${name} (column ${column}) is damaged`)
}

/** Takes arrays from a section, one behind the other. */
export class Arrays {
  readonly #bytes: ArrayBuffer
  #offset = 0

  constructor(bytes: ArrayBuffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.byteLength
  }

  /** Empty, and the end never reached, when the section is too short. */
  float64(length: number): Float64Array {
    const offset = this.#take(length * 8)
    return offset === null ? new Float64Array(0) : new Float64Array(this.#bytes, offset, length)
  }

  uint32(length: number): Uint32Array {
    const offset = this.#take(length * 4)
    return offset === null ? new Uint32Array(0) : new Uint32Array(this.#bytes, offset, length)
  }

  int32(length: number): Int32Array {
    const offset = this.#take(length * 4)
    return offset === null ? new Int32Array(0) : new Int32Array(this.#bytes, offset, length)
  }

  #take(bytes: number): number | null {
    const offset = this.#offset
    this.#offset += bytes
    return this.#offset <= this.#bytes.byteLength ? offset : null
  }
}

function readColumns(bytes: ArrayBuffer, count: number): FileColumn[] | null {
  const view = new DataView(bytes)
  const columns: FileColumn[] = []
  let at = 0
  while (at + 4 <= bytes.byteLength) {
    const type = columnType(view.getUint8(at))
    const role = columnRole(view.getUint8(at + 1))
    const end = at + 4 + view.getUint16(at + 2, true)
    if (type === null || role === null || end > bytes.byteLength) return null
    columns.push({ name: Buffer.from(bytes, at + 4, end - at - 4).toString('utf8'), type, role })
    at = end
  }
  return columns.length === count && at === bytes.byteLength ? columns : null
}

export function encodeColumns(columns: readonly FileColumn[]): Uint8Array {
  const parts = columns.map(({ name, type, role }) => {
    const text = Buffer.from(name)
    return Buffer.concat([Buffer.from([typeIds[type], roleIds[role], text.length & 0xff, text.length >>> 8]), text])
  })
  return Buffer.concat(parts)
}

function columnType(id: number): ColumnType | null {
  switch (id) {
    case typeIds.timestamp:
      return 'timestamp'
    case typeIds.string:
      return 'string'
    case typeIds.double:
      return 'double'
    case typeIds.long:
      return 'long'
    case typeIds.boolean:
      return 'boolean'
    default:
      return null
  }
}

function columnRole(id: number): ColumnRole | null {
  switch (id) {
    case roleIds.time:
      return 'time'
    case roleIds.tag:
      return 'tag'
    case roleIds.value:
      return 'value'
    case roleIds.position:
      return 'position'
    default:
      return null
  }
}
