// Parquet's page index: the locations and the bounds of a chunk's pages.

import type { ByteWriter } from './byte-writer.ts'
import { type ColumnPages, pagePlace, storedType } from './column-pages.ts'
import type { EncodedColumn } from './encode-column.ts'
import { boundaryOrder, boundBytes } from './page-bounds.ts'
import { ThriftWriter, thriftTypes } from './thrift.ts'

const listIds = { nullPages: 1, least: 2, greatest: 3, order: 4, nullCounts: 5 } as const

export function encodeOffsetIndex(column: ColumnPages, pageEnds: Int32Array): ByteWriter['bytes'] {
  const thrift = new ThriftWriter()
  thrift.struct(null, () => {
    thrift.list(1, thriftTypes.struct, pageEnds.length, (page) => {
      const place = pagePlace(column, page)
      thrift.struct(null, () => {
        thrift.int64(1, place.offset)
        thrift.int32(2, place.bytes)
        thrift.int64(3, page === 0 ? 0 : pageEnds[page - 1])
      })
    })
  })
  return thrift.out.written().slice()
}

/** Null for a column without page bounds. */
export function encodeColumnIndex({ pages, pageBounds, pageNulls }: EncodedColumn): ByteWriter['bytes'] | null {
  if (pageBounds === null) return null
  const { least, greatest } = pageBounds
  const type = storedType(pages)
  const isNull = (page: number) => Number.isNaN(least[page])
  const bound = (value: number, zero: number) =>
    Number.isNaN(value) ? new Uint8Array(0) : boundBytes(type, value, zero)
  const thrift = new ThriftWriter()
  thrift.struct(null, () => {
    thrift.list(listIds.nullPages, thriftTypes.true, least.length, (page) =>
      thrift.out.byte(isNull(page) ? thriftTypes.true : thriftTypes.false),
    )
    thrift.list(listIds.least, thriftTypes.binary, least.length, (page) => thrift.binaryElement(bound(least[page], -0)))
    thrift.list(listIds.greatest, thriftTypes.binary, least.length, (page) =>
      thrift.binaryElement(bound(greatest[page], 0)),
    )
    thrift.int32(listIds.order, boundaryOrder(pageBounds))
    thrift.list(listIds.nullCounts, thriftTypes.int64, least.length, (page) => thrift.out.zigzag(pageNulls[page]))
  })
  return thrift.out.written().slice()
}
