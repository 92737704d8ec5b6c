// Result columns -> the bytes of a JSON array of flat objects, the same that JSON.stringify would give for the rows.
import type { ColumnType } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import type { ResultBatch } from '../store/series-store.ts'
import { type ColumnWriter, columnWriter } from './json-columns.ts'
import type { Answer } from './query-runner.ts'

/** Bodies are kept in pieces of about this size. */
const chunkBytes = 256 * 1024
const empty = new Uint8Array(0)
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const closeBrace = 0x7d

export class JsonShaper {
  readonly #columns: readonly ColumnWriter[]
  readonly #resultBytes: number
  readonly #chunks: Uint8Array[] = []
  #chunk: Uint8Array = empty
  #at = 0
  #fullBytes = 0
  #rows = 0

  /** `resultBytes` is the most that the body may have. */
  constructor(fields: readonly EntityField[], resultBytes: number) {
    this.#resultBytes = resultBytes
    this.#columns = fields.map(({ name, type }, index) =>
      columnWriter(columnType(type), `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    )
  }

  /** Writes the rows from `from` up to `to`. Throws Problem `result_too_large`. */
  add(batch: ResultBatch, from = 0, to = batch.rows): void {
    const columns = this.#columns
    const width = columns.length
    // A comma before the row, a brace after it, and the array's last bracket.
    let rowBytesMax = 3
    for (let index = 0; index < width; index += 1) {
      const column = columns[index]!
      column.begin(batch.columns[index]!, from, to)
      rowBytesMax += column.bytesMax
    }
    let chunk = this.#chunk
    let at = this.#at
    for (let row = from; row < to; row += 1) {
      if (at + rowBytesMax > chunk.length) {
        this.#at = at
        chunk = this.#nextChunk(rowBytesMax, to - row)
        at = 0
      }
      chunk[at++] = comma
      for (let index = 0; index < width; index += 1) at = columns[index]!.write(chunk, at, row)
      chunk[at++] = closeBrace
    }
    this.#at = at
    this.#rows += to - from
    this.#checkSize()
  }

  /** The whole body. */
  finish(): Answer {
    if (this.#rows === 0) return { rows: 0, bytes: 2, chunks: [Uint8Array.of(openBracket, closeBracket)] }
    this.#chunk[this.#at++] = closeBracket
    this.#checkSize()
    this.#keepChunk()
    // Each row begins with a comma; the first one's place is the bracket's.
    this.#chunks[0]![0] = openBracket
    return { rows: this.#rows, bytes: this.#fullBytes, chunks: this.#chunks }
  }

  #nextChunk(rowBytesMax: number, rows: number): Uint8Array {
    this.#keepChunk()
    this.#checkSize()
    // Rows shorter than the longest leave room at the end of a chunk, at most a quarter of it.
    const bytes = Math.min(rowBytesMax * rows, Math.max(chunkBytes, rowBytesMax * 4))
    // Of its own memory, not of the pool that small buffers share: it is handed over to another thread.
    this.#chunk = new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
    return this.#chunk
  }

  #keepChunk(): void {
    if (this.#at > 0) this.#chunks.push(this.#chunk.subarray(0, this.#at))
    this.#fullBytes += this.#at
    this.#at = 0
  }

  #checkSize(): void {
    const bytes = this.#fullBytes + this.#at
    if (bytes <= this.#resultBytes) return
    throw new Problem(
      'result_too_large',
      `The answer has more than ${this.#resultBytes} bytes, which is limits.resultBytes. ` +
        'Ask for a shorter range, fewer tags (ids, prefixes), fewer metrics or a coarser granularity.',
    )
  }
}

function columnType(type: EntityField['type']): ColumnType {
  if (type === 'json') throw new Error('a series entity has no field of type json')
  return type
}
