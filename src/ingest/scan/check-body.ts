import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { BodyFormat } from '../../journal/journal.ts'
import { carriageReturn, closeBracket, comma, newline, openBrace, openBracket } from '../../lib/ascii.ts'
import { byteOrder, isGzip } from '../../lib/encodings.ts'
import { Serial } from '../../lib/serial.ts'
import { isLineFormat } from '../../model/line-format.ts'
import { Problem } from '../../model/problem.ts'
import { MalformedJson, skipJsonSpace, ValueCheck } from './check-json.ts'
import { countLineRows } from './lines/body-lines.ts'
import { PlainRows } from './plain-rows.ts'

const expected = {
  json: 'one row as an object, or an array of rows',
  ndjson: 'one row a line',
} as const

function expectedOf(format: BodyFormat): string {
  return isLineFormat(format) ? 'lines of line protocol' : expected[format]
}

/** A slice ends with the row that reaches this size, after about half a millisecond. A small push may wait for several slices. */
const sliceBytes = 128 * 1024

/** Yields after each slice, and returns the number of rows. */
type Count = Generator<void, number>

/** The most rows of a body, and the setting that defines it. */
export interface RowsLimit {
  readonly rowsMax: number
  readonly name: 'limits.pushRows' | 'limits.checkRows'
}

const anyRows: RowsLimit = { rowsMax: Number.POSITIVE_INFINITY, name: 'limits.pushRows' }

function tooManyRows({ rowsMax, name }: RowsLimit): Problem {
  return new Problem(
    'too_many_rows',
    `The body has more than ${rowsMax} rows (${name}). Nothing was stored. Send them in several requests.`,
  )
}

/** Returns the place after a row that is not plain; a large row takes several slices. */
function* valueEnd(check: ValueCheck, at: number, end: number): Count {
  check.begin(at)
  for (let stop = at + sliceBytes; !check.continueTo(end, stop); stop = check.at + sliceBytes) yield
  return check.at
}

/** Counts the rows of a JSON body. */
function* countRows(bytes: Buffer, limit: RowsLimit): Count {
  const end = bytes.length
  const plain = new PlainRows(bytes)
  const check = new ValueCheck(bytes)
  let first = -1
  let rows = 0
  let next: 'body' | 'firstRow' | 'row' | 'comma' | 'nothing' = 'body'
  for (let at = 0, sliceEnd = sliceBytes; ; ) {
    at = skipJsonSpace(bytes, at, Math.min(end, sliceEnd))
    if (at >= sliceEnd) {
      yield
      sliceEnd = at + sliceBytes
      continue
    }
    const byte = at < end ? bytes[at]! : -1
    if (first < 0) first = byte
    if (next === 'nothing') {
      if (at < end) throw new MalformedJson(at)
      break
    }
    if (next === 'comma') {
      if (byte !== comma && byte !== closeBracket) throw new MalformedJson(at)
      if (byte === comma && rows === limit.rowsMax) throw tooManyRows(limit)
      next = byte === comma ? 'row' : 'nothing'
      at++
    } else if (next === 'body' && byte === openBracket) {
      next = 'firstRow'
      at++
    } else if (next === 'firstRow' && byte === closeBracket) {
      next = 'nothing'
      at++
    } else {
      const after = plain.skip(at)
      at = after < 0 ? yield* valueEnd(check, at, end) : after
      rows++
      next = next === 'body' ? 'nothing' : 'comma'
    }
  }
  if (first !== openBrace && first !== openBracket) {
    throw new Problem('invalid_body', `The body is a single value: send ${expected.json}.`)
  }
  return rows
}

/** Counts the lines of an NDJSON body; blank lines are not rows. */
function* countLines(bytes: Buffer, limit: RowsLimit): Count {
  const plain = new PlainRows(bytes)
  const check = new ValueCheck(bytes)
  const lineEndAt = (start: number): number => {
    const found = bytes.indexOf(newline, start)
    return found < 0 ? bytes.length : found
  }
  let rows = 0
  let hasRow = false
  let end = lineEndAt(0)
  for (let at = 0, sliceEnd = sliceBytes; at < bytes.length; ) {
    at = skipJsonSpace(bytes, at, Math.min(end, sliceEnd))
    if (at >= sliceEnd) {
      yield
      sliceEnd = at + sliceBytes
    } else if (at < end) {
      if (hasRow) throw new MalformedJson(at)
      if (rows === limit.rowsMax) throw tooManyRows(limit)
      const after = plain.skip(at)
      at = after < 0 ? yield* valueEnd(check, at, end) : after
      rows++
      hasRow = true
    } else {
      hasRow = false
      at = end + 1
      end = lineEndAt(at)
    }
  }
  return rows
}

