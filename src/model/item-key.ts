// The key of a metadata item: its identifier encoded as bytes that sort as the identifiers do (docs/formats/metadata-item.md), so that any
// database can serve ordering, range and prefix queries from one plain index.
import type { FieldType } from './field.ts'
import { formatInstant } from './instant.ts'

/** Keys from `from` (inclusive) to `to` (exclusive); a null `to` is unbounded. */
export interface KeyRange {
  readonly from: Uint8Array
  readonly to: Uint8Array | null
}

export const allKeys: KeyRange = { from: new Uint8Array(0), to: null }

/** UTF-8 bytes, which sort by code point. The text must be well formed. */
export function keyOfString(text: string): Uint8Array {
  return Buffer.from(text)
}

/** Big-endian with the sign bit flipped, so that negative numbers sort first. Timestamps are keyed by their milliseconds. */
export function keyOfLong(value: bigint): Uint8Array {
  const key = Buffer.alloc(8)
  key.writeBigInt64BE(value)
  key[0]! ^= 0x80
  return key
}

/** IEEE 754 bits sort as numbers do if all bits of negative numbers and the sign bit of others are flipped. -0 is keyed as 0. */
export function keyOfDouble(value: number): Uint8Array {
  const key = Buffer.alloc(8)
  key.writeDoubleBE(value === 0 ? 0 : value)
  flipDouble(key, value < 0)
  return key
}

function flipDouble(key: Buffer, negative: boolean): void {
  if (negative) for (let at = 0; at < key.length; at++) key[at]! ^= 0xff
  else key[0]! ^= 0x80
}

/** The identifier of a key, as JSON. */
export function identifierJson(type: FieldType, key: Uint8Array): string {
  const text = identifierText(type, key)
  return type === 'string' ? JSON.stringify(text) : type === 'timestamp' ? `"${text}"` : text
}

/** The identifier of a key, as text. */
export function identifierText(type: FieldType, key: Uint8Array): string {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  switch (type) {
    case 'string':
      return bytes.toString()
    case 'double': {
      const copy = Buffer.from(bytes)
      flipDouble(copy, (copy[0]! & 0x80) === 0)
      return String(copy.readDoubleBE())
    }
    case 'long':
      return String(longOf(bytes))
    case 'timestamp':
      return formatInstant(Number(longOf(bytes)))
    default:
      throw new Error(`an identifier is never a ${type}`)
  }
}

function longOf(bytes: Buffer): bigint {
  const copy = Buffer.from(bytes)
  copy[0]! ^= 0x80
  return copy.readBigInt64BE()
}

/** The smallest key greater than `key`. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

/** The range of keys with this prefix. */
export function keysBeginningWith(prefix: Uint8Array): KeyRange {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length--
  if (length === 0) return { from: prefix, to: null }
  const to = Uint8Array.prototype.slice.call(prefix, 0, length)
  to[length - 1]! += 1
  return { from: prefix, to }
}

/** The keys in both ranges; empty if `to` is at or before `from`. */
export function intersection(a: KeyRange, b: KeyRange): KeyRange {
  const from = Buffer.compare(a.from, b.from) >= 0 ? a.from : b.from
  if (a.to === null || b.to === null) return { from, to: a.to ?? b.to }
  return { from, to: Buffer.compare(a.to, b.to) <= 0 ? a.to : b.to }
}

export function isEmptyRange({ from, to }: KeyRange): boolean {
  return to !== null && Buffer.compare(from, to) >= 0
}
