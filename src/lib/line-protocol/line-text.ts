// Where lines of line protocol begin and end, as InfluxDB finds it. A newline within a quoted value does not end a line.
import { backslash, carriageReturn, comma, equals, hash, newline, quote, space, tab } from '../ascii.ts'

/** The place of the newline after the line that begins at `start`, or the end of the body. */
export function lineEnd(bytes: Uint8Array, start: number): number {
  let isInFields = false
  let isQuoted = false
  let values = 0
  let commas = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === newline) {
      if (!isQuoted) return at
    } else if (byte === backslash) {
      if (at + 2 < bytes.length) at++
    } else if (byte === space) isInFields = true
    else if (!isInFields) continue
    else if (byte === quote) {
      if (values > commas) isQuoted = !isQuoted
    } else if (isQuoted) continue
    else if (byte === equals) values++
    else if (byte === comma) commas++
  }
  return bytes.length
}

/** The same without the carriage return that may stand before a newline. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
}

/**
 * The first byte at or after `at`, where a line begins, that is no blank line and no comment; the end of the body behind the last one. What is at
 * or behind `stop` is not looked at: it may be a comment.
 */
export function nextLineAt(bytes: Uint8Array, at: number, stop = bytes.length): number {
  let start = at
  while (start < stop) {
    const byte = bytes[start]!
    if (byte === newline || isBlank(byte)) start++
    else if (byte === hash) start = commentEnd(bytes, start)
    else return start
  }
  return start
}

/** The first byte at or after `at` that is no blank. */
export function blanksEnd(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length && isBlank(bytes[end]!)) end++
  return end
}

/** Short comments may follow one another by millions, and a search costs as much as some bytes. */
const nearBytes = 32

/** Quotes mean nothing in a comment. */
function commentEnd(bytes: Uint8Array, start: number): number {
  const near = Math.min(bytes.length, start + nearBytes)
  for (let at = start; at < near; at++) if (bytes[at] === newline) return at
  const end = bytes.indexOf(newline, near)
  return end < 0 ? bytes.length : end
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab || byte === carriageReturn || byte === 0
}
