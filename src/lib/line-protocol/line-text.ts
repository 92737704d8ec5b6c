// Where lines of line protocol begin and end. A newline ends a line, but one in a quoted value that ends further on does not.
import { backslash, carriageReturn, comma, equals, hash, newline, quote, space, tab } from '../ascii.ts'
import { isLine } from './parse-line.ts'

/**
 * The place of the newline after the line that begins at `start`, or the end of the bytes. That is the first newline, unless a quoted value holds it and
 * what ends further on is a line as a whole: one quote too many makes no other line a part of this one. Of bytes that more come behind (`isWhole` is
 * false), -1 where these decide.
 *
 * A body of open quotes takes no more than a few looks at each of its bytes: where a line begins a quoted value that its newline does not end, it
 * ends the one that a line before has left open, and either that one ends with this line or is no line.
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

/** 1 for the bytes that end a measurement and its tags, a name, a value without quotes; a newline ends each. */
const [endsHead, endsName, endsValue] = [[space], [space, comma, equals], [space, comma, quote]].map((stops) => {
  const ends = new Uint8Array(256)
  for (const byte of [newline, ...stops]) ends[byte] = 1
  return ends
}) as [Uint8Array, Uint8Array, Uint8Array]

/** The place behind the last value of the line, quoted newlines included; `noFields` where it has none, or one is followed by what follows none. */
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

/** The place of the first of these bytes, but of such as a backslash stands before. No backslash keeps a newline from ending a line. */
function stopAt(bytes: Uint8Array, start: number, stops: Uint8Array): number {
  let at = start
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (stops[byte] === 1 && (byte === newline || at === start || bytes[at - 1] !== backslash)) return at
    at++
  }
  return at
}

/** The place after the quote that ends what the one at `open` begins; behind the end where there is none. */
function quotedEnd(bytes: Uint8Array, open: number): number {
  for (let at = bytes.indexOf(quote, open + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let backslashes = 0
    while (bytes[at - 1 - backslashes] === backslash) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
  return bytes.length + 1
}

/** The first such byte at or after `at`, or the end of the bytes. */
export function placeOf(byte: number, bytes: Uint8Array, at: number): number {
  const found = bytes.indexOf(byte, at)
  return found < 0 ? bytes.length : found
}

/** The same without the carriage returns that may stand before a newline. */
export function textEnd(bytes: Uint8Array, start: number, end: number): number {
  let last = end
  while (last > start && bytes[last - 1] === carriageReturn) last--
  return last
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

/** Quotes mean nothing in a comment. A carriage return ends it too: else one at the top of a file whose lines end so would be all of the file. */
export function commentEnd(bytes: Uint8Array, start: number): number {
  let end = start
  while (end < bytes.length && bytes[end] !== newline && bytes[end] !== carriageReturn) end++
  return end
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab || byte === carriageReturn || byte === 0
}
