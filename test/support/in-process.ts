// Queries without a thread or server in between, for tests of their results.
import { tmpdir } from 'node:os'
import { openAnswer, packed } from '../../src/answer/answer-data.ts'
import type { SpoolBudget } from '../../src/answer/spool.ts'
import { storeRows } from '../../src/answer/store-rows.ts'
import type { Answer } from '../../src/answer/whole-answer.ts'
import type { ItemCatalog } from '../../src/catalog/catalog.ts'
import { bucketsOfPlan } from '../../src/druid-time/plain-granularity.ts'
import { outputFields } from '../../src/model/plan.ts'
import type { PlanRunner } from '../../src/query/plan-runner.ts'
import type { SeriesQuerier } from '../../src/store/series-store.ts'

const noSpare = (): void => undefined
const ampleBudget: SpoolBudget = { memoryBytes: 1_000_000_000, fileBytes: 0 }

/** Runs plans on a store in the same thread. */
export function inProcessRunner(
  reader: SeriesQuerier,
  {
    budget = ampleBudget,
    sliceMs = 5,
    spoolDirectory = tmpdir(),
  }: { budget?: SpoolBudget; sliceMs?: number; spoolDirectory?: string } = {},
): Omit<PlanRunner, 'run'> & { run(...asked: Parameters<PlanRunner['run']>): Promise<Answer> } {
  return {
    run: async ({ plan, format }, limits, signal) => {
      const rows = { fields: outputFields(plan), batches: reader.run(plan, limits, signal, bucketsOfPlan(plan)) }
      const shape = { format, resultBytes: limits.resultBytes, budget }
      return openAnswer(packed(await storeRows(rows, shape, { sliceMs, spoolDirectory }, signal), noSpare))
    },
    statistics: (entityId, sinceMs, signal) => reader.statistics(entityId, sinceMs, signal),
    tags: (request, signal) => reader.tags(request, signal),
  }
}

/** An answer of one chunk, with nothing to release. */
export function plainAnswer(body: string | Uint8Array, rows = 1): Answer {
  const chunk = Buffer.from(body)
  return { rows, bytes: chunk.length, chunks: [chunk], release: () => undefined }
}

/** The whole body of an answer; releases the answer. */
export async function bodyOf(answer: Answer): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.chunks) chunks.push(Uint8Array.from(chunk))
  answer.release()
  return Buffer.concat(chunks)
}

/** No metadata. */
export const noItems: Pick<ItemCatalog, 'list' | 'find'> = {
  list: async () => ({ items: [], more: false }),
  find: async (_, keys) => ({ items: [], keysRead: keys.length }),
}
