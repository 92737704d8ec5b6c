// Writes the FlatBuffers values that Arrow messages use, front to back: each table, then the values it refers to.

/** A field of a table; a `null` field is omitted and reads as its default. */
export type Slot =
  | { readonly kind: 'int8' | 'int16' | 'int32' | 'int64'; readonly value: number }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'table'; readonly slots: FlatTable }
  | { readonly kind: 'tables'; readonly tables: readonly FlatTable[] }
  /** A vector of structs, each made of `width` int64s. */
  | { readonly kind: 'structs'; readonly width: number; readonly values: readonly number[] }

/** The fields of a table, indexed by field id. */
export type FlatTable = readonly (Slot | null)[]

const inlineBytes = { int8: 1, int16: 2, int32: 4, int64: 8, string: 4, table: 4, tables: 4, structs: 4 }

/** The bytes of a buffer whose root is `table`, padded to a multiple of 8. */
export function flatbuffer(table: FlatTable): Uint8Array {
  const writer = new Writer()
  writer.skip(4)
  writer.refer(0, writer.table(table))
  return writer.finish()
}

class Writer {
  #bytes = Buffer.alloc(1024)
  #end = 0

  skip(bytes: number): number {
    const at = this.#end
    this.#end += bytes
    if (this.#end > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(Math.max(this.#bytes.length, bytes))])
    }
    return at
  }

  /** Writes the offset of the target, relative to `at`, at `at`. */
  refer(at: number, target: number): void {
    this.#bytes.writeUInt32LE(target - at, at)
  }

  table(slots: FlatTable): number {
    const vtable = this.#aligned(2, 4 + slots.length * 2)
    const start = this.#aligned(8, 4)
    this.#bytes.writeInt32LE(start - vtable, start)
    const places = slots.map((slot) =>
      slot === null ? 0 : this.#aligned(inlineBytes[slot.kind], inlineBytes[slot.kind]),
    )
    this.#bytes.writeUInt16LE(4 + slots.length * 2, vtable)
    this.#bytes.writeUInt16LE(this.#end - start, vtable + 2)
    for (const [id, place] of places.entries()) {
      this.#bytes.writeUInt16LE(place === 0 ? 0 : place - start, vtable + 4 + id * 2)
    }
    for (const [id, slot] of slots.entries()) if (slot !== null) this.#fill(places[id], slot)
    return start
  }

  finish(): Uint8Array {
    this.#aligned(8, 0)
    return this.#bytes.subarray(0, this.#end)
  }

  #fill(place: number, slot: Slot): void {
    switch (slot.kind) {
      case 'int8':
        this.#bytes.writeInt8(slot.value, place)
        return
      case 'int16':
        this.#bytes.writeInt16LE(slot.value, place)
        return
      case 'int32':
        this.#bytes.writeInt32LE(slot.value, place)
        return
      case 'int64':
        this.#bytes.writeBigInt64LE(BigInt(slot.value), place)
        return
      default:
        this.refer(place, this.#referred(slot))
    }
  }

  #referred(slot: Exclude<Slot, { kind: `int${string}` }>): number {
    switch (slot.kind) {
      case 'string':
        return this.#string(slot.text)
      case 'table':
        return this.table(slot.slots)
      case 'tables':
        return this.#tables(slot.tables)
      case 'structs':
        return this.#structs(slot.width, slot.values)
      default:
        return slot satisfies never
    }
  }

  #string(text: string): number {
    const length = Buffer.byteLength(text)
    const start = this.#aligned(4, 4 + length + 1)
    this.#bytes.writeUInt32LE(length, start)
    this.#bytes.write(text, start + 4)
    return start
  }

  #tables(tables: readonly FlatTable[]): number {
    const start = this.#aligned(4, 4 + tables.length * 4)
    this.#bytes.writeUInt32LE(tables.length, start)
    for (const [index, table] of tables.entries()) this.refer(start + 4 + index * 4, this.table(table))
    return start
  }

  /** Aligns the values, not the length in front of them. */
  #structs(width: number, values: readonly number[]): number {
    const start = this.#aligned(8, 8 + values.length * 8) + 4
    this.#bytes.writeUInt32LE(values.length / width, start)
    for (const [index, value] of values.entries()) this.#bytes.writeBigInt64LE(BigInt(value), start + 4 + index * 8)
    return start
  }

  #aligned(alignment: number, bytes: number): number {
    this.skip(-this.#end & (alignment - 1))
    return this.skip(bytes)
  }
}
