// The locations of a file's pages. The caller stores them next to the file, so that a page is read without the footer or a scan.
import type { ColumnType } from '../../../model/column.ts'

export interface ParquetField {
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  /** Digits after the decimal point of doubles that are stored as decimals; null or absent for other columns. */
  readonly digits?: number | null
}

/** Encodings of a column's pages, under Parquet's own names and numbers. */
export const encodingIds = {
  PLAIN: 0,
  RLE: 3,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  RLE_DICTIONARY: 8,
  BYTE_STREAM_SPLIT: 9,
} as const
export type Encoding = keyof typeof encodingIds

export const codecIds = { UNCOMPRESSED: 0, LZ4_RAW: 7 } as const
export type Codec = keyof typeof codecIds

/** The type of the values stored in a column's pages, dictionaries and bounds. */
export function storedType({ type, digits = null }: Pick<ParquetField, 'type' | 'digits'>): ColumnType {
  return digits === null ? type : 'long'
}

/** A byte range in the file, with the CRC-32 of its bytes. */
export interface DictionaryPlace {
  readonly offset: number
  readonly bytes: number
  readonly checksum: number
}

/** The pages of one column in one row group, which are contiguous. Plain data of eight bytes per page. */
export interface ColumnPages {
  readonly type: ColumnType
  readonly digits: number | null
  readonly encoding: Encoding
  readonly codec: Codec
  readonly dictionary: DictionaryPlace | null
  /** The offset of the first page in the file. */
  readonly offset: number
  /** The end of each page, relative to `offset`. */
  readonly ends: Uint32Array
  /** The CRC-32 of each page, header included. */
  readonly checksums: Uint32Array
}

export interface RowGroupPages {
  readonly rows: number
  /** The row after the last of each page, the same for all columns; counted from the row group's first row. */
  readonly pageEnds: Int32Array
  /** In the order of the schema. */
  readonly columns: readonly ColumnPages[]
}

/** The location of one page in the file. */
export function pagePlace(column: ColumnPages, page: number): { readonly offset: number; readonly bytes: number } {
  const start = page === 0 ? 0 : column.ends[page - 1]
  return { offset: column.offset + start, bytes: column.ends[page] - start }
}
