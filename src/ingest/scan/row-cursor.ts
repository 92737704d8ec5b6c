import type { PlacedEntry } from '../../journal/journal.ts'
import { nextLineAt } from '../../lib/line-protocol/line-text.ts'
import { isLineFormat, type LineFormat } from '../../model/line-format.ts'
import type { RowOfEntry } from '../step-budget.ts'
import { type BodyRows, bodyRows, nextRowAt } from './body-rows.ts'
import { type LineOfBody, lineAt, rowText } from './lines/body-lines.ts'
import { skipValue } from './skip.ts'

type Body = Pick<PlacedEntry, 'body' | 'format'>

/** Iterates over the rows of a pushed body without validating them. */
export interface RowCursor {
  /** The current row. */
  readonly place: RowOfEntry
  /** Where the row, or its line, begins. */
  readonly at: number
  /** Approximate bytes of its text. */
  readonly textBytes: number
  text(): string
  next(): void
}

/** Starts at a row of the body. After the last row the cursor must not be used. */
export function rowCursor({ body, format }: Body, from: RowOfEntry): RowCursor {
  return isLineFormat(format) ? new LineCursor(body, format, from) : new JsonCursor({ body, format }, from)
}

class JsonCursor implements RowCursor {
  readonly #rows: BodyRows
  #index: number
  #at: number
  #end = -1

  constructor(body: Body, { index, at }: RowOfEntry) {
    this.#rows = bodyRows(body)
    this.#index = index
    this.#at = index === 0 ? this.#rows.firstAt : at
  }

  get place(): RowOfEntry {
    return { index: this.#index, at: this.#at }
  }

  get at(): number {
    return this.#at
  }

  get textBytes(): number {
    return this.#rowEnd() - this.#at
  }

  text(): string {
    return this.#rows.bytes.toString('utf8', this.#at, this.#rowEnd())
  }

  next(): void {
    this.#at = nextRowAt(this.#rows, this.#rowEnd())
    this.#index++
    this.#end = -1
  }

  #rowEnd(): number {
    if (this.#end < 0) this.#end = skipValue(this.#rows.bytes, this.#at)
    return this.#end
  }
}

class LineCursor implements RowCursor {
  readonly #bytes: Buffer
  readonly #format: LineFormat
  #index: number
  #at: number
  #field: number
  #line: LineOfBody | null = null

  constructor(body: Uint8Array, format: LineFormat, { index, at, field = 0 }: RowOfEntry) {
    this.#bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    this.#format = format
    this.#index = index
    this.#at = index === 0 ? nextLineAt(this.#bytes, 0) : at
    this.#field = field
  }

  get place(): RowOfEntry {
    return { index: this.#index, at: this.#at, field: this.#field }
  }

  get at(): number {
    return this.#at
  }

  get textBytes(): number {
    const { start, end, rows } = this.#current()
    return Math.ceil((end - start) / rows)
  }

  text(): string {
    return rowText(this.#bytes, this.#current(), this.#field, this.#format)
  }

  next(): void {
    const { rows, nextAt } = this.#current()
    this.#index++
    this.#field++
    if (this.#field < rows) return
    this.#field = 0
    this.#at = nextAt
    this.#line = null
  }

  #current(): LineOfBody {
    this.#line ??= lineAt(this.#bytes, this.#at, this.#format)
    return this.#line
  }
}

/** Advances towards a row of the body, by at most about `bytesMax`. */
export function skipRows(body: Body, from: RowOfEntry, untilIndex: number, bytesMax: number): RowOfEntry {
  const cursor = rowCursor(body, from)
  const end = cursor.at + bytesMax
  for (let { index } = from; index < untilIndex && cursor.at < end; index++) cursor.next()
  return cursor.place
}
