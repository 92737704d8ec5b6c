// Result columns -> rows as text: a JSON array of flat objects (identical to the output of JSON.stringify), one object a line, or CSV.
import type { ColumnType } from '../../model/column.ts'
import type { EntityField } from '../../model/entity.ts'
import type { ResultBatch } from '../../store/series-store.ts'
import type { ChunkWriter } from '../chunk-writer.ts'
import { type ColumnWriter, columnWriter, csvNotation, jsonNotation } from './text-columns.ts'

/** Writes the rows of a result in one format. */
export interface Encoder {
  /** The recommended number of rows per `add`, which blocks the event loop; the caller writes out memory between calls. */
  readonly rowsAtOnce: number
  /** Writes rows from `from` on. Returns the end of the rows written, at most `to`: it stops early so that the caller can write out memory. */
  add(batch: ResultBatch, from: number, to: number): number
  /** Writes the text after the last row. */
  end(): void
}

/** The fixed text around rows, and the columns' writers. */
interface Frame {
  readonly columns: readonly ColumnWriter[]
  readonly start: Uint8Array
  readonly between: Uint8Array
  readonly rowEnd: Uint8Array
  readonly end: Uint8Array
  /** Whether `start` already contains rows. */
  readonly hasHeader?: boolean
}

/** After this number of bytes, `add` returns so that the caller can write out memory. */
const addBytes = 256 * 1024
const noBytes = new Uint8Array(0)

export function jsonEncoder(fields: readonly EntityField[], out: ChunkWriter): Encoder {
  const frame = { columns: jsonColumns(fields), start: utf8Bytes('['), between: utf8Bytes(','), rowEnd: utf8Bytes('}') }
  return new RowTextEncoder({ end: utf8Bytes(']'), ...frame }, out)
}

export function ndjsonEncoder(fields: readonly EntityField[], out: ChunkWriter): Encoder {
  const frame = { columns: jsonColumns(fields), start: noBytes, between: noBytes, rowEnd: utf8Bytes('}\n') }
  return new RowTextEncoder({ end: noBytes, ...frame }, out)
}

/** RFC 4180 with a header. A null is empty, the empty string is `""`. */
export function csvEncoder(fields: readonly EntityField[], out: ChunkWriter): Encoder {
  const columns = fields.map(({ type }, index) => columnWriter(columnType(type), index === 0 ? '' : ',', csvNotation))
  const header = `${fields.map(({ name }) => csvNotation.quoteText(name)).join(',')}\r\n`
  const frame = { columns, start: utf8Bytes(header), between: noBytes, rowEnd: utf8Bytes('\r\n') }
  return new RowTextEncoder({ end: noBytes, ...frame }, out)
}

function jsonColumns(fields: readonly EntityField[]): ColumnWriter[] {
  return fields.map(({ name, type }, index) =>
    columnWriter(columnType(type), `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`, jsonNotation),
  )
}

export function utf8Bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text))
}

export function columnType(type: EntityField['type']): ColumnType {
  if (type === 'json') throw new Error('a series entity has no field of type json')
  return type
}

/** Writes rows as text, all with the same frame. */
export class RowTextEncoder implements Encoder {
  readonly rowsAtOnce = 1024
  readonly #frame: Frame
  readonly #out: ChunkWriter
  #isFirst = true

  constructor(frame: Frame, out: ChunkWriter) {
    this.#frame = frame
    this.#out = out
  }

  add(batch: ResultBatch, from: number, to: number): number {
    const { columns, start, between, rowEnd, end, hasHeader = false } = this.#frame
    const width = columns.length
    let rowBytesMax = between.length + rowEnd.length
    let until = to
    for (let index = 0; index < width; index += 1) until = columns[index].begin(batch.columns[index], from, until)
    for (const column of columns) rowBytesMax += column.bytesMax
    const out = this.#out
    if (this.#isFirst) {
      const bytes = start.length + rowBytesMax
      out.reserve(bytes, bytes * (until - from) + end.length)
      this.#put(start)
    }
    const stopBytes = out.bytes + addBytes
    let { chunk, at } = out
    for (let row = from; row < until; row += 1) {
      if (at + rowBytesMax > chunk.length) {
        out.at = at
        if (out.bytes >= stopBytes) return row
        out.reserve(rowBytesMax, rowBytesMax * (until - row) + end.length)
        chunk = out.chunk
        at = out.at
      }
      if (!this.#isFirst || hasHeader) at = copy(chunk, at, between)
      this.#isFirst = false
      for (let index = 0; index < width; index += 1) at = columns[index].write(chunk, at, row)
      at = copy(chunk, at, rowEnd)
    }
    out.at = at
    out.checkSize()
    return until
  }

  end(): void {
    const { start, end } = this.#frame
    if (this.#isFirst) {
      this.#out.reserve(start.length + end.length)
      this.#put(start)
    }
    this.#out.reserve(end.length)
    this.#put(end)
  }

  #put(bytes: Uint8Array): void {
    const out = this.#out
    out.at = copy(out.chunk, out.at, bytes)
  }
}

function copy(out: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index += 1) out[at + index] = bytes[index]
  return at + bytes.length
}
