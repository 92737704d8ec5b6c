import { expect, test } from 'vitest'
import type { PlacedEntry } from '../journal/journal.ts'
import { partitionOf, positionAt } from '../journal/partition-position.ts'
import { oldestPendingMs } from './oldest-pending.ts'

const nowMs = 1000

interface Partition {
  /** When the entries of the partition were received. */
  readonly received: readonly number[]
  /** The number of validated entries; null if the catalog does not know the partition. */
  readonly validated: number | null
}

const placed = (partition: number, index: number, receivedMs: number): PlacedEntry => ({
  ...{ ingestId: 1, fieldsVersion: 1, subscriberId: 1, idempotencyKey: null, format: 'json', rows: 1 },
  ...{ body: Buffer.from('{}'), position: positionAt(partition, index), receivedMs },
})

test.each<[string, readonly Partition[], number]>([
  ['no partition', [], nowMs],
  [
    'validated partitions',
    [
      { received: [1, 2], validated: 2 },
      { received: [], validated: 0 },
    ],
    nowMs,
  ],
  ['an empty partition without a catalog entry', [{ received: [], validated: null }], nowMs],
  ['a partition without any validated push', [{ received: [7, 8], validated: null }], 7],
  [
    'several partitions',
    [
      { received: [1, 600], validated: 1 },
      { received: [2, 500, 501], validated: 1 },
    ],
    500,
  ],
  ['a push whose clock was ahead', [{ received: [5000], validated: 0 }], nowMs],
])('finds the time of the oldest pending push: %s', async (_, partitions, expected) => {
  let closed = 0
  const found = await oldestPendingMs({
    partitions: partitions.length,
    catalog: {
      partitions: async () =>
        partitions.flatMap(({ validated }, partition) => {
          const position = positionAt(partition, validated ?? 0)
          return validated === null ? [] : [{ partition, keptPosition: position, processedPosition: position }]
        }),
    },
    openCursor: () => ({
      read: async (position) => {
        const partition = partitionOf(position)
        const entries = partitions[partition]!.received.map((ms, index) => placed(partition, index, ms))
        return entries.filter((entry) => entry.position >= position).slice(0, 1)
      },
      close: async () => void closed++,
    }),
    nowMs: () => nowMs,
  })
  expect([found, closed]).toEqual([expected, 1])
})
