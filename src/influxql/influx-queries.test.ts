import { tmpdir } from 'node:os'
import { expect, test, vi } from 'vitest'
import { UnsentAnswers } from '../answer/unsent-answers.ts'
import { Cancellation } from '../lib/cancellation.ts'
import type { Entity } from '../model/entity.ts'
import { InfluxQueries } from './influx-queries.ts'
import { parseInfluxql } from './parse.ts'

const plant: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}
const reader = { id: 'any', mayRead: () => true }
const limits = {
  queryTimeMs: 60_000,
  buckets: 1000,
  resultRows: 1000,
  resultBytes: 1e9,
  readRows: 1000,
  sqlTokens: 1000,
}

test('endless rows are processed until the query times out, then their result is released', async () => {
  let timeIsOver = (): void => undefined
  let released = false
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; ; chunk++) {
      if (chunk === 3) timeIsOver()
      yield Buffer.from('["2026-01-01T00:00:00.000Z",1.0]\n'.repeat(5000))
    }
  }
  const release = (): void => {
    released = true
  }
  const queries = new InfluxQueries({
    definitions: {
      ingest: () => undefined,
      ingests: () => [],
      entity: (name) => (name === 'plant' ? plant : undefined),
      entities: () => [plant],
    },
    sqlQueries: { run: async () => ({ rows: 0, bytes: 0, chunks: chunks(), release }) },
    unsent: new UnsentAnswers({ answerMemoryBytes: 2 ** 20, memoryBytes: 2 ** 24, fileBytes: 0 }),
    settings: { sliceMs: 0, spoolDirectory: tmpdir() },
    limits,
    nowMs: () => Date.UTC(2026, 0, 2),
    timer: (callback) => {
      timeIsOver = callback
      return () => undefined
    },
  })
  const question = {
    statements: parseInfluxql('SELECT cumulative_sum(V) FROM plant LIMIT 1'),
    database: 'plant',
    format: { epochNs: null, isPretty: false, chunkRows: null, isCsv: false },
  }
  await expect(queries.run(question, new Cancellation(), reader)).rejects.toMatchObject({
    code: 'query_timeout',
    message: expect.stringContaining('limits.queryTimeMs'),
  })
  await vi.waitFor(() => expect(released).toBe(true))
})