/** Line and column in characters, both from 1. Works on bytes, because a body may be too large to split into strings. */
function placeOf(bytes: Buffer, at: number): { line: number; column: number } {
  let line = 1
  let column = 1
  for (let i = 0; i < at; i++) {
    const byte = bytes[i]!
    if (byte === newline) {
      line++
      column = 1
    } else if ((byte & 0xc0) !== 0x80) {
      // Not a continuation byte of a character.
      column++
    }
  }
  return { line, column }
}

function describe(bytes: Buffer, { at, message }: MalformedJson, format: BodyFormat): string {
  const { line, column } = placeOf(bytes, at)
  const lineEnds = at >= bytes.length || (format === 'ndjson' && bytes[at] === newline)
  const [character = ''] = bytes.toString('utf8', at, at + 4)
  const what = message || (lineEnds ? 'it ends too early' : `unexpected ${JSON.stringify(character)}`)
  // Some programs end lines with a carriage return alone.
  const behind =
    format === 'ndjson' && bytes[at - 1] === carriageReturn ? ' behind a carriage return without a newline' : ''
  return format === 'ndjson'
    ? `Line ${line} is not JSON: ${what} at column ${column}${behind}. Send one JSON object a line.`
    : `The body is not JSON: ${what} at line ${line}, column ${column}.`
}

/** Throws for a body that is not UTF-8. Line protocol only fails here as gzip or UTF-16; otherwise each invalid line is its own fault. */
function refuseOther(body: Uint8Array, format: BodyFormat): void {
  if (isGzip(body)) throw new Problem('invalid_body', 'The body is gzip: send the header Content-Encoding: gzip.')
  const isLines = isLineFormat(format)
  if (!isLines || byteOrder(body) !== null)
    throw new Problem('invalid_body', `The body is not UTF-8: send ${isLines ? 'lines' : 'JSON'} in UTF-8.`)
}

/** Yields after each slice, and returns the number of rows. Throws as `checkBody` does. */
function* countedRows(body: Uint8Array, format: BodyFormat, limit: RowsLimit): Count {
  if (body.length === 0) throw new Problem('invalid_body', `The body is empty: send ${expectedOf(format)}.`)
  const isText = isUtf8(body)
  if (!isText) refuseOther(body, format)
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (isLineFormat(format)) {
    return yield* countLineRows(bytes, isText, format, sliceBytes, (rows) => {
      if (rows > limit.rowsMax) throw tooManyRows(limit)
    })
  }
  try {
    return yield* format === 'json' ? countRows(bytes, limit) : countLines(bytes, limit)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw new Problem('invalid_json', describe(bytes, error, format))
  }
}

/**
 * The number of rows in a pushed body, good and bad: the elements of an array, 1 for an object, the non-blank lines of NDJSON, or the count of
 * `countLineRows`. Throws Problem `invalid_json` if it is not JSON or is nested too deep, `invalid_body` if it is empty, not UTF-8 (for lines: gzip
 * or UTF-16), or neither an object nor an array, and `too_many_rows` at the first row past the limit.
 */
export function checkBody(body: Uint8Array, format: BodyFormat, limit = anyRows): number {
  const count = countedRows(body, format, limit)
  let step = count.next()
  while (step.done !== true) step = count.next()
  return step.value
}

/** Like `checkBody`, for a body of at most one slice; null for a larger one. */
export function checkSmallBody(body: Uint8Array, format: BodyFormat, limit: RowsLimit): number | null {
  return body.length <= sliceBytes ? checkBody(body, format, limit) : null
}

/** Runs large bodies one at a time, so that each turn of the event loop checks one slice however many there are. */
const large = new Serial()

/** Like `checkBody`, one slice at a time: other requests get their turn while a large body is checked. Large bodies are checked one after another. */
export async function checkBodyInSlices(body: Uint8Array, format: BodyFormat, limit = anyRows): Promise<number> {
  if (body.length <= sliceBytes) return checkBody(body, format, limit)
  return large.run(async () => {
    const count = countedRows(body, format, limit)
    let step = count.next()
    for (; step.done !== true; step = count.next()) await setImmediate()
    return step.value
  })
}
