// The index file, format version 1; docs/formats/series-index.md describes each field.
import type { ColumnType } from '../../../model/column.ts'

export const indexMagic = Buffer.from('TIDEINDX')
export const indexVersion = 1
export const headerBytes = 96
export const sectionEntryBytes = 32
/** The checksum of header and table, then zeros. */
export const headerEndBytes = 8
export const chunkRecordBytes = 32
const mixedDay = -(2 ** 31)

export const sectionKinds = {
  columns: 1,
  series: 2,
  pages: 3,
  chunks: 4,
  places: 5,
  hours: 6,
  sums: 7,
  bounds: 8,
  tails: 9,
  columnTails: 10,
  pooledHours: 11,
  pooledSums: 12,
  commonValues: 13,
  items: 14,
  boundDates: 15,
  falls: 16,
  squares: 17,
} as const
export type SectionKind = keyof typeof sectionKinds

export const typeIds: Readonly<Record<ColumnType, number>> = { timestamp: 1, string: 2, double: 3, long: 4, boolean: 5 }

/** The type id of doubles stored as decimals is this plus their digits after the decimal point. */
export const decimalTypeId = 16

export const roleIds = { time: 1, tag: 2, value: 3, position: 4 } as const
export type ColumnRole = keyof typeof roleIds

/** A column of the Parquet file; the role `value` is a dimension or a metric. */
export interface FileColumn {
  readonly name: string
  readonly type: ColumnType
  readonly role: ColumnRole
  /** As in `ParquetField`. */
  readonly digits: number | null
}

/** The name in the Parquet schema. Names of decimals include the digits, so that no reader joins columns of different digits and rounds them. */
export function storedName({ name, digits }: Pick<FileColumn, 'name' | 'digits'>): string {
  return digits === null ? name : `${name}@decimal${digits}`
}

export const timeName = '__time'
export const positionName = '@position'

export interface Section {
  readonly kind: SectionKind
  /** The column's place in the Parquet schema; 0 for kinds without a column. */
  readonly column: number
  readonly bytes: Uint8Array
}

/** The fields of the header. */
export interface IndexSummary {
  readonly entityId: number
  readonly day: number | null
  readonly rows: number
  readonly series: number
  readonly pages: number
  readonly rowGroups: number
  readonly columns: number
  readonly footerChecksum: number
  readonly footerOffset: number
  readonly parquetBytes: number
  readonly firstMs: number
  readonly lastMs: number
  readonly firstPosition: number
  readonly lastPosition: number
}

export function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

/** The parts of the index file, in order. */
export function encodeIndex(
  summary: IndexSummary,
  sections: readonly Section[],
  checksum: (bytes: Uint8Array) => number,
): Uint8Array[] {
  const tableEnd = headerBytes + sections.length * sectionEntryBytes
  const head = Buffer.alloc(tableEnd + headerEndBytes)
  writeHeader(head, summary, sections.length)
  const parts: Uint8Array[] = [head]
  let offset = head.length
  for (const [index, { kind, column, bytes }] of sections.entries()) {
    const entry = headerBytes + index * sectionEntryBytes
    head.writeUInt32LE(sectionKinds[kind], entry)
    head.writeUInt32LE(column, entry + 4)
    head.writeUInt32LE(checksum(bytes), entry + 8)
    head.writeDoubleLE(offset, entry + 16)
    head.writeDoubleLE(bytes.length, entry + 24)
    const padding = padded(bytes.length) - bytes.length
    parts.push(bytes)
    if (padding > 0) parts.push(new Uint8Array(padding))
    offset += bytes.length + padding
  }
  head.writeUInt32LE(checksum(head.subarray(0, tableEnd)), tableEnd)
  return parts
}

function writeHeader(head: Buffer, summary: IndexSummary, sections: number): void {
  indexMagic.copy(head)
  head.writeUInt32LE(indexVersion, 8)
  head.writeUInt32LE(sections, 12)
  head.writeUInt32LE(summary.entityId, 16)
  head.writeInt32LE(summary.day ?? mixedDay, 20)
  head.writeUInt32LE(summary.rows, 24)
  head.writeUInt32LE(summary.series, 28)
  head.writeUInt32LE(summary.pages, 32)
  head.writeUInt32LE(summary.rowGroups, 36)
  head.writeUInt32LE(summary.columns, 40)
  head.writeUInt32LE(summary.footerChecksum, 44)
  head.writeDoubleLE(summary.footerOffset, 48)
  head.writeDoubleLE(summary.parquetBytes, 56)
  head.writeDoubleLE(summary.firstMs, 64)
  head.writeDoubleLE(summary.lastMs, 72)
  head.writeDoubleLE(summary.firstPosition, 80)
  head.writeDoubleLE(summary.lastPosition, 88)
}

export function readSummary(head: DataView): IndexSummary {
  const day = head.getInt32(20, true)
  return {
    entityId: head.getUint32(16, true),
    day: day === mixedDay ? null : day,
    rows: head.getUint32(24, true),
    series: head.getUint32(28, true),
    pages: head.getUint32(32, true),
    rowGroups: head.getUint32(36, true),
    columns: head.getUint32(40, true),
    footerChecksum: head.getUint32(44, true),
    footerOffset: head.getFloat64(48, true),
    parquetBytes: head.getFloat64(56, true),
    firstMs: head.getFloat64(64, true),
    lastMs: head.getFloat64(72, true),
    firstPosition: head.getFloat64(80, true),
    lastPosition: head.getFloat64(88, true),
  }
}
