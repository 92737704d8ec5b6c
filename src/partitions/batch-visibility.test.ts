import { describe, expect, test } from 'vitest'
import type { StoredRows } from '../catalog/partitions.ts'
import { positionAt } from '../journal/partition-position.ts'
import type { Entity } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { batchIsQueryable, replayIsQueryable, rowIsSeen, unseenRows } from './batch-visibility.ts'

const entityOf = (id: number): Entity => ({
  ...{ id, name: 'e', kind: 'series', fields: [], ingests: [], duplicates: 'keep', retention: null, sinceMs: null },
})

type Count = number | Problem | Error

function answer(counts: readonly Count[], asked: number): number {
  const count = counts[Math.min(asked, counts.length - 1)]!
  if (typeof count !== 'number') throw count
  return count
}

/** Waits for a push of three rows, one of them rejected; Druid returns these counts one after the other. */
async function wait(counts: readonly Count[], signal = new AbortController().signal): Promise<number> {
  let asked = 0
  const looked: number[] = []
  const parts = {
    progress: { waitFor: async () => undefined, checkVisible: async (ingestId: number) => void looked.push(ingestId) },
    rejected: { ofBatch: async () => ({ count: 1, first: [], replaced: 0 }) },
    store: {
      countPositions: async () => {
        return answer(counts, asked++)
      },
    },
  }
  await batchIsQueryable(parts, { ingest: { id: 7, kind: 'series', entityId: 1 }, position: 0, rows: 3 }, signal)
  // The counters include the rows then.
  expect(looked).toEqual([7])
  return asked
}

test.each<[string, readonly Count[], number]>([
  ['at once', [2], 1],
  ['later', [0, 1, 2], 3],
  ['after Druid was unavailable and busy', [new Problem('unavailable', 'x'), new Problem('query_timeout', 'x'), 2], 3],
])('a push waits until its rows are queryable: %s', async (_, counts, asked) => {
  expect(await wait(counts)).toBe(asked)
})

test('an internal error and an abort end the wait', async () => {
  await expect(wait([new Error('broken')])).rejects.toThrow('broken')
  await expect(wait([new Problem('unavailable', 'x')], AbortSignal.timeout(20))).rejects.toThrow(/aborted/)
})

describe('a replay', () => {
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
    const progress = { checkVisible: async () => undefined }
    await replayIsQueryable(
      { progress, store, waitMs },
      { ingest: { id: 7, kind, entityId: 1 }, positions, stored },
      signal,
    )
    return asked
  }

  test.each<[string, readonly Count[], number]>([
    ['at once', [2], 1],
    ['later', [0, 1, 2], 3],
    ['after Druid was unavailable', [new Problem('unavailable', 'x'), 2], 2],
  ])('waits until its rows are queryable: %s', async (_, counts, asked) => {
    expect(await waitReplay(counts, { stored: 2 })).toBe(asked)
  })

  test('does not wait when it stored no rows, or its rows are items', async () => {
    expect(await waitReplay([0], { stored: 0 })).toBe(0)
    expect(await waitReplay([0], { stored: 2, kind: 'metadata' })).toBe(0)
  })

  test('waits no longer than waitMs, and not for an aborted request or after an internal error', async () => {
    await waitReplay([0], { stored: 2 }, { waitMs: 10 })
    await expect(waitReplay([0], { stored: 2 }, { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow()
    await expect(waitReplay([new Error('broken')], { stored: 2 })).rejects.toThrow('broken')
  })
})

describe('the count of rows of a batch that are not queryable yet', () => {
  const batch = { ingestId: 7, subscriberId: 1, position: positionAt(2, 10), rows: 5 }
  const noted = { ingestId: 7, entityId: 3, rows: 9, last: { position: positionAt(2, 11), ms: 5 }, seenRows: 4 }
  const at = (offset: number): number => positionAt(2, offset)

  test.each<[string, Partial<StoredRows>, Count, number]>([
    ['is the number of rows that Druid lacks', {}, 3, 2],
    ['is all rows while Druid is unavailable', {}, new Problem('unavailable', 'x'), 5],
    ['is 0 when the pipelines have seen them', { seenPosition: at(11) }, 0, 0],
    ['includes rows of a newer replay', { seenPosition: at(11), replayedPosition: at(12) }, 4, 1],
    ['is 0 when an earlier replay was seen', { seenPosition: at(13), replayedPosition: at(12) }, 0, 0],
    ['is 0 in a partition without stored rows', { partition: 1 }, 0, 0],
  ])('%s', async (_, change, count, expected) => {
    const rows = {
      partition: 2,
      throughPosition: at(12),
      replayedPosition: 0,
      seenPosition: at(10),
      ...noted,
      ...change,
    }
    const parts = {
      partitions: { storedRows: async () => [rows] },
      store: {
        countPositions: async (entityId: number, from: number, to: number) => {
          expect([entityId, from, to]).toEqual([3, batch.position, batch.position + 5])
          return answer([count], 0)
        },
      },
    }
    expect(await unseenRows(parts, batch, 5)).toBe(expected)
  })
})

test.each([
  { sinceMs: null, count: 1, isSeen: true },
  { sinceMs: null, count: 0, isSeen: false },
  { sinceMs: 50, count: 0, isSeen: false },
  // The row has expired.
  { sinceMs: 51, count: 0, isSeen: true },
])(
  'a row at 50 ms counts as seen: $isSeen, when Druid has $count and rows before $sinceMs are expired',
  async (row) => {
    const definitions = { entities: () => [{ ...entityOf(3), sinceMs: row.sinceMs }] }
    const store = {
      countPositions: async (...asked: readonly unknown[]) => {
        expect(asked).toEqual([3, 8, 9, { fromMs: 50, toMs: 50 }])
        return row.count
      },
    }
    expect(await rowIsSeen({ store, definitions }, 3, { position: 8, ms: 50 })).toBe(row.isSeen)
  },
)
