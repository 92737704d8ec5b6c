// Thrift's compact protocol, as far as Parquet's headers and footer need it.
import { ByteWriter } from './byte-writer.ts'

export const thriftTypes = {
  true: 1,
  false: 2,
  int8: 3,
  int16: 4,
  int32: 5,
  int64: 6,
  binary: 8,
  list: 9,
  struct: 12,
} as const

const encoder = new TextEncoder()

/** Writes structs field by field, in the order of their ids. The fields of a nested struct are written within its `struct` call. */
export class ThriftWriter {
  readonly out: ByteWriter
  #lastId = 0

  constructor(out = new ByteWriter()) {
    this.out = out
  }

  boolean(id: number, value: boolean): void {
    this.#field(id, value ? thriftTypes.true : thriftTypes.false)
  }

  int8(id: number, value: number): void {
    this.#field(id, thriftTypes.int8)
    this.out.byte(value)
  }

  int16(id: number, value: number): void {
    this.#field(id, thriftTypes.int16)
    this.out.zigzag(value)
  }

  int32(id: number, value: number): void {
    this.#field(id, thriftTypes.int32)
    this.out.zigzag(value)
  }

  int64(id: number, value: number): void {
    this.#field(id, thriftTypes.int64)
    this.out.zigzag(value)
  }

  binary(id: number, value: string | Uint8Array): void {
    this.#field(id, thriftTypes.binary)
    this.binaryElement(value)
  }

  /** Writes a struct as a field, or, without an id, as an element of a list or as the outermost struct. */
  struct(id: number | null, fields: () => void): void {
    if (id !== null) this.#field(id, thriftTypes.struct)
    const outer = this.#lastId
    this.#lastId = 0
    fields()
    this.out.byte(0)
    this.#lastId = outer
  }

  /** Writes a list as a field; `element` writes each of its elements. */
  list(id: number, type: number, length: number, element: (index: number) => void): void {
    this.#field(id, thriftTypes.list)
    if (length < 15) this.out.byte((length << 4) | type)
    else {
      this.out.byte(0xf0 | type)
      this.out.varint(length)
    }
    for (let index = 0; index < length; index++) element(index)
  }

  binaryElement(value: string | Uint8Array): void {
    const bytes = typeof value === 'string' ? encoder.encode(value) : value
    this.out.varint(bytes.length)
    this.out.append(bytes)
  }

  #field(id: number, type: number): void {
    const step = id - this.#lastId
    this.#lastId = id
    if (step <= 15) this.out.byte((step << 4) | type)
    else {
      this.out.byte(type)
      this.out.zigzag(id)
    }
  }
}

/** The fields of a page header by id: whole numbers, booleans as 0 and 1, and structs of these. */
export type ThriftStruct = readonly (number | ThriftStruct | undefined)[]

/** Reads one struct: its fields by id, and where it ends. */
export function readThriftStruct(
  bytes: Uint8Array,
  start: number,
): { readonly fields: ThriftStruct; readonly end: number } {
  const fields: (number | ThriftStruct | undefined)[] = []
  let at = start
  let id = 0
  for (;;) {
    const head = bytes[at++]
    if (head === 0) return { fields, end: at }
    id += head >>> 4
    const type = head & 15
    if (type === thriftTypes.struct) {
      const nested = readThriftStruct(bytes, at)
      fields[id] = nested.fields
      at = nested.end
    } else if (type === thriftTypes.int32) {
      let value = 0
      let shift = 0
      for (; bytes[at] >= 0x80; shift += 7) value |= (bytes[at++] & 0x7f) << shift
      value |= bytes[at++] << shift
      fields[id] = (value >>> 1) ^ -(value & 1)
    } else if (type === thriftTypes.true || type === thriftTypes.false) {
      fields[id] = type === thriftTypes.true ? 1 : 0
    } else throw new Error(`a page header holds a field of the unexpected type ${type}`)
  }
}
