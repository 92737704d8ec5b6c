// Tested by `src/avatica/protobuf/protobuf-codec.test.ts`.
// Decodes and encodes described messages with the library's wire format.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Message, MessageField, ScalarKind } from './described-message.ts'

export type MessageValues = Record<string, unknown>

/** No message that is read here is nested deeper. */
const depthMax = 8

/** Throws an Error if the bytes are not such a message. Skips fields that are not described; missing fields are omitted. */
export function decodeMessage(bytes: Uint8Array, message: Message, depth = 0): MessageValues {
  if (depth > depthMax) throw new Error('messages lie too deep in each other')
  const reader = new BinaryReader(bytes)
  const fields: MessageValues = {}
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const field = message.get(number)
    if (field === undefined || wireType !== wireTypeOf(field)) {
      reader.skip(wireType, number)
      continue
    }
    const { name, kind } = field
    if (kind === 'map') readMapEntry(reader.bytes(), fields, name)
    else {
      const value = typeof kind === 'string' ? readScalar(reader, kind) : decodeMessage(reader.bytes(), kind, depth + 1)
      if (field.isRepeated) addTo(fields, name, value)
      else fields[name] = value
    }
  }
  return fields
}

function addTo(fields: MessageValues, name: string, value: unknown): void {
  const list = fields[name]
  if (Array.isArray(list)) list.push(value)
  else fields[name] = [value]
}

function listAt(fields: MessageValues, name: string): unknown[] {
  const list = fields[name]
  return Array.isArray(list) ? list : []
}

function readMapEntry(bytes: Uint8Array, fields: MessageValues, name: string): void {
  const entry = decodeMessage(bytes, mapEntry)
  const entries = fields[name]
  const map = entries instanceof Map ? entries : new Map<unknown, unknown>()
  map.set(entry['key'] ?? '', entry['value'] ?? '')
  fields[name] = map
}

const mapEntry: Message = new Map([
  [1, { name: 'key', kind: 'string' }],
  [2, { name: 'value', kind: 'string' }],
])

function readScalar(reader: BinaryReader, kind: ScalarKind): unknown {
  switch (kind) {
    case 'string':
      return reader.string(true)
    case 'bytes':
      return reader.bytes()
    case 'bool':
      return reader.bool()
    case 'double':
      return reader.double()
    case 'float':
      return reader.float()
    case 'uint32':
      return reader.uint32()
    case 'int32':
      return reader.int32()
    case 'uint64':
      return whole(reader.uint64())
    case 'int64':
      return whole(reader.int64())
    case 'sint64':
      return whole(reader.sint64())
  }
}

function whole(value: bigint | string): number | bigint {
  const rounded = Number(value)
  return Number.isSafeInteger(rounded) ? rounded : BigInt(value)
}

/** Undefined values are not written. */
export function encodeMessage(fields: Readonly<MessageValues>, message: Message): Uint8Array {
  const writer = new BinaryWriter()
  writeFields(writer, fields, message)
  return writer.finish()
}

function writeFields(writer: BinaryWriter, fields: Readonly<MessageValues>, message: Message): void {
  for (const [number, field] of message) {
    const value = fields[field.name]
    if (value === undefined || value === null) continue
    const values = field.isRepeated ? listAt(fields, field.name) : [value]
    for (const one of values) {
      writer.tag(number, wireTypeOf(field))
      writeValue(writer, field.kind, one)
    }
  }
}

function writeValue(writer: BinaryWriter, kind: MessageField['kind'], value: unknown): void {
  if (typeof kind !== 'string') {
    writer.fork()
    writeFields(writer, isFields(value) ? value : {}, kind)
    writer.join()
    return
  }
  if (typeof value === 'string' && kind === 'string') writer.string(value)
  else if (typeof value === 'boolean' && kind === 'bool') writer.bool(value)
  else if (value instanceof Uint8Array && kind === 'bytes') writer.bytes(value)
  else if (typeof value === 'number' || typeof value === 'bigint') writeNumber(writer, kind, value)
  else throw new Error(`a ${typeof value} was to be written as ${kind}`)
}

function writeNumber(writer: BinaryWriter, kind: ScalarKind | 'map', value: number | bigint): void {
  switch (kind) {
    case 'double':
      writer.double(Number(value))
      return
    case 'float':
      writer.float(Number(value))
      return
    case 'uint32':
      writer.uint32(Number(value))
      return
    case 'int32':
      writer.int32(Number(value))
      return
    case 'uint64':
      writer.uint64(value)
      return
    case 'int64':
      writer.int64(value)
      return
    case 'sint64':
      writer.sint64(value)
      return
    default:
      throw new Error(`a number was to be written as ${kind}`)
  }
}

function isFields(value: unknown): value is MessageValues {
  return typeof value === 'object' && value !== null
}

function wireTypeOf({ kind }: MessageField): WireType {
  if (typeof kind !== 'string' || kind === 'string' || kind === 'bytes' || kind === 'map')
    return WireType.LengthDelimited
  if (kind === 'float') return WireType.Bit32
  return kind === 'double' ? WireType.Bit64 : WireType.Varint
}
