// Where the pages of a file lie. The caller keeps this beside the file: with it a page is read without the footer or a scan.
import type { ColumnType } from '../../../model/column.ts'

export interface ParquetField {
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  /** Of doubles that are stored as decimals: how many digits they have behind the point. */
  readonly digits?: number | null
}

/** How the values of a column's pages are written, under Parquet's own names and numbers. */
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

/** The type whose values a column's pages, dictionaries and bounds hold. */
export function storedType({ type, digits = null }: Pick<ParquetField, 'type' | 'digits'>): ColumnType {
  return digits === null ? type : 'long'
}

/** A run of bytes in the file, with the CRC-32 of all of them. */
export interface DictionaryPlace {
  readonly offset: number
  readonly bytes: number
  readonly checksum: number
}

/** The pages of one column in one row group: they lie one after another. Plain data of eight bytes a page. */
export interface ColumnPages {
  readonly type: ColumnType
  readonly digits: number | null
  readonly encoding: Encoding
  readonly codec: Codec
  readonly dictionary: DictionaryPlace | null
  /** Where the first page begins in the file. */
  readonly offset: number
  /** Where each page ends, counted from `offset`. */
  readonly ends: Uint32Array
  /** The CRC-32 of each page, its header included. */
  readonly checksums: Uint32Array
}

export interface RowGroupPages {
  readonly rows: number
  /** The row after the last of each page, the same for all columns; rows are counted from the row group's first. */
  readonly pageEnds: Int32Array
  /** In the order of the schema. */
  readonly columns: readonly ColumnPages[]
}

/** Where one page lies in the file. */
export function pagePlace(column: ColumnPages, page: number): { readonly offset: number; readonly bytes: number } {
  const start = page === 0 ? 0 : column.ends[page - 1]
  return { offset: column.offset + start, bytes: column.ends[page] - start }
}
