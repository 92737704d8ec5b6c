// The data sets of the recorded answers, as entities in Druid.
import { RowValidator } from '../../src/ingest/row-validator.ts'
import type { Entity } from '../../src/model/entity.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import type { StoreWorld } from '../contract/series-store.ts'
import type { loadTool } from '../druid-sql/recorded.ts'
import { ingestOf } from '../support/ingest-of.ts'

type Corpus = Awaited<ReturnType<typeof loadTool>>['corpus']

export function recordedWorld(corpus: Corpus): StoreWorld {
  const entities: Entity[] = []
  const batches: RowBatch[] = []
  for (const [index, name] of corpus.DATASET_NAMES.entries()) {
    const set = corpus.dataset(name)
    const { fields } = set.tidemark
    const entity: Entity = {
      id: index + 1,
      name,
      fields,
      duplicates: 'keep',
      ingests: [name],
      retention: null,
      sinceMs: null,
    }
    entities.push(entity)
    batches.push(...batchesOf(entity, corpus.lines(set, 'tidemark')))
  }
  return { entities, batches }
}

function batchesOf(entity: Entity, lines: readonly string[]): RowBatch[] {
  const validator = new RowValidator({ rowBytes: 1_000_000 })
  const batches: RowBatch[] = []
  for (let from = 0; from < lines.length; from += 5000) {
    const part = lines.slice(from, from + 5000)
    const body = Buffer.from(`[${part.join(',')}]`)
    const entry = { ingestId: entity.id, fieldsVersion: 1, subscriberId: 1, receivedMs: 0, idempotencyKey: null }
    const placed = { ...entry, format: 'json' as const, rows: part.length, body, position: from }
    const { batch, rejected } = validator.validate([placed], ingestOf(entity))
    if (rejected.length > 0) throw new Error(`a row of ${entity.name} is rejected: ${rejected[0]!.message}`)
    if (batch !== null) batches.push(batch)
  }
  return batches
}
