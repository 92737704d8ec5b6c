// The file footer. Field ids and enumeration values come from the Thrift definitions of the Parquet format.
import type { ColumnType } from '../../../model/column.ts'
import { type Codec, codecIds, type Encoding, encodingIds, type ParquetField, storedType } from './column-pages.ts'
import type { ChunkBounds } from './page-bounds.ts'
import { ThriftWriter, thriftTypes } from './thrift.ts'

/** In the form "<application> version <version>", which readers parse. */
const createdBy = 'tidemark version 1'
const formatVersion = 2
const required = 0
const optional = 1

const physicalTypes: Readonly<Record<ColumnType, number>> = { boolean: 0, long: 2, timestamp: 2, double: 5, string: 6 }

/** The number of digits that 64 bits can always hold. */
const decimalPrecision = 18

export interface IndexPlace {
  readonly offset: number
  readonly bytes: number
}

export interface FooterColumn {
  readonly encoding: Encoding
  readonly codec: Codec
  readonly dictionaryOffset: number | null
  readonly dataOffset: number
  readonly storedBytes: number
  readonly uncompressedBytes: number
  readonly nulls: number
  readonly bounds: ChunkBounds | null
  readonly offsetIndex: IndexPlace
  readonly columnIndex: IndexPlace | null
}

export interface FooterRowGroup {
  readonly rows: number
  readonly columns: readonly FooterColumn[]
}

export interface Footer {
  readonly schema: readonly ParquetField[]
  readonly rowGroups: readonly FooterRowGroup[]
  readonly metadata: Readonly<Record<string, string>>
}

export function encodeFooter({ schema, rowGroups, metadata }: Footer): Uint8Array {
  const thrift = new ThriftWriter()
  const pairs = Object.entries(metadata)
  thrift.struct(null, () => {
    thrift.int32(1, formatVersion)
    thrift.list(2, thriftTypes.struct, schema.length + 1, (index) =>
      thrift.struct(null, () => {
        const field = schema[index - 1]
        if (field !== undefined) return writeField(thrift, field)
        thrift.binary(4, 'schema')
        thrift.int32(5, schema.length)
      }),
    )
    thrift.int64(
      3,
      sum(rowGroups, ({ rows }) => rows),
    )
    thrift.list(4, thriftTypes.struct, rowGroups.length, (index) =>
      writeRowGroup(thrift, schema, rowGroups[index], index),
    )
    thrift.list(5, thriftTypes.struct, pairs.length, (index) =>
      thrift.struct(null, () => {
        const [key, value] = pairs[index]
        thrift.binary(1, key)
        thrift.binary(2, value)
      }),
    )
    thrift.binary(6, createdBy)
    // Readers use bounds only when their order is declared: here the order of each column's type.
    thrift.list(7, thriftTypes.struct, schema.length, () => thrift.struct(null, () => thrift.struct(1, () => {})))
  })
  return thrift.out.written()
}

function writeField(thrift: ThriftWriter, field: ParquetField): void {
  const { name, type, nullable, digits = null } = field
  thrift.int32(1, physicalTypes[storedType(field)])
  thrift.int32(3, nullable ? optional : required)
  thrift.binary(4, name)
  if (type === 'string') {
    thrift.int32(6, 0)
    thrift.struct(10, () => thrift.struct(1, () => {}))
  } else if (type === 'timestamp') {
    thrift.int32(6, 9)
    thrift.struct(10, () => thrift.struct(8, () => writeUtcMilliseconds(thrift)))
  } else if (type === 'long') {
    thrift.int32(6, 18)
    thrift.struct(10, () => thrift.struct(10, () => writeSigned64(thrift)))
  } else if (digits !== null) {
    thrift.int32(6, 5)
    thrift.int32(7, digits)
    thrift.int32(8, decimalPrecision)
    thrift.struct(10, () => thrift.struct(5, () => writeDecimal(thrift, digits)))
  }
}

function writeUtcMilliseconds(thrift: ThriftWriter): void {
  thrift.boolean(1, true)
  thrift.struct(2, () => thrift.struct(1, () => {}))
}

function writeDecimal(thrift: ThriftWriter, digits: number): void {
  thrift.int32(1, digits)
  thrift.int32(2, decimalPrecision)
}

function writeSigned64(thrift: ThriftWriter): void {
  thrift.int8(1, 64)
  thrift.boolean(2, true)
}

function writeRowGroup(
  thrift: ThriftWriter,
  schema: readonly ParquetField[],
  { rows, columns }: FooterRowGroup,
  ordinal: number,
): void {
  const [first] = columns
  thrift.struct(null, () => {
    thrift.list(1, thriftTypes.struct, columns.length, (index) =>
      thrift.struct(null, () => writeChunk(thrift, schema[index], columns[index], rows)),
    )
    thrift.int64(
      2,
      sum(columns, ({ uncompressedBytes }) => uncompressedBytes),
    )
    thrift.int64(3, rows)
    if (first !== undefined) thrift.int64(5, first.dictionaryOffset ?? first.dataOffset)
    thrift.int64(
      6,
      sum(columns, ({ storedBytes }) => storedBytes),
    )
    // The format has two bytes for the ordinal.
    if (ordinal < 0x8000) thrift.int16(7, ordinal)
  })
}

function writeChunk(thrift: ThriftWriter, field: ParquetField, column: FooterColumn, rows: number): void {
  thrift.int64(2, 0)
  thrift.struct(3, () => writeChunkMetadata(thrift, field, column, rows))
  thrift.int64(4, column.offsetIndex.offset)
  thrift.int32(5, column.offsetIndex.bytes)
  if (column.columnIndex === null) return
  thrift.int64(6, column.columnIndex.offset)
  thrift.int32(7, column.columnIndex.bytes)
}

function writeChunkMetadata(thrift: ThriftWriter, field: ParquetField, column: FooterColumn, rows: number): void {
  const encodings = encodingsOf(field, column)
  thrift.int32(1, physicalTypes[storedType(field)])
  thrift.list(2, thriftTypes.int32, encodings.length, (index) => thrift.out.zigzag(encodings[index]))
  thrift.list(3, thriftTypes.binary, 1, () => thrift.binaryElement(field.name))
  thrift.int32(4, codecIds[column.codec])
  thrift.int64(5, rows)
  thrift.int64(6, column.uncompressedBytes)
  thrift.int64(7, column.storedBytes)
  thrift.int64(9, column.dataOffset)
  if (column.dictionaryOffset !== null) thrift.int64(11, column.dictionaryOffset)
  thrift.struct(12, () => {
    thrift.int64(3, column.nulls)
    if (column.bounds === null) return
    thrift.binary(5, column.bounds.greatest)
    thrift.binary(6, column.bounds.least)
  })
}

function encodingsOf({ nullable }: ParquetField, { encoding }: FooterColumn): number[] {
  const used = new Set<number>([encodingIds[encoding]])
  if (encoding === 'RLE_DICTIONARY') used.add(encodingIds.PLAIN)
  if (nullable) used.add(encodingIds.RLE)
  return [...used]
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0)
}
