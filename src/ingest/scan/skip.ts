// Skips over JSON that was checked before, so no errors are handled here.
import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote, space } from '../../lib/ascii.ts'

/** The first place at or after `at` that is not white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  let next = at
  while (next < bytes.length && bytes[next]! <= space) next++
  return next
}

/** The place after the string whose opening quote is at `at`. */
export function skipString(bytes: Buffer, at: number): number {
  let next = at + 1
  while (bytes[next] !== quote) next += bytes[next] === backslash ? 2 : 1
  return next + 1
}

function skipNested(bytes: Buffer, at: number): number {
  let depth = 0
  let next = at
  do {
    const byte = bytes[next]!
    if (byte === quote) {
      next = skipString(bytes, next)
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
    next++
  } while (depth > 0)
  return next
}

/** The place after the number or the word (`true`, `false`, `null`) that begins at `at`. */
export function skipScalar(bytes: Buffer, at: number): number {
  let next = at
  while (next < bytes.length) {
    const byte = bytes[next]!
    if (byte <= space || byte === comma || byte === closeBrace || byte === closeBracket) break
    next++
  }
  return next
}

/** The place after the value that begins at `at`. */
export function skipValue(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === quote) return skipString(bytes, at)
  if (byte === openBrace || byte === openBracket) return skipNested(bytes, at)
  return skipScalar(bytes, at)
}

/** The text of the value from `start` to `end`, unchanged except for white space between its parts. */
export function compactJson(bytes: Buffer, start: number, end: number): string {
  const compact = Buffer.allocUnsafe(end - start)
  let length = 0
  for (let at = start; at < end; ) {
    if (bytes[at] === quote) {
      const stringEnd = skipString(bytes, at)
      length += bytes.copy(compact, length, at, stringEnd)
      at = stringEnd
    } else {
      if (bytes[at]! > space) compact[length++] = bytes[at]!
      at++
    }
  }
  return compact.toString('utf8', 0, length)
}
