// The lines of a push, each with the number of its rows.

import { isUtf8 } from 'node:buffer'
import { carriageReturn, newline, quote } from '../../../lib/ascii.ts'
import { firstInvalid, hexOf } from '../../../lib/encodings.ts'
import { lineEnd, nextLineAt, placeOf, textEnd } from '../../../lib/line-protocol/line-text.ts'
import { NoLine, type ParsedLine, parseLine } from '../../../lib/line-protocol/parse-line.ts'
import type { LineFormat } from '../../../model/line-format.ts'
import { isByField, splitLineBytesMax } from '../../../model/line-format.ts'
import { rowsOfLine, textOfField } from './line-rows.ts'
import { needsCare } from './line-value.ts'
import { PlainRowCounter } from './plain-row-counter.ts'

export interface LineOfBody {
  readonly start: number
  readonly end: number
  /** Where the next line begins. */
  readonly nextAt: number
  /** Null if the line is invalid, or longer than a line of several rows may be. */
  readonly parsed: ParsedLine | null
  /** Why the line is invalid; null if it is too long. */
  readonly why: string | null
  /** At least one. */
  readonly rows: number
}

/** Parses the line that begins at `start`. */
export function lineAt(bytes: Buffer, start: number, format: LineFormat): LineOfBody {
  const lineEndAt = lineEnd(bytes, start)
  const end = textEnd(bytes, start, lineEndAt)
  const span = { start, end, nextAt: nextLineAt(bytes, lineEndAt) }
  if (isByField(format) && end - start > splitLineBytesMax) return { parsed: null, why: null, rows: 1, ...span }
  const text = bytes.subarray(start, end)
  if (!isUtf8(text)) return { parsed: null, why: notUtf8(text), rows: 1, ...span }
  try {
    const parsed = parseLine(text.toString())
    return { parsed, why: null, rows: rowsOfLine(parsed, format), ...span }
  } catch (error) {
    if (!(error instanceof NoLine)) throw error
    const returns = text.includes(carriageReturn) ? '; a carriage return without a newline ends no line' : ''
    return { parsed: null, why: error.message + returns, rows: 1, ...span }
  }
}

function notUtf8(text: Buffer): string {
  const at = firstInvalid(text)
  return `byte ${at + 1} of it, ${hexOf(text[at]!)}, is not UTF-8: send it in UTF-8`
}

/** The text of one of its rows: for a line of several rows, the line with that field alone. */
export function rowText(bytes: Buffer, { start, end, parsed }: LineOfBody, field: number, format: LineFormat): string {
  if (parsed !== null && isByField(format)) return textOfField(parsed, field)
  return bytes.toString('utf8', start, end)
}

/** Counts the rows of a body's lines. Yields after each slice of about `sliceBytes`. `isText`: all of the body is UTF-8. */
export function* countLineRows(
  bytes: Buffer,
  isText: boolean,
  format: LineFormat,
  sliceBytes: number,
  counted: (rows: number) => void,
): Generator<void, number> {
  const endOf = isByField(format) ? null : plainLineEnds(bytes)
  const plain = new PlainRowCounter()
  let rows = 0
  let sliceEnd = sliceBytes
  for (let at = nextLineAt(bytes, 0, sliceEnd); at < bytes.length; ) {
    if (at >= sliceEnd) {
      yield
      sliceEnd = at + sliceBytes
      // Comments may continue for megabytes: it is not known yet whether a line begins here.
      at = nextLineAt(bytes, at, sliceEnd)
      continue
    }
    let end = endOf !== null ? endOf(at) : isText ? plain.count(bytes, at) : needsCare
    if (end < 0) {
      const line = lineAt(bytes, at, format)
      rows += line.rows
      end = line.nextAt
    } else rows += endOf === null ? plain.rows : 1
    at = nextLineAt(bytes, end, Math.max(end, sliceEnd))
    counted(rows)
  }
  return rows
}

/** Like `lineEnd`, but searches only for newlines where there are no quotes. Call for lines in order. */
function plainLineEnds(bytes: Buffer): (start: number) => number {
  let quoteAt = -1
  return (start) => {
    const end = placeOf(newline, bytes, start)
    if (quoteAt < start) quoteAt = placeOf(quote, bytes, start)
    return quoteAt < end ? lineEnd(bytes, start) : end
  }
}
