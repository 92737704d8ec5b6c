import { expect, test } from 'vitest'
import { together } from './self-history.ts'

test('rates of several processes are summed, and the worst latency is used', () => {
  const t = '2026-01-01T00:00:00.000Z'
  const later = '2026-01-01T00:05:00.000Z'
  const { seconds, values } = together([
    { t, process: 'a', rows_per_second: 2, query_p99_ms: 10 },
    { t, process: 'b', rows_per_second: 3, query_p99_ms: 7 },
    { t: later, process: 'a', rows_per_second: 1, query_p99_ms: null },
  ])
  expect(seconds).toEqual([1_767_225_600, 1_767_225_900])
  expect([values.rows_per_second, values.query_p99_ms, values.live_readers]).toEqual([
    [5, 1],
    [10, null],
    [null, null],
  ])
})
