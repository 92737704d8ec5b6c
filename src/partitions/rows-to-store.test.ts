import { describe, expect, test } from 'vitest'
import type { ValidatedRun } from '../ingest/entry-validator.ts'
import type { RowBatch } from '../model/row-batch.ts'
import { RepeatedRows, rowsToStore } from './rows-to-store.ts'

/** Rows at these positions, each with ten times its position as the time. */
function batchAt(positions: readonly number[]): RowBatch {
  return {
    entityId: 7,
    fields: [{ name: 'D', type: 'timestamp', role: 'time' }],
    rows: positions.length,
    positions: Float64Array.from(positions),
    columns: [{ type: 'timestamp', values: Float64Array.from(positions, (position) => 10 * position) }],
  }
}

test.each([
  [[1, 2, 5], 0, [{ rows: 3, last: { position: 5, ms: 50 } }]],
  [[1, 2, 5], 2, [{ rows: 2, last: { position: 5, ms: 50 } }]],
  [[1, 2, 5], 6, []],
  [[], 0, []],
])('reports the rows at %j from position %d on, with the last of them', (positions, from, expected) => {
  const found = rowsToStore({ ingestId: 3, batch: batchAt(positions) }, from)
  expect(found).toEqual(expected.map((rows) => ({ ingestId: 3, entityId: 7, ...rows })))
})

describe('withdrawal of recorded rows that are validated again', () => {
  const run = (
    stored: readonly number[],
    rejected: readonly number[],
    change: Partial<ValidatedRun> = {},
  ): ValidatedRun => ({
    ...{ ingestId: 3, kind: 'series', spans: [], rejectedRows: rejected.length, items: [] },
    batch: stored.length === 0 ? null : batchAt(stored),
    rejected: rejected.map((position) => ({
      ...{ ingestId: 3, position, batchPosition: 0, batchRows: 1, subscriberId: 1, index: 0, receivedMs: 0 },
      ...{ row: '', field: null, code: 'too_large', message: '' },
    })),
    ...change,
  })
  const taken = (again: RepeatedRows, runs: readonly ValidatedRun[]) =>
    again.takenBack(runs, 100).map(({ positions, last }) => [[...positions], last?.position ?? null])

  test('withdraws rows that are rejected now, and names the last row that remains', () => {
    const again = new RepeatedRows()
    expect(taken(again, [run([1, 2], [])])).toEqual([])
    expect(taken(again, [run([], [5, 6])])).toEqual([[[5, 6], 2]])
    expect(taken(again, [run([8, 12], [9, 120]), run([20], [21])])).toEqual([
      [[9], 12],
      [[21], 20],
    ])
  })

  test('withdraws no items, and no rows that are validated for the first time', () => {
    expect(taken(new RepeatedRows(), [run([101], [102]), run([], [3], { kind: 'metadata' })])).toEqual([])
    expect(taken(new RepeatedRows(), [run([99, 101], [98])])).toEqual([[[98], 99]])
    expect(taken(new RepeatedRows(), [run([], [98])])).toEqual([[[98], null]])
  })
})
