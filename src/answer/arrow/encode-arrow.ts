// Result columns -> an Arrow IPC stream. Strings are plain utf8, which all readers support (docs/decisions/queries.md).
import type { EntityField } from '../../model/entity.ts'
import type { ResultBatch } from '../../store/series-store.ts'
import type { ChunkWriter } from '../chunk-writer.ts'
import { columnType, type Encoder } from '../text/encode-text.ts'
import { ArrowColumn } from './arrow-columns.ts'
import { alignedBytes, endOfStream, recordBatchMessage, schemaMessage } from './messages.ts'

/** Maximum bytes of a string column in one record batch; a single longer string is allowed. */
const textBytesMax = 1024 * 1024

export class ArrowEncoder implements Encoder {
  readonly rowsAtOnce = 4096
  readonly #fields: readonly EntityField[]
  readonly #columns: readonly ArrowColumn[]
  readonly #out: ChunkWriter

  constructor(fields: readonly EntityField[], out: ChunkWriter) {
    this.#fields = fields
    this.#columns = fields.map(() => new ArrowColumn())
    this.#out = out
    this.#put(schemaMessage(fields.map(({ name, type }) => ({ name, type: columnType(type) }))))
  }

  /** Each call writes one record batch. */
  add(batch: ResultBatch, from: number, to: number): number {
    let until = to
    for (const [index, column] of this.#columns.entries()) {
      const { name, type } = this.#fields[index]
      if (batch.columns[index].type !== type) {
        throw new Error(
          `${name}: a column of type ${batch.columns[index].type} came where the plan has one of type ${type}`,
        )
      }
      until = column.begin(batch.columns[index], from, until, textBytesMax)
    }
    const rows = batch.columns.map((column) => ({ column, from, to: until }))
    const layouts = this.#columns.map((column, index) => column.layout(rows[index]))
    const message = recordBatchMessage(until - from, layouts)
    const bodyBytes = layouts
      .flatMap(({ bufferBytes }) => bufferBytes)
      .reduce((sum, bytes) => sum + alignedBytes(bytes), 0)
    const out = this.#out
    out.reserve(message.length + bodyBytes)
    this.#put(message)
    for (const [index, column] of this.#columns.entries()) {
      out.at = column.write(rows[index], layouts[index].nulls, out.chunk, out.at)
    }
    out.checkSize()
    return until
  }

  end(): void {
    this.#put(endOfStream)
  }

  #put(bytes: Uint8Array): void {
    const out = this.#out
    out.reserve(bytes.length)
    out.chunk.set(bytes, out.at)
    out.at += bytes.length
  }
}
