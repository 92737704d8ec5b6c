import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Disk } from '../lib/disk.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { Pacer } from '../lib/pacer.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { DruidShape } from '../model/druid-layout.ts'
import type { EntityField } from '../model/entity.ts'
import type { ResultBatch } from '../store/series-store.ts'
import type { AnswerData } from './answer-data.ts'
import { ArrowShaper } from './arrow/shape-arrow.ts'
import { ChunkWriter } from './chunk-writer.ts'
import type { SpareChunks } from './spare-chunks.ts'
import { Spool, type SpoolBudget } from './spool.ts'
import { druidShaper } from './text/druid-text.ts'
import { csvShaper, jsonShaper, ndjsonShaper, type Shaper } from './text/shape-text.ts'

/** Bytes written that count as one unit of the pacer's work. */
const bytesPerUnit = 4

export interface AnswerSettings {
  /** How long the writing of an answer may hold the event loop. */
  readonly sliceMs: number
  /** This machine's when it is left out. */
  readonly disk?: Disk
  /** The folder for what does not fit into memory. */
  readonly spoolDirectory: string
  /** Where the memory of answers comes from that were sent. */
  readonly spares?: SpareChunks
}

export interface RowStream {
  readonly fields: readonly EntityField[]
  readonly batches: AsyncIterable<ResultBatch>
}

export interface AnswerShape {
  readonly format: AnswerFormat | DruidShape
  readonly resultBytes: number
  readonly budget: SpoolBudget
}

/** Writes rows as they come and keeps them until they are whole. Throws what `batches` throws, and Problem `result_too_large` or `overloaded`. */
export async function storeRows(
  { fields, batches }: RowStream,
  { format, resultBytes, budget }: AnswerShape,
  { sliceMs, disk = nodeDisk, spoolDirectory, spares }: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData> {
  const pacer = new Pacer({ sliceMs, signal })
  const chunks = new ChunkWriter(resultBytes, spares)
  const spool = new Spool(chunks, budget, { disk, newPath: () => join(spoolDirectory, randomUUID()) })
  try {
    const shaper = newShaper(format, fields, chunks)
    let rows = 0
    for await (const batch of batches) {
      for (let from = 0; from < batch.rows; ) {
        const bytes = chunks.bytes
        from = shaper.add(batch, from, Math.min(batch.rows, from + shaper.rowsAtOnce))
        if (spool.isDue) await spool.putAway()
        if (pacer.spend((chunks.bytes - bytes) / bytesPerUnit)) await pacer.rest()
      }
      rows += batch.rows
    }
    shaper.end()
    const body = await spool.finish()
    return { rows, bytes: chunks.bytes, body }
  } catch (error) {
    await spool.discard()
    throw error
  }
}

function newShaper(format: AnswerFormat | DruidShape, fields: readonly EntityField[], out: ChunkWriter): Shaper {
  if (typeof format === 'object') return druidShaper(fields, format, out)
  switch (format) {
    case 'json':
      return jsonShaper(fields, out)
    case 'ndjson':
      return ndjsonShaper(fields, out)
    case 'csv':
      return csvShaper(fields, out)
    case 'arrow':
      return new ArrowShaper(fields, out)
    default:
      return format satisfies never
  }
}
