// RFC 4180, as it occurs in practice: lines end with CRLF, LF or CR (also CRCRLF), a quote within an unquoted cell is literal, spaces around a quoted
// cell are ignored, a first line that declares the delimiter for Excel is not a record, and lines may be skipped.

/** Null if there is nothing between the delimiters, the empty string if the file has `""`. */
export type CsvCell = string | null

export interface CsvRecord {
  /** The line of the file on which the record begins, from 1. */
  readonly line: number
  readonly cells: readonly CsvCell[]
}

/** The text is not valid CSV; `line` is where the faulty record begins. */
export class CsvError extends Error {
  readonly line: number

  constructor(line: number, message: string, options?: { readonly cause?: unknown }) {
    super(`line ${line}: ${message}`, options)
    this.name = 'CsvError'
    this.line = line
  }
}

/** Which lines of a file are its header and its rows. */
export interface CsvLines {
  /** The line of the header, from 1; null means the first line that is not skipped. */
  readonly headerLine: number | null
  /** The number of lines to skip at the beginning. */
  readonly skipLines: number
  /** Lines with this prefix are skipped; an empty string skips none. */
  readonly comment: string
}

export const allLines: CsvLines = { headerLine: null, skipLines: 0, comment: '' }

interface Reading {
  /** The character code of the delimiter. */
  readonly delimiter: number
  /** Whether this is the end of the text. */
  readonly atEnd: boolean
}

interface Parsed {
  readonly cells: readonly CsvCell[]
  readonly next: number
  readonly lines: number
}

const quote = 0x22
const space = 0x20
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** `sep=;` as the first line. */
const delimiterLine = /^(?:sep=[^\r\n]|"sep=[^\r\n]")(?:\r?\n|\r)?$/i

/** The index of the closing quote of a cell that was opened before `from`, or -1 if the text ends before it is certain. */
function closingQuote(text: string, from: number, atEnd: boolean): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at)
    if (at === -1) return -1
    if (at + 1 === text.length) return atEnd ? at : -1
    if (text.charCodeAt(at + 1) !== quote) return at
  }
}

function countLineFeeds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Length of the line ending at `at`, with any extra carriage returns: 0 if there is none, -1 if the text ends before it is certain. */
function lineEnding(text: string, at: number, atEnd: boolean): number {
  let end = at
  while (text.charCodeAt(end) === carriageReturn) end++
  if (end >= text.length) return atEnd ? end - at : -1
  return text.charCodeAt(end) === lineFeed ? end + 1 - at : end - at
}

/** The index of the first character that ends a line; the end of the text if there is none. */
function endOfLine(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) !== lineFeed && text.charCodeAt(at) !== carriageReturn) at++
  return at
}

function endsCell(code: number, delimiter: number): boolean {
  return code === delimiter || code === lineFeed || code === carriageReturn
}

/** The next index that is not a space. Spaces are not skipped if they are the delimiter. */
function afterSpaces(text: string, from: number, delimiter: number): number {
  let at = from
  while (delimiter !== space && text.charCodeAt(at) === space) at++
  return at
}

function unquotedCell(text: string, start: number, end: number): CsvCell {
  return start === end ? null : text.slice(start, end)
}

/** Parses the record that begins at `start`; null if the text ends before the record does. */
function parseRecord(text: string, start: number, line: number, { delimiter, atEnd }: Reading): Parsed | null {
  const cells: CsvCell[] = []
  let lines = 1
  for (let at = start; ; ) {
    const opened = afterSpaces(text, at, delimiter)
    if (text.charCodeAt(opened) === quote) {
      const close = closingQuote(text, opened + 1, atEnd)
      if (close === -1 && atEnd) throw new CsvError(line, 'a quote is opened and never closed')
      if (close === -1) return null
      const inner = text.slice(opened + 1, close)
      lines += countLineFeeds(inner)
      cells.push(inner.includes('"') ? inner.replaceAll('""', '"') : inner)
      at = afterSpaces(text, close + 1, delimiter)
      if (text.charCodeAt(at) === delimiter) {
        at++
        continue
      }
      const ending = lineEnding(text, at, atEnd)
      if (ending === -1) return null
      if (ending === 0 && at < text.length)
        throw new CsvError(line, 'after a closing quote comes the next cell or a new line')
      return { cells, next: at + ending, lines }
    }
    const cellStart = at
    while (at < text.length && !endsCell(text.charCodeAt(at), delimiter)) at++
    if (text.charCodeAt(at) === delimiter) {
      cells.push(unquotedCell(text, cellStart, at))
      at++
      continue
    }
    const ending = lineEnding(text, at, atEnd)
    if (ending === -1) return null
    cells.push(unquotedCell(text, cellStart, at))
    return { cells, next: at + ending, lines }
  }
}

/** Reads records from text that arrives in chunks; memory is bounded by one chunk and one record. */
export class CsvParser {
  readonly #recordCharsMax: number
  readonly #delimiter: number
  readonly #lines: CsvLines
  #rest = ''
  #line = 1

  /** `delimiter` is one character. */
  constructor(options: {
    readonly recordCharsMax: number
    readonly delimiter?: string
    readonly lines?: CsvLines
  }) {
    this.#recordCharsMax = options.recordCharsMax
    this.#lines = options.lines ?? allLines
    this.#delimiter = (options.delimiter ?? ',').charCodeAt(0)
  }

  /** The line on which the next text begins, from 1. */
  get line(): number {
    return this.#line + countLineFeeds(this.#rest)
  }

  /** The records that this text completes. Skips blank lines, and a first line such as `sep=;`. Throws `CsvError`. */
  push(text: string): CsvRecord[] {
    return this.#read(this.#rest + text, false)
  }

  /** The last record, if the text does not end with a newline. Throws `CsvError`. */
  end(): CsvRecord[] {
    return this.#read(this.#rest, true)
  }

  #isLeftOut(text: string, start: number): boolean {
    const { headerLine, skipLines, comment } = this.#lines
    if (this.#line === headerLine) return false
    if (this.#line <= skipLines || this.#line < (headerLine ?? 0)) return true
    return comment !== '' && text.startsWith(comment, start)
  }

  #read(text: string, atEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = []
    const reading: Reading = { delimiter: this.#delimiter, atEnd }
    let start = 0
    while (start < text.length) {
      if (this.#isLeftOut(text, start)) {
        const end = endOfLine(text, start)
        const ending = lineEnding(text, end, atEnd)
        if (ending === -1 || (ending === 0 && !atEnd)) break
        this.#line++
        start = end + ending
        continue
      }
      const parsed = parseRecord(text, start, this.#line, reading)
      if (parsed === null) break
      const blank = parsed.cells.length === 1 && parsed.cells[0] === null
      const namesDelimiter = this.#line === 1 && delimiterLine.test(text.slice(start, parsed.next))
      if (!blank && !namesDelimiter) records.push({ line: this.#line, cells: parsed.cells })
      this.#line += parsed.lines
      start = parsed.next
    }
    this.#rest = text.slice(start)
    if (this.#rest.length > this.#recordCharsMax) {
      throw new CsvError(this.#line, `a record of more than ${this.#recordCharsMax} characters; is a quote left open?`)
    }
    return records
  }
}
