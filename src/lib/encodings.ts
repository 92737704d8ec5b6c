// What bytes are: text in UTF-8 or another encoding, or gzip.

/** What may follow a first byte: how many bytes, and the bounds of the next. */
function sequenceOf(byte: number): readonly [length: number, least: number, most: number] {
  if (byte < 0x80) return [1, 0, 0]
  if (byte >= 0xc2 && byte <= 0xdf) return [2, 0x80, 0xbf]
  if (byte >= 0xe0 && byte <= 0xef) return [3, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf]
  if (byte >= 0xf0 && byte <= 0xf4) return [4, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf]
  return [0, 0, 0]
}

/** The place of the first byte that is no UTF-8, or of a character that is cut at the end; the length where there is none. */
export function firstInvalid(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    const [length, least, most] = sequenceOf(bytes[at]!)
    if (length === 0) return at
    for (let place = 1; place < length; place++) {
      const next = bytes[at + place] ?? 0
      if (place === 1 ? next < least || next > most : (next & 0xc0) !== 0x80) return at
    }
    at += length
  }
  return bytes.length
}

/** As people write a byte: 0xE9. */
export const hexOf = (byte: number): string => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** What some programs write before a text: the byte order mark. */
export const markBytes = 3

export function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** UTF-16 by its mark, or by the zeros of its first two characters; null where it is none. */
export function byteOrder(head: Uint8Array): 'little' | 'big' | null {
  const [first, second, third, fourth] = head
  if (first === 0xff && second === 0xfe) return 'little'
  if (first === 0xfe && second === 0xff) return 'big'
  if (head.length < 4) return null
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'little'
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'big' : null
}

/** Of the first two bytes at least: gzip is told by them and not by the name. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b
