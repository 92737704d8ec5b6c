import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Disk } from '../lib/disk.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { Pacer } from '../lib/pacer.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { TypedDruidLayout } from '../model/druid-layout.ts'
import type { EntityField } from '../model/entity.ts'
import type { ResultBatch } from '../store/series-store.ts'
import type { AnswerData } from './answer-data.ts'
import { ArrowEncoder } from './arrow/encode-arrow.ts'
import { ChunkWriter } from './chunk-writer.ts'
import type { SpareChunks } from './spare-chunks.ts'
import { Spool, type SpoolBudget } from './spool.ts'
import { druidEncoder } from './text/druid-text.ts'
import { csvEncoder, type Encoder, jsonEncoder, ndjsonEncoder } from './text/encode-text.ts'

/** Bytes written per unit of the pacer's work. */
const bytesPerUnit = 4

export interface AnswerSettings {
  /** The longest time that writing an answer may block the event loop. */
  readonly sliceMs: number
  /** Defaults to the local machine's disk. */
  readonly disk?: Disk
  /** The folder for answers that do not fit in memory. */
  readonly spoolDirectory: string
  /** Source of reusable memory of answers already sent. */
  readonly spares?: SpareChunks
}

export interface RowStream {
  readonly fields: readonly EntityField[]
  readonly batches: AsyncIterable<ResultBatch>
}

export interface AnswerOutput {
  readonly format: AnswerFormat | TypedDruidLayout
  readonly resultBytes: number
  readonly budget: SpoolBudget
}

/** Encodes rows as they arrive and stores them until they are complete. Throws errors of `batches`, and Problem `result_too_large` or `overloaded`. */
export async function storeRows(
  { fields, batches }: RowStream,
  { format, resultBytes, budget }: AnswerOutput,
  { sliceMs, disk = nodeDisk, spoolDirectory, spares }: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData> {
  const pacer = new Pacer({ sliceMs, signal })
  const chunks = new ChunkWriter(resultBytes, spares)
  const spool = new Spool(chunks, budget, { disk, newPath: () => join(spoolDirectory, randomUUID()) })
  try {
    const encoder = newEncoder(format, fields, chunks)
    let rows = 0
    for await (const batch of batches) {
      for (let from = 0; from < batch.rows; ) {
        const bytes = chunks.bytes
        from = encoder.add(batch, from, Math.min(batch.rows, from + encoder.rowsAtOnce))
        if (spool.isDue) await spool.flushToFile()
        if (pacer.spend((chunks.bytes - bytes) / bytesPerUnit)) await pacer.rest()
      }
      rows += batch.rows
    }
    encoder.end()
    const body = await spool.finish()
    return { rows, bytes: chunks.bytes, body }
  } catch (error) {
    await spool.discard()
    throw error
  }
}

function newEncoder(
  format: AnswerFormat | TypedDruidLayout,
  fields: readonly EntityField[],
  out: ChunkWriter,
): Encoder {
  if (typeof format === 'object') return druidEncoder(fields, format, out)
  switch (format) {
    case 'json':
      return jsonEncoder(fields, out)
    case 'ndjson':
      return ndjsonEncoder(fields, out)
    case 'csv':
      return csvEncoder(fields, out)
    case 'arrow':
      return new ArrowEncoder(fields, out)
    default:
      return format satisfies never
  }
}
