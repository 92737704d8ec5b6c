// Counts the rows of a file's lines as the service does: none for a blank line or a comment, and several if each field is a row.
import { nextLineAt, textEnd } from '../lib/line-protocol/line-text.ts'
import { NoLine, type ParsedLine, parseLine } from '../lib/line-protocol/parse-line.ts'
import { type LinePrecision, msOfLineTime, splitLineBytesMax } from '../model/line-format.ts'
import type { RowAge } from './old-rows.ts'

/** Maps the rows of a batch to its lines. */
export interface LinesOfRows {
  readonly lines: number
  readonly rows: number
  /** The line of a row, both from 0. */
  lineOf(row: number): number
}

export class LineCounts {
  readonly #isByField: boolean
  readonly #precision: LinePrecision
  readonly #known = new WeakMap<Uint8Array, number>()

  /** `isByField`: the ingest makes a row of each field. */
  constructor({ isByField, precision }: { readonly isByField: boolean; readonly precision: LinePrecision }) {
    this.#isByField = isByField
    this.#precision = precision
  }

  rowsOf(line: Uint8Array): number {
    const known = this.#known.get(line)
    if (known !== undefined) return known
    const rows = this.#count(line)
    this.#known.set(line, rows)
    return rows
  }

  linesOf(lines: readonly Uint8Array[]): LinesOfRows {
    /** By line: the number of rows up to its end. */
    const ends = new Uint32Array(lines.length)
    let rows = 0
    for (const [index, line] of lines.entries()) {
      rows += this.rowsOf(line)
      ends[index] = rows
    }
    const lineOf = (row: number): number => {
      let [low, high] = [0, ends.length - 1]
      while (low < high) {
        const middle = (low + high) >> 1
        if (ends[middle]! > row) high = middle
        else low = middle + 1
      }
      return low
    }
    return { lines: lines.length, rows, lineOf }
  }

  /** The time of a line's rows; null if the line has none, so that the time of receipt applies. */
  ageOf(line: Uint8Array): RowAge {
    const time = timeOfLine(line)
    return { rows: this.rowsOf(line), ms: time === null ? null : Number(msOfLineTime(time, this.#precision)) }
  }

  #count(line: Uint8Array): number {
    const start = nextLineAt(line, 0)
    if (start >= line.length) return 0
    if (!this.#isByField || textEnd(line, start, line.length) - start > splitLineBytesMax) return 1
    return parsedLine(line)?.fields.length ?? 1
  }
}

/** Null if the line has no time or is invalid. */
export function timeOfLine(line: Uint8Array): bigint | null {
  return parsedLine(line)?.time ?? null
}

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null if the line is invalid. */
function parsedLine(line: Uint8Array): ParsedLine | null {
  const start = nextLineAt(line, 0)
  if (start >= line.length) return null
  try {
    return parseLine(text.decode(line.subarray(start, textEnd(line, start, line.length))))
  } catch (error) {
    // A TypeError means that the bytes are not UTF-8.
    if (error instanceof NoLine || error instanceof TypeError) return null
    throw error
  }
}
