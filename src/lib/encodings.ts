// Detects the encoding of bytes: UTF-8, UTF-16 or gzip.

/** The length of the sequence that a first byte starts, and the bounds of its second byte. Length 0: the byte cannot start one. */
function sequenceOf(byte: number): readonly [length: number, least: number, most: number] {
  if (byte < 0x80) return [1, 0, 0]
  if (byte >= 0xc2 && byte <= 0xdf) return [2, 0x80, 0xbf]
  if (byte >= 0xe0 && byte <= 0xef) return [3, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf]
  if (byte >= 0xf0 && byte <= 0xf4) return [4, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf]
  return [0, 0, 0]
}

/** The index of the first byte that is not valid UTF-8, or of a character that is cut off at the end; the length if there is none. */
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

/** A byte in the usual notation: 0xE9. */
export const hexOf = (byte: number): string => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** Length of the byte order mark of UTF-8, which some programs write before a text. */
export const markBytes = 3

export function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** UTF-16, detected by its byte order mark or by the zeros of its first two characters; null if it is not UTF-16. */
export function byteOrder(head: Uint8Array): 'little' | 'big' | null {
  const [first, second, third, fourth] = head
  if (first === 0xff && second === 0xfe) return 'little'
  if (first === 0xfe && second === 0xff) return 'big'
  if (head.length < 4) return null
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'little'
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'big' : null
}

/** Takes at least the first two bytes. Gzip is recognized by them, not by the file name. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b
