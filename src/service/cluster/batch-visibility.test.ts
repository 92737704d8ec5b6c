import { describe, expect, test } from 'vitest'
import { Problem } from '../../model/problem.ts'
import { batchIsQueryable, replayIsQueryable } from './batch-visibility.ts'

type Count = number | Problem | Error

function answer(counts: readonly Count[], asked: number): number {
  const count = counts[Math.min(asked, counts.length - 1)]!
  if (typeof count !== 'number') throw count
  return count
}

/** Of a push of three rows, one of them rejected; Druid answers one after the other. */
async function wait(counts: readonly Count[], signal = new AbortController().signal): Promise<number> {
  let asked = 0
  const parts = {
    progress: { waitFor: async () => undefined },
    rejected: { ofBatch: async () => ({ count: 1, first: [] }) },
    store: {
      countPositions: async () => {
        return answer(counts, asked++)
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

describe('rows of a replay', () => {
  const positions = [3, 5, 9]

  async function waitReplay(
    counts: readonly Count[],
    rows: { readonly stored: number; readonly kind?: 'series' | 'metadata' },
    { waitMs = 60_000, signal = new AbortController().signal } = {},
  ): Promise<number> {
    let asked = 0
    const store = {
      countAt: async (entityId: number, at: readonly number[]) => {
        expect([entityId, at]).toEqual([1, positions])
        return answer(counts, asked++)
      },
    }
    const { stored, kind = 'series' } = rows
    await replayIsQueryable({ store, waitMs }, { ingest: { kind, entityId: 1 }, positions, stored }, signal)
    return asked
  }

  test.each<[string, readonly Count[], number]>([
    ['at once', [2], 1],
    ['later', [0, 1, 2], 3],
    ['after Druid was away', [new Problem('unavailable', 'x'), 2], 2],
  ])('are there %s', async (_, counts, asked) => {
    expect(await waitReplay(counts, { stored: 2 })).toBe(asked)
  })

  test('are not waited for where none was stored, or they are items', async () => {
    expect(await waitReplay([0], { stored: 0 })).toBe(0)
    expect(await waitReplay([0], { stored: 2, kind: 'metadata' })).toBe(0)
  })

  test('are not waited for any longer than a push, nor for a caller who has left', async () => {
    await waitReplay([0], { stored: 2 }, { waitMs: 10 })
    await expect(waitReplay([0], { stored: 2 }, { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow()
    await expect(waitReplay([new Error('broken')], { stored: 2 })).rejects.toThrow('broken')
  })
})
