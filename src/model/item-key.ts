// The key of a metadata item: its identifier as bytes that sort as the identifiers do (docs/formats/metadata-item.md), so that every
// database finds an order, a range or a beginning in one plain index.
import type { FieldType } from './field.ts'
import { formatInstant } from './instant.ts'

/** Keys from `from` up to, not including, `to`; null is without end. */
export interface KeyRange {
  readonly from: Uint8Array
  readonly to: Uint8Array | null
}

export const allKeys: KeyRange = { from: new Uint8Array(0), to: null }

/** Code points sort as their UTF-8 bytes do. The text must be well formed. */
export function keyOfString(text: string): Uint8Array {
  return Buffer.from(text)
}

/** Big-endian with the sign turned over, so that negative numbers come first. Timestamps are keyed by their milliseconds. */
export function keyOfLong(value: bigint): Uint8Array {
  const key = Buffer.alloc(8)
  key.writeBigInt64BE(value)
  key[0]! ^= 0x80
  return key
}

/** The bits of a double sort as numbers do, once the negative ones are turned over whole. Both zeros are one. */
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

/** The JSON of the identifier that a key was made of. */
export function identifierJson(type: FieldType, key: Uint8Array): string {
  const text = identifierText(type, key)
  return type === 'string' ? JSON.stringify(text) : type === 'timestamp' ? `"${text}"` : text
}

/** The identifier that a key was made of. */
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

/** The least key that is greater. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

/** The keys that begin with these bytes. */
export function keysBeginningWith(prefix: Uint8Array): KeyRange {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length--
  if (length === 0) return { from: prefix, to: null }
  const to = Uint8Array.prototype.slice.call(prefix, 0, length)
  to[length - 1]! += 1
  return { from: prefix, to }
}

/** The keys that are in both; with `to` at or before `from` there are none. */
export function intersection(a: KeyRange, b: KeyRange): KeyRange {
  const from = Buffer.compare(a.from, b.from) >= 0 ? a.from : b.from
  if (a.to === null || b.to === null) return { from, to: a.to ?? b.to }
  return { from, to: Buffer.compare(a.to, b.to) <= 0 ? a.to : b.to }
}

export function isEmptyRange({ from, to }: KeyRange): boolean {
  return to !== null && Buffer.compare(from, to) >= 0
}
