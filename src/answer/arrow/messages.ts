// The messages of an Arrow IPC stream (https://arrow.apache.org/docs/format/Columnar.html): schema, record batches, end of stream.
import type { ColumnType } from '../../model/column.ts'
import { type FlatTable, flatbuffer, type Slot } from './flatbuffer.ts'

export interface ArrowField {
  readonly name: string
  readonly type: ColumnType
}

/** One column of a record batch; `bufferBytes` are the lengths of its buffers in the order of the format. */
export interface ColumnLayout {
  readonly nulls: number
  readonly bufferBytes: readonly number[]
}

/** The alignment of bodies and their buffers. */
const alignmentBytes = 8

export function alignedBytes(bytes: number): number {
  return Math.ceil(bytes / alignmentBytes) * alignmentBytes
}

const metadataV5 = 4
const schemaHeader = 1
const recordBatchHeader = 3
const continuation = 0xffff_ffff

export const endOfStream = framed(new Uint8Array(0))

export function schemaMessage(fields: readonly ArrowField[]): Uint8Array {
  const littleEndian = int16(0)
  return message(schemaHeader, [littleEndian, { kind: 'tables', tables: fields.map(fieldTable) }], 0)
}

/** The metadata of a record batch. Its body follows: the buffers in order, each padded to the alignment. */
export function recordBatchMessage(rows: number, columns: readonly ColumnLayout[]): Uint8Array {
  const nodes: number[] = []
  const buffers: number[] = []
  let bodyBytes = 0
  for (const { nulls, bufferBytes } of columns) {
    nodes.push(rows, nulls)
    for (const bytes of bufferBytes) {
      buffers.push(bodyBytes, bytes)
      bodyBytes += alignedBytes(bytes)
    }
  }
  const batch: FlatTable = [
    { kind: 'int64', value: rows },
    { kind: 'structs', width: 2, values: nodes },
    { kind: 'structs', width: 2, values: buffers },
  ]
  return message(recordBatchHeader, batch, bodyBytes)
}

function message(headerType: number, header: FlatTable, bodyBytes: number): Uint8Array {
  return framed(
    flatbuffer([
      int16(metadataV5),
      int8(headerType),
      { kind: 'table', slots: header },
      { kind: 'int64', value: bodyBytes },
    ]),
  )
}

function framed(metadata: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(8 + metadata.length)
  bytes.writeUInt32LE(continuation, 0)
  bytes.writeUInt32LE(metadata.length, 4)
  bytes.set(metadata, 8)
  return bytes
}

function fieldTable({ name, type }: ArrowField): FlatTable {
  const nullable = int8(1)
  const { id, table } = typeTable(type)
  const children: Slot = { kind: 'tables', tables: [] }
  return [{ kind: 'string', text: name }, nullable, int8(id), { kind: 'table', slots: table }, null, children]
}

/** The type's number in the union `Type`, and its table. */
function typeTable(type: ColumnType): { readonly id: number; readonly table: FlatTable } {
  const signed = int8(1)
  const doublePrecision = int16(2)
  const millisecond = int16(1)
  switch (type) {
    case 'long':
      return { id: 2, table: [{ kind: 'int32', value: 64 }, signed] }
    case 'double':
      return { id: 3, table: [doublePrecision] }
    case 'string':
      return { id: 5, table: [] }
    case 'boolean':
      return { id: 6, table: [] }
    case 'timestamp':
      return { id: 10, table: [millisecond, { kind: 'string', text: 'UTC' }] }
    default:
      return type satisfies never
  }
}

function int8(value: number): Slot {
  return { kind: 'int8', value }
}

function int16(value: number): Slot {
  return { kind: 'int16', value }
}
