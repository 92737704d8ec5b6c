import { crc32 } from 'node:zlib'
import type { ByteWriter } from './byte-writer.ts'
import { type Encoding, encodingIds } from './column-pages.ts'
import { readThriftStruct, type ThriftStruct, ThriftWriter } from './thrift.ts'

const dictionaryPage = 2
const dataPageV2 = 3

/** The fields of Parquet's PageHeader that are used here, with the ids of its Thrift definition. */
const ids = { type: 1, uncompressedBytes: 2, compressedBytes: 3, crc: 4, dictionary: 7, dataV2: 8 } as const

export interface DataPageHeader {
  readonly rows: number
  readonly nulls: number
  /** Bytes of the definition levels before the values; never compressed. */
  readonly levelBytes: number
  /** Bytes of the values without compression. */
  readonly valueBytes: number
  readonly isCompressed: boolean
}

/** Writes the header of a data page. `stored` is the body that follows it: the levels, then the values. */
export function writeDataPageHeader(
  header: DataPageHeader,
  encoding: Encoding,
  stored: Uint8Array,
  out: ByteWriter,
): void {
  const thrift = new ThriftWriter(out)
  thrift.struct(null, () => {
    writeSizes(thrift, dataPageV2, header.levelBytes + header.valueBytes, stored)
    thrift.struct(ids.dataV2, () => {
      thrift.int32(1, header.rows)
      thrift.int32(2, header.nulls)
      thrift.int32(3, header.rows)
      thrift.int32(4, encodingIds[encoding])
      thrift.int32(5, header.levelBytes)
      thrift.int32(6, 0)
      thrift.boolean(7, header.isCompressed)
    })
  })
}

export function writeDictionaryPageHeader(
  entries: number,
  valueBytes: number,
  stored: Uint8Array,
  out: ByteWriter,
): void {
  const thrift = new ThriftWriter(out)
  thrift.struct(null, () => {
    writeSizes(thrift, dictionaryPage, valueBytes, stored)
    thrift.struct(ids.dictionary, () => {
      thrift.int32(1, entries)
      thrift.int32(2, encodingIds.PLAIN)
    })
  })
}

function writeSizes(thrift: ThriftWriter, type: number, uncompressedBytes: number, stored: Uint8Array): void {
  thrift.int32(ids.type, type)
  thrift.int32(ids.uncompressedBytes, uncompressedBytes)
  thrift.int32(ids.compressedBytes, stored.length)
  thrift.int32(ids.crc, crc32(stored) | 0)
}

/** Reads a header written by `writeDataPageHeader`, and where it ends. The page's checksum must have been verified. */
export function readDataPageHeader(bytes: Uint8Array): { readonly header: DataPageHeader; readonly end: number } {
  const { fields, end } = readThriftStruct(bytes, 0)
  const data = structAt(fields, ids.dataV2)
  const levelBytes = numberAt(data, 5)
  const header = {
    rows: numberAt(data, 1),
    nulls: numberAt(data, 2),
    levelBytes,
    valueBytes: numberAt(fields, ids.uncompressedBytes) - levelBytes,
    isCompressed: numberAt(data, 7) === 1,
  }
  return { header, end }
}

export interface DictionaryPageHeader {
  readonly entries: number
  readonly valueBytes: number
}

export function readDictionaryPageHeader(bytes: Uint8Array): {
  readonly header: DictionaryPageHeader
  readonly end: number
} {
  const { fields, end } = readThriftStruct(bytes, 0)
  const entries = numberAt(structAt(fields, ids.dictionary), 1)
  return { header: { entries, valueBytes: numberAt(fields, ids.uncompressedBytes) }, end }
}

function numberAt(fields: ThriftStruct, id: number): number {
  const value = fields[id]
  if (typeof value !== 'number') throw new Error(`a page header lacks its field ${id}`)
  return value
}

function structAt(fields: ThriftStruct, id: number): ThriftStruct {
  const value = fields[id]
  if (typeof value !== 'object') throw new Error(`a page header lacks its field ${id}`)
  return value
}
