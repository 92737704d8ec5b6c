// Encodes and decodes the columns of a file in its index.
import type { ColumnType } from '../../../model/column.ts'
import { digitsMax } from '../parquet/decimals.ts'
import { type ColumnRole, decimalTypeId, type FileColumn, roleIds, typeIds } from './index-layout.ts'

/** Null when the bytes are not those of exactly `count` columns. */
export function readColumns(bytes: ArrayBuffer, count: number): FileColumn[] | null {
  const view = new DataView(bytes)
  const columns: FileColumn[] = []
  let at = 0
  while (at + 4 <= bytes.byteLength) {
    const typeId = view.getUint8(at)
    const digits = typeId >= decimalTypeId && typeId <= decimalTypeId + digitsMax ? typeId - decimalTypeId : null
    const type = digits === null ? columnType(typeId) : 'double'
    const role = columnRole(view.getUint8(at + 1))
    const end = at + 4 + view.getUint16(at + 2, true)
    if (type === null || role === null || end > bytes.byteLength) return null
    columns.push({ name: Buffer.from(bytes, at + 4, end - at - 4).toString('utf8'), type, role, digits })
    at = end
  }
  return columns.length === count && at === bytes.byteLength ? columns : null
}

export function encodeColumns(columns: readonly FileColumn[]): Uint8Array {
  const parts = columns.map(({ name, type, role, digits }) => {
    const text = Buffer.from(name)
    const typeId = digits === null ? typeIds[type] : decimalTypeId + digits
    return Buffer.concat([Buffer.from([typeId, roleIds[role], text.length & 0xff, text.length >>> 8]), text])
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
