import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { CancelSignal } from '../lib/cancellation.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { Pacer } from '../lib/pacer.ts'
import type { AnswerData } from './answer-data.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { Spool, type SpoolBudget } from './spool.ts'
import type { AnswerSettings } from './store-rows.ts'

/** Characters per unit of the pacer's work. */
const charactersPerUnit = 4

/** The most UTF-8 bytes of one UTF-16 code unit. */
const unitBytes = 3

/** Stores a text that arrives in pieces until it is complete. Throws errors of `pieces`, and Problem `result_too_large` or `overloaded`. */
export async function storeText(
  pieces: AsyncIterable<string>,
  { resultBytes, budget }: { readonly resultBytes: number; readonly budget: SpoolBudget },
  { sliceMs, disk = nodeDisk, spoolDirectory, spares }: AnswerSettings,
  signal: CancelSignal,
): Promise<Omit<AnswerData, 'rows'>> {
  const pacer = new Pacer({ sliceMs, signal })
  const chunks = new ChunkWriter(resultBytes, spares)
  const spool = new Spool(chunks, budget, { disk, newPath: () => join(spoolDirectory, randomUUID()) })
  const encoder = new TextEncoder()
  try {
    for await (const piece of pieces) {
      chunks.reserve(piece.length * unitBytes, piece.length)
      chunks.at += encoder.encodeInto(piece, chunks.chunk.subarray(chunks.at)).written
      if (spool.isDue) await spool.flushToFile()
      if (pacer.spend(piece.length / charactersPerUnit)) await pacer.rest()
    }
    const body = await spool.finish()
    return { bytes: chunks.bytes, body }
  } catch (error) {
    await spool.discard()
    throw error
  }
}
