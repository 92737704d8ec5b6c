import { expect, test } from 'vitest'
import { SelfFigures, selfFields } from './self-figures.ts'

function figures() {
  const now = { elapsedMs: 0, cpuSeconds: 1 }
  const made = new SelfFigures({
    elapsedMs: () => now.elapsedMs,
    use: () => ({ cpuSeconds: now.cpuSeconds, memoryBytes: 7 }),
    level: (name) => (name === 'stored_bytes' ? null : 5),
  })
  const query = (ms: number): void => made.observe({ kind: 'queryAnswered', query: 'average', rows: 1, bytes: 1, ms })
  const push = (ingestId: number, rows: number): void =>
    made.observe({ kind: 'pushTaken', ingestId, rows, receivedMs: 0 })
  const reject = (ingestId: number, rejected: number): void => {
    const ingests = [{ ingestId, stored: 0, rejected }]
    made.observe({ kind: 'rowsValidated', rows: rejected, rejected, again: 0, ingests, ms: 1 })
  }
  return { now, made, query, push, reject }
}

test('a row has the rates since the previous row, and the current values', () => {
  const { now, made, query, push, reject } = figures()
  for (let ms = 1; ms <= 100; ms++) query(ms)
  push(1, 30)
  reject(1, 10)
  Object.assign(now, { elapsedMs: 10_000, cpuSeconds: 6 })
  expect(made.take()).toEqual({
    ...{ rows_per_second: 3, rejected_per_second: 1, requests_per_second: 0, queries_per_second: 10 },
    ...{ query_p50_ms: 50, query_p99_ms: 99, pending_rows: 5, journal_bytes: 5, live_readers: 5 },
    ...{ memory_bytes: 7, processors: 0.5 },
  })
  query(3)
  Object.assign(now, { elapsedMs: 12_000 })
  expect(made.take()).toMatchObject({ rows_per_second: 0, queries_per_second: 0.5, query_p50_ms: 3, processors: 0 })
  now.elapsedMs = 13_000
  expect(made.take()).not.toHaveProperty('query_p50_ms')
})

test('query times are those of the newest of very many queries', () => {
  const { made, query, now } = figures()
  for (let count = 0; count < 5000; count++) query(count < 4096 ? 1 : 2)
  now.elapsedMs = 1000
  const { query_p50_ms, query_p99_ms } = made.take()
  expect([query_p50_ms, query_p99_ms]).toEqual([1, 2])
})

test('rows pushed to the history itself are not counted', () => {
  const { made, push, reject, now } = figures()
  made.leaveOut(4)
  push(4, 10)
  reject(4, 10)
  push(5, 10)
  now.elapsedMs = 1000
  expect(made.take()).toMatchObject({ rows_per_second: 10, rejected_per_second: 0 })
})

test('each value has a field', () => {
  const names = selfFields.map(({ name }) => name)
  expect(Object.keys(figures().made.take()).filter((name) => !names.includes(name))).toEqual([])
})
