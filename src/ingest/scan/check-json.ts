// Checks whether bytes are a JSON value (RFC 8259, as strict as JSON.parse) without creating objects.
import {
  backslash,
  carriageReturn,
  closeBrace,
  closeBracket,
  colon,
  comma,
  digitNine,
  digitZero,
  dot,
  lowerE,
  lowerF,
  lowerN,
  lowerT,
  lowerU,
  minus,
  newline,
  openBrace,
  openBracket,
  plus,
  quote,
  space,
  tab,
  upperE,
} from '../../lib/ascii.ts'

/** The deepest nesting of a value. */
const nestingMax = 512

/** `at` is where the text stops being JSON. The reason is empty if the byte there is itself unexpected. */
export class MalformedJson extends Error {
  readonly at: number

  constructor(at: number, reason = '') {
    super(reason)
    this.at = at
  }
}

const isSpace = new Uint8Array(256)
for (const byte of [tab, newline, carriageReturn, space]) isSpace[byte] = 1

/** 1 for bytes that a string may contain unescaped: no control characters, quotes or backslashes. Above ASCII the body is known to be UTF-8. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= space && byte !== quote && byte !== backslash ? 1 : 0,
)

const escapes = new Set(Buffer.from('"\\/bfnrt'))
const fourHexDigits = /^[0-9a-fA-F]{4}$/

const words = new Map([
  [lowerT, Buffer.from('true')],
  [lowerF, Buffer.from('false')],
  [lowerN, Buffer.from('null')],
])

export function skipJsonSpace(bytes: Buffer, at: number, end: number): number {
  let next = at
  while (next < end && isSpace[bytes[next]!] === 1) next++
  return next
}

function checkEscape(bytes: Buffer, at: number, end: number): number {
  const byte = at + 1 < end ? bytes[at + 1]! : -1
  if (escapes.has(byte)) return at + 2
  if (byte !== lowerU || at + 6 > end || !fourHexDigits.test(bytes.toString('latin1', at + 2, at + 6))) {
    throw new MalformedJson(at, 'an escape that JSON does not have')
  }
  return at + 6
}

/** `at` is at the opening quote. */
function checkString(bytes: Buffer, at: number, end: number): number {
  let next = at + 1
  for (;;) {
    while (next < end && isPlain[bytes[next]!] === 1) next++
    if (next >= end) throw new MalformedJson(next)
    if (bytes[next] === quote) return next + 1
    if (bytes[next] !== backslash) throw new MalformedJson(next, 'a control character in a string')
    next = checkEscape(bytes, next, end)
  }
}

/** At least one digit. */
function checkDigits(bytes: Buffer, at: number, end: number): number {
  let next = at
  while (next < end && bytes[next]! >= digitZero && bytes[next]! <= digitNine) next++
  if (next === at) throw new MalformedJson(at)
  return next
}

function checkNumber(bytes: Buffer, at: number, end: number): number {
  let next = bytes[at] === minus ? at + 1 : at
  next = next < end && bytes[next] === digitZero ? next + 1 : checkDigits(bytes, next, end)
  if (next < end && bytes[next] === dot) next = checkDigits(bytes, next + 1, end)
  if (next < end && (bytes[next] === lowerE || bytes[next] === upperE)) {
    next++
    if (next < end && (bytes[next] === plus || bytes[next] === minus)) next++
    next = checkDigits(bytes, next, end)
  }
  return next
}

function checkScalar(bytes: Buffer, at: number, end: number): number {
  const byte = at < end ? bytes[at]! : -1
  if (byte === quote) return checkString(bytes, at, end)
  if (byte === minus || (byte >= digitZero && byte <= digitNine)) return checkNumber(bytes, at, end)
  const word = words.get(byte)
  if (word === undefined) throw new MalformedJson(at)
  for (let i = 0; i < word.length; i++) if (at + i >= end || bytes[at + i] !== word[i]) throw new MalformedJson(at + i)
  return at + word.length
}

/** A key and its colon, with surrounding white space. */
function checkKey(bytes: Buffer, at: number, end: number): number {
  const key = skipJsonSpace(bytes, at, end)
  if (key >= end || bytes[key] !== quote) throw new MalformedJson(key)
  const after = skipJsonSpace(bytes, checkString(bytes, key, end), end)
  if (after >= end || bytes[after] !== colon) throw new MalformedJson(after)
  return after + 1
}

/** Checks values one after another, large ones in pieces. */
export class ValueCheck {
  readonly #bytes: Buffer
  /** The closing bytes of the open objects and arrays. */
  readonly #closers = new Uint8Array(nestingMax)
  #depth = 0
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The place after the checked bytes. */
  get at(): number {
    return this.#at
  }

  /** Starts to check the value at `at`. */
  begin(at: number): void {
    this.#depth = 0
    this.#at = at
  }

  /** Returns true when the value is complete, false if it reached `stop`; the next call then continues there. Throws `MalformedJson`. */
  continueTo(end: number, stop: number): boolean {
    const bytes = this.#bytes
    const closers = this.#closers
    let depth = this.#depth
    let next = this.#at
    for (;;) {
      if (next >= stop) {
        this.#depth = depth
        this.#at = next
        return false
      }
      next = skipJsonSpace(bytes, next, end)
      const byte = next < end ? bytes[next]! : -1
      if (byte === openBrace || byte === openBracket) {
        if (depth === nestingMax) throw new MalformedJson(next, `nested deeper than ${nestingMax} levels`)
        const closer = byte === openBrace ? closeBrace : closeBracket
        closers[depth++] = closer
        const inside = skipJsonSpace(bytes, next + 1, end)
        if (inside >= end || bytes[inside] !== closer) {
          next = byte === openBrace ? checkKey(bytes, inside, end) : inside
          continue
        }
        next = inside
      } else {
        next = checkScalar(bytes, next, end)
      }
      for (;;) {
        if (depth === 0) {
          this.#at = next
          return true
        }
        next = skipJsonSpace(bytes, next, end)
        const closer = closers[depth - 1]!
        const after = next < end ? bytes[next]! : -1
        if (after === closer) {
          depth--
          next++
        } else if (after === comma) {
          next = closer === closeBrace ? checkKey(bytes, next + 1, end) : next + 1
          break
        } else {
          throw new MalformedJson(next)
        }
      }
    }
  }
}
