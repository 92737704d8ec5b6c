// Finds where the rows of a pushed JSON body begin. The body was checked before and has as many rows as its entry says.
import type { PlacedEntry } from '../../journal/journal.ts'
import { openBracket } from '../../lib/ascii.ts'
import { skipSpace } from './skip.ts'

export interface BodyRows {
  readonly bytes: Buffer
  readonly isArray: boolean
  /** Where the first row begins; in an empty array, the closing bracket. */
  readonly firstAt: number
}

export function bodyRows({ body, format }: Pick<PlacedEntry, 'body' | 'format'>): BodyRows {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const at = skipSpace(bytes, 0)
  const isArray = format === 'json' && bytes[at] === openBracket
  return { bytes, isArray, firstAt: isArray ? skipSpace(bytes, at + 1) : at }
}

/** Moves from the end of one row to the beginning of the next, or after the last row to the end of the body. */
export function nextRowAt({ bytes, isArray }: BodyRows, end: number): number {
  const at = skipSpace(bytes, end)
  // Past the comma, or after the last row past the bracket.
  return isArray ? skipSpace(bytes, at + 1) : at
}
