// The lines of a push one after another, each with the rows that it is.

import { lineEnd, nextLineAt, textEnd } from '../../../lib/line-protocol/line-text.ts'
import { NoLine, type ParsedLine, parseLine } from '../../../lib/line-protocol/parse-line.ts'
import type { LineFormat } from '../../../model/line-format.ts'
import { isByField, splitLineBytesMax } from '../../../model/line-format.ts'
import { rowsOfLine, textOfField } from './line-rows.ts'
import { PlainRowCounter } from './plain-row-counter.ts'

export interface LineOfBody {
  readonly start: number
  readonly end: number
  /** Where the next one begins. */
  readonly nextAt: number
  /** Null of one that is none, or is longer than lines are that may be many rows. */
  readonly parsed: ParsedLine | null
  /** Why it is none; null of one that is too long. */
  readonly why: string | null
  /** One at least. */
  readonly rows: number
}

/** The line that begins at `start`, read with care. */
export function lineAt(bytes: Buffer, start: number, format: LineFormat): LineOfBody {
  const lineEndAt = lineEnd(bytes, start)
  const end = textEnd(bytes, start, lineEndAt)
  const span = { start, end, nextAt: nextLineAt(bytes, lineEndAt) }
  if (isByField(format) && end - start > splitLineBytesMax) return { parsed: null, why: null, rows: 1, ...span }
  try {
    const parsed = parseLine(bytes.toString('utf8', start, end))
    return { parsed, why: null, rows: rowsOfLine(parsed, format), ...span }
  } catch (error) {
    if (!(error instanceof NoLine)) throw error
    return { parsed: null, why: error.message, rows: 1, ...span }
  }
}

/** The text of one of its rows: of a line that is many rows, the line with that field alone. */
export function rowText(bytes: Buffer, { start, end, parsed }: LineOfBody, field: number, format: LineFormat): string {
  if (parsed !== null && isByField(format)) return textOfField(parsed, field)
  return bytes.toString('utf8', start, end)
}

/** How many rows the lines of a body are, counted in slices of about so many bytes: yields after each. */
export function* countLineRows(
  bytes: Buffer,
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
      // Comments may go on for megabytes: it is not known yet whether here is a line.
      at = nextLineAt(bytes, at, sliceEnd)
      continue
    }
    let end = endOf === null ? plain.count(bytes, at) : endOf(at)
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

const quoteOrBackslash = ['"', '\\'] as const

/** As `lineEnd`; where neither quotes nor backslashes are, it looks for newlines alone. Asked for lines in their order. */
function plainLineEnds(bytes: Buffer): (start: number) => number {
  const next: number[] = [-1, -1]
  return (start) => {
    const found = bytes.indexOf('\n', start)
    const end = found < 0 ? bytes.length : found
    let isPlain = true
    for (const [index, text] of quoteOrBackslash.entries()) {
      if (next[index]! < start) {
        const place = bytes.indexOf(text, start)
        next[index] = place < 0 ? bytes.length : place
      }
      if (next[index]! < end) isPlain = false
    }
    return isPlain ? end : lineEnd(bytes, start)
  }
}
