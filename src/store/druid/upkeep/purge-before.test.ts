import { expect, test } from 'vitest'
import { purgeBefore } from './purge-before.ts'

interface Rows {
  published: number
  held: number
}

/** A Druid with published rows and rows held by a task; a handover publishes the held rows. */
function druidWith(rows: Rows, handsOver = true) {
  const done: string[] = []
  const supervisors = {
    purge: async () => {
      done.push('purge')
      rows.published = 0
    },
    handOver: async (_: number, signal: AbortSignal) => {
      done.push('hand over')
      if (!handsOver) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      rows.published += rows.held
      rows.held = 0
    },
  }
  const store = { countPositions: async () => rows.published + rows.held }
  return { supervisors, store, done }
}

const bounds = { timeoutMs: 50, pollEveryMs: 1 }

test.each<[string, Rows, readonly string[]]>([
  ['there are none', { published: 0, held: 0 }, ['purge']],
  ['all are published', { published: 5, held: 0 }, ['purge', 'hand over', 'purge']],
  ['a task holds some', { published: 5, held: 2 }, ['purge', 'hand over', 'purge']],
])('expired rows are deleted when %s', async (_, rows, expected) => {
  const { done, ...druid } = druidWith(rows)
  await purgeBefore(1, 0, { ...druid, ...bounds })
  expect([rows, done]).toEqual([{ published: 0, held: 0 }, expected])
})

test('fails with "unavailable" when a task does not hand over in time', async () => {
  const { done, ...druid } = druidWith({ published: 1, held: 1 }, false)
  await expect(purgeBefore(1, 0, { ...druid, ...bounds })).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  expect(done).toEqual(['purge', 'hand over'])
})
