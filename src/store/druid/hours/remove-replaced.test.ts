import { expect, test } from 'vitest'
import type { HoursMade } from '../../../model/entity.ts'
import type { BatchTask } from './batch-tasks.ts'
import { removeReplaced } from './remove-replaced.ts'
import { replacedRows } from './replaced-rows.ts'

const dayMs = 86_400_000
const tag = { name: 'T', type: 'string', role: 'tag' } as const
const entity = { id: 7, fields: [tag], duplicates: 'keep' } as const
const making = {
  untilMs: 2 * dayMs,
  pushed: [{ from: 0, before: 5 }],
  deletionId: 0,
  startedMs: 9,
  rows: 3,
  isRemoving: true,
}

test.each<[string, HoursMade]>([
  ['no hours were ever made', { goneMs: 0, madeMs: 0, making: null }],
  ['hours are being made', { goneMs: 0, madeMs: 0, making }],
  ['the rows were already removed', { goneMs: 2 * dayMs, madeMs: 2 * dayMs, making }],
])('no rows are to be removed when %s', (_, made) => {
  expect(replacedRows(entity, made)).toBeNull()
})

test('removes rows replaced by hours, and succeeds when Druid shows none of them', async () => {
  const made = { goneMs: 0, madeMs: 2 * dayMs, making }
  const counts = [3, 0]
  const asked: [string, BatchTask][] = []
  const parts = {
    tasks: {
      once: async (name: string, task: () => BatchTask) => void asked.push([name, task()]),
      served: async () => undefined,
    },
    count: async () => counts.shift() ?? 0,
    clusterName: 'plant',
    pollEveryMs: 0,
    pollsMax: 5,
    signal: new AbortController().signal,
  }
  expect(await removeReplaced(entity, made, parts)).toBe(true)
  expect(counts).toEqual([])
  expect(asked).toMatchObject([
    [
      'plant_7_left_1970-01-01_9',
      {
        spec: {
          dataSchema: { granularitySpec: { intervals: ['1970-01-01T00:00:00.000Z/1970-01-03T00:00:00.000Z'] } },
          ioConfig: {
            inputSource: { type: 'druid', dataSource: 'plant_7' },
            appendToExisting: false,
            dropExisting: true,
          },
        },
        context: { useConcurrentLocks: true },
      },
    ],
  ])
  // If a server is unavailable, Druid shows none of the rows; they are removed nevertheless.
  expect(await removeReplaced(entity, made, parts)).toBe(true)
  expect(asked).toHaveLength(2)
  expect(await removeReplaced(entity, { ...made, making: { ...making, rows: 0 } }, parts)).toBe(true)
  expect(asked).toHaveLength(2)
  counts.push(...Array.from({ length: 9 }, () => 1))
  expect(await removeReplaced(entity, made, parts)).toBe(false)
})
