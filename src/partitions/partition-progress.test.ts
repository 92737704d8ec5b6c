import { expect, test } from 'vitest'
import type { ClusterChangeListener } from '../catalog/cluster-catalog.ts'
import type { StoredRows } from '../catalog/partitions.ts'
import { positionAt } from '../journal/partition-position.ts'
import { PartitionProgress } from './partition-progress.ts'

/** A catalog with the values that the test sets. */
function tellingCatalog() {
  let listener: ClusterChangeListener | null = null
  const validated = new Map<number, number>()
  const rejected = new Map<number, number>()
  const stored: StoredRows[] = []
  const seen = { position: 0 }
  const progress = new PartitionProgress({
    changes: {
      listen: (one) => {
        listener = one
      },
    },
    partitions: {
      validatedRows: async () => new Map(validated),
      storedRows: async () => [...stored],
      seen: async (rows) => {
        for (const { throughPosition, rows: seenRows } of rows) {
          stored.splice(0, 1, { ...stored[0]!, seenPosition: throughPosition, seenRows })
        }
      },
    },
    rejected: { counts: async () => new Map(rejected) },
    isSeen: async (_, { position }) => position < seen.position,
    countEveryMs: 1,
  })
  const report = (partition: number, offset: number): void => {
    const position = positionAt(partition, offset)
    listener?.partitions([{ partition, keptPosition: position, processedPosition: position }])
  }
  return { progress, report, validated, rejected, stored, seen }
}

const soon = (): AbortSignal => AbortSignal.timeout(5000)

test('each partition advances separately, and a wait for its position resolves', async () => {
  const { progress, report } = tellingCatalog()
  const [inFirst, inThird] = [positionAt(0, 2) + 5, positionAt(2, 0) + 10]
  expect([progress.processedThrough(inFirst), progress.processedThrough(inThird)]).toEqual([0, positionAt(2, 0)])
  await progress.waitFor(positionAt(2, 0), soon())
  const waiting = progress.waitFor(inThird, soon())
  report(0, 3)
  await progress.waitFor(inFirst, soon())
  expect(progress.processedThrough(inThird)).toBe(positionAt(2, 0))
  report(2, 1)
  await waiting
  await expect(progress.waitFor(positionAt(0, 4), AbortSignal.timeout(1))).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  await progress.close()
})

test('rows are pending from the push until they are counted, and are never counted twice', async () => {
  const { progress, report, validated, rejected } = tellingCatalog()
  const push = { ingestId: 7, position: positionAt(1, 0), rows: 10 }
  progress.accepted(push)
  expect(progress.counters(7)).toEqual({ received: 10, stored: 0, rejected: 0, pending: 10 })
  validated.set(7, 14)
  rejected.set(7, 3)
  report(1, 1)
  await expect.poll(() => progress.counters(7)).toEqual({ received: 14, stored: 11, rejected: 3, pending: 0 })
  validated.set(7, 16)
  progress.accepted({ ingestId: 7, position: push.position + 10, rows: 2 })
  await expect.poll(() => progress.counters(7)).toEqual({ received: 16, stored: 13, rejected: 3, pending: 0 })
  expect(progress.counters(8)).toEqual({ received: 0, stored: 0, rejected: 0, pending: 0 })
  await progress.close()
})

test('the counters include the rows when a wait for them resolves', async () => {
  const { progress, report, validated } = tellingCatalog()
  progress.accepted({ ingestId: 7, position: positionAt(1, 0), rows: 10 })
  expect(progress.counters(7)).toMatchObject({ stored: 0, pending: 10 })
  const waiting = [progress.waitFor(positionAt(1, 0) + 10, soon()), progress.waitFor(positionAt(1, 0) + 1, soon())]
  validated.set(7, 10)
  report(1, 1)
  await Promise.all(waiting)
  expect(progress.counters(7)).toEqual({ received: 10, stored: 10, rejected: 0, pending: 0 })
  await progress.close()
})

test('rows are pending until they are queryable', async () => {
  const { progress, report, validated, rejected, stored, seen } = tellingCatalog()
  const last = { position: positionAt(1, 0) + 9, ms: 0 }
  const noted = { partition: 1, ingestId: 7, entityId: 1, rows: 8, last, throughPosition: positionAt(1, 1) }
  stored.push({ ...noted, replayedPosition: 0, seenPosition: 0, seenRows: 0 })
  validated.set(7, 10)
  rejected.set(7, 2)
  progress.accepted({ ingestId: 7, position: positionAt(1, 0), rows: 10 })
  report(1, 1)
  await expect.poll(() => progress.counters(7)).toEqual({ received: 10, stored: 0, rejected: 2, pending: 8 })
  await progress.checkVisible(7)
  expect(progress.counters(7)).toMatchObject({ stored: 0, pending: 8 })
  seen.position = positionAt(1, 1)
  await progress.checkVisible(7)
  expect(progress.counters(7)).toEqual({ received: 10, stored: 8, rejected: 2, pending: 0 })
  // Newer rows, found by another process.
  validated.set(7, 13)
  stored.splice(0, 1, { ...stored[0]!, rows: 11, throughPosition: positionAt(1, 2) })
  report(1, 2)
  await expect.poll(() => progress.counters(7)).toEqual({ received: 13, stored: 8, rejected: 2, pending: 3 })
  stored.splice(0, 1, { ...stored[0]!, seenPosition: positionAt(1, 2), seenRows: 11 })
  await expect.poll(() => progress.counters(7)).toEqual({ received: 13, stored: 11, rejected: 2, pending: 0 })
  await progress.close()
})
