import { expect, test } from 'vitest'
import { Problem } from '../../model/problem.ts'
import { batchIsQueryable } from './batch-visibility.ts'

type Count = number | Problem | Error

/** Of a push of three rows, one of them rejected; Druid answers one after the other. */
async function wait(counts: readonly Count[], signal = new AbortController().signal): Promise<number> {
  let asked = 0
  const parts = {
    progress: { waitFor: async () => undefined },
    rejected: { ofBatch: async () => ({ count: 1, first: [] }) },
    store: {
      countPositions: async () => {
        const count = counts[Math.min(asked++, counts.length - 1)]!
        if (typeof count !== 'number') throw count
        return count
      },
    },
  }
  await batchIsQueryable(parts, { ingest: { id: 1, kind: 'series', entityId: 1 }, position: 0, rows: 3 }, signal)
  return asked
}

test.each<[string, readonly Count[], number]>([
  ['at once', [2], 1],
  ['later', [0, 1, 2], 3],
  ['after Druid was away, and busy', [new Problem('unavailable', 'x'), new Problem('query_timeout', 'x'), 2], 3],
])('rows are there %s', async (_, counts, asked) => {
  expect(await wait(counts)).toBe(asked)
})

test('a fault of ours is told, and so is the end of the wait', async () => {
  await expect(wait([new Error('broken')])).rejects.toThrow('broken')
  await expect(wait([new Problem('unavailable', 'x')], AbortSignal.timeout(20))).rejects.toThrow(/aborted/)
})
