import { expect, test } from 'vitest'
import { bodyOf, inProcessRunner } from '../../test/support/in-process.ts'
import type { Plan, PlanLimits } from '../model/plan.ts'
import type { ResultBatch, SeriesQuerier } from '../store/series-store.ts'

const plan: Plan = {
  kind: 'average',
  selection: {
    entityId: 1,
    time: { name: 'D', type: 'timestamp', role: 'time' },
    tags: [{ name: 'T', type: 'string', role: 'tag' }],
    ids: null,
    prefixes: null,
    sinceMs: null,
    metrics: [{ name: 'count', type: 'long', role: 'metric' }],
    fields: [],
  },
  range: { fromMs: 0, toMs: 1 },
  granularity: { kind: 'all' },
  byTag: false,
}
const query = { language: 'data', plan, format: 'json' } as const
const limits: PlanLimits = { resultRows: 100, buckets: 100, resultBytes: 100_000_000 }

function readerOf(batches: Iterable<ResultBatch>): SeriesQuerier {
  return {
    async *run() {
      yield* batches
    },
    statistics: async (entityId) => ({ rows: entityId, firstMs: null, lastMs: null }),
    tags: async () => ({ tags: [], more: false }),
  }
}

function meansBatch(from: number, rows: number): ResultBatch {
  const values = Float64Array.from({ length: rows }, (_, row) => from + row)
  return {
    rows,
    columns: [
      { type: 'timestamp', values },
      { type: 'double', values },
    ],
  }
}

test('the batches of a run become one answer', async () => {
  const runner = inProcessRunner(readerOf([meansBatch(0, 2), meansBatch(2, 1)]))
  const answer = await runner.run(query, limits, new AbortController().signal)
  expect((await bodyOf(answer)).toString()).toBe(
    '[{"D":"1970-01-01T00:00:00.000Z","count":0},{"D":"1970-01-01T00:00:00.001Z","count":1},' +
      '{"D":"1970-01-01T00:00:00.002Z","count":2}]',
  )
  expect(answer).toMatchObject({ rows: 3, bytes: 130 })
})

test('a large batch is written in slices, and other work runs in between', async () => {
  const runner = inProcessRunner(readerOf([meansBatch(0, 50_000), meansBatch(50_000, 1)]), { sliceMs: 0 })
  let hadItsTurn = false
  setImmediate(() => {
    hadItsTurn = true
  })
  const answer = await runner.run(query, limits, new AbortController().signal)
  expect(answer.rows).toBe(50_001)
  expect(JSON.parse((await bodyOf(answer)).toString())).toHaveLength(50_001)
  expect(hadItsTurn).toBe(true)
})

test('an aborted run ends between two slices', async () => {
  const controller = new AbortController()
  const runner = inProcessRunner(readerOf([meansBatch(0, 1_000_000)]), { sliceMs: 0 })
  const running = runner.run(query, limits, controller.signal)
  setImmediate(() => controller.abort(new Error('gone')))
  await expect(running).rejects.toThrow('gone')
})

test('statistics are those of the reader', async () => {
  expect(await inProcessRunner(readerOf([])).statistics(5, null, new AbortController().signal)).toMatchObject({
    rows: 5,
  })
})
