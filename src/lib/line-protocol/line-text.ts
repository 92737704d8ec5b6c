// Finds where lines of line protocol begin and end. A newline ends a line, except within a quoted value that ends further on.
import { backslash, carriageReturn, comma, equals, hash, newline, quote, space, tab } from '../ascii.ts'
import { isLine } from './parse-line.ts'

/**
 * The index of the newline after the line that begins at `start`, or the end of the bytes. That is the first newline, unless it is within a quoted value
 * and the text to the newline after that value is a valid line: one stray quote never merges another line into this one. -1 if more bytes follow
 * (`isWhole` is false) and they decide.
 *
 * A body of open quotes reads each of its bytes only a few times: where a line begins a quoted value that its newline does not end, it ends the value
 * that an earlier line left open, and either that value ends with this line or it is not a line.
 */
export function lineEnd(bytes: Uint8Array, start: number, isWhole = true): number {
  const first = placeOf(newline, bytes, start)
  const valuesEnd = fieldsEnd(bytes, start)
  const end = valuesEnd > first ? placeOf(newline, bytes, valuesEnd) : first
  if (end >= bytes.length && !isWhole) return undecided
  return end === first || isLine(text.decode(bytes.subarray(start, textEnd(bytes, start, end)))) ? end : first
}

const text = new TextDecoder()
const undecided = -1
const noFields = -1

/** 1 for the bytes that end a measurement with its tags, a name, and an unquoted value; a newline ends each. */
const [endsHead, endsName, endsValue] = [[space], [space, comma, equals], [space, comma, quote]].map((stops) => {
  const ends = new Uint8Array(256)
  for (const byte of [newline, ...stops]) ends[byte] = 1
  return ends
}) as [Uint8Array, Uint8Array, Uint8Array]

/** The index after the last value of the line, including quoted newlines; `noFields` if it has no value, or one is followed by an invalid byte. */
function fieldsEnd(bytes: Uint8Array, start: number): number {
  let at = blanksEnd(bytes, stopAt(bytes, start, endsHead)) - 1
  do {
    const nameEnd = stopAt(bytes, at + 1, endsName)
    if (nameEnd < bytes.length && bytes[nameEnd] !== equals) return noFields
    const isQuoted = bytes[nameEnd + 1] === quote
    at = isQuoted ? quotedEnd(bytes, nameEnd + 1) : stopAt(bytes, nameEnd + 1, endsValue)
  } while (bytes[at] === comma)
  const byte = bytes[at]
  return byte === undefined || byte === space || byte === newline || byte === carriageReturn ? at : noFields
}

/** The index of the first of these bytes that is not escaped with a backslash. A newline cannot be escaped. */
function stopAt(bytes: Uint8Array, start: number, stops: Uint8Array): number {
  let at = start
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (stops[byte] === 1 && (byte === newline || at === start || bytes[at - 1] !== backslash)) return at
    at++
  }
  return at
}

/** The index after the quote that closes the one at `open`; beyond the end if there is none. */
function quotedEnd(bytes: Uint8Array, open: number): number {
  for (let at = bytes.indexOf(quote, open + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let backslashes = 0
    while (bytes[at - 1 - backslashes] === backslash) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
  return bytes.length + 1
}

/** The index of the first such byte at or after `at`, or the end of the bytes. */
export function placeOf(byte: number, bytes: Uint8Array, at: number): number {
  const found = bytes.indexOf(byte, at)
  return found < 0 ? bytes.length : found
}

/** The end of the line's text, without the carriage returns that may precede a newline. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  let last = end
  while (last > start && bytes[last - 1] === carriageReturn) last--
  return last
}

/**
 * The index of the first byte at or after `at`, the start of a line, that is not in a blank line or a comment; the end of the body after the last line.
 * Bytes at or after `stop` are not read: they may be a comment.
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

/** The index of the first byte at or after `at` that is not blank. */
export function blanksEnd(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length && isBlank(bytes[end]!)) end++
  return end
}

/** Quotes have no meaning in a comment. A carriage return ends it too: with such line ends, a comment at the top would be the whole file otherwise. */
export function commentEnd(bytes: Uint8Array, start: number): number {
  let end = start
  while (end < bytes.length && bytes[end] !== newline && bytes[end] !== carriageReturn) end++
  return end
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab || byte === carriageReturn || byte === 0
}
