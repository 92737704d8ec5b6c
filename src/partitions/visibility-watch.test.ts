import { expect, test } from 'vitest'
import type { ClusterChangeListener } from '../catalog/cluster-catalog.ts'
import type { StoredRows } from '../catalog/partitions.ts'
import { positionAt } from '../journal/partition-position.ts'
import { VisibilityWatch } from './visibility-watch.ts'

/** A catalog with the rows that one ingest has handed on in each partition, and a Druid that shows the rows that the test sets. */
function world(ownPartitions: readonly number[]) {
  const stored = new Map<number, StoredRows>()
  const asked: number[] = []
  const state = { nowMs: 0, isAway: false, shown: new Set<number>() }
  let moved = (): void => undefined
  const watch = new VisibilityWatch({
    changes: {
      listen: (listener: ClusterChangeListener) => {
        moved = () => listener.partitions([])
      },
    },
    partitions: {
      storedRows: async () => {
        if (state.isAway) throw new Error('the catalog is away')
        return [...stored.values()]
      },
      seen: async (rows) => {
        for (const { partition, throughPosition: seenPosition, rows: seenRows } of rows) {
          stored.set(partition, { ...stored.get(partition)!, seenPosition, seenRows })
        }
      },
    },
    ownPartitions: () => ownPartitions,
    isSeen: async (_, { position }) => {
      asked.push(position)
      if (!state.shown.has(position)) return position < 0
      return true
    },
    nowMs: () => state.nowMs,
  })
  /** Hands on the rows of a step that ends at an offset of a partition. */
  const handOn = (partition: number, offset: number, rows: number): number => {
    const position = positionAt(partition, offset) - 1
    const before = stored.get(partition)
    const last = { position, ms: 0 }
    const noted = { partition, ingestId: 1, entityId: 1, replayedPosition: 0 }
    const seen = { seenPosition: before?.seenPosition ?? positionAt(partition, 0), seenRows: before?.seenRows ?? 0 }
    stored.set(partition, {
      ...noted,
      ...seen,
      rows: (before?.rows ?? 0) + rows,
      last,
      throughPosition: positionAt(partition, offset),
    })
    moved()
    return position
  }
  const unseen = (partition: number): number => stored.get(partition)!.rows - stored.get(partition)!.seenRows
  const check = async (afterMs = 0): Promise<number> => {
    state.nowMs += afterMs
    const before = asked.length
    await watch.check().catch(() => undefined)
    return asked.length - before
  }
  return { state, handOn, unseen, check, asked }
}

test('rows are noted as seen when the last one is queryable, and Druid is not queried when all are seen', async () => {
  const { state, handOn, unseen, check } = world([0])
  const last = handOn(0, 1, 5)
  expect([await check(), unseen(0)]).toEqual([1, 5])
  state.shown.add(last)
  expect([await check(1000), unseen(0)]).toEqual([1, 0])
  expect([await check(1000), await check(1000)]).toEqual([0, 0])
})

test('newly stored rows do not delay the check of earlier ones', async () => {
  const { state, handOn, unseen, check, asked } = world([0])
  const last = handOn(0, 1, 5)
  await check()
  for (let offset = 2; offset < 6; offset++) {
    handOn(0, offset, 1)
    await check(300)
  }
  expect(new Set(asked)).toEqual(new Set([last]))
  state.shown.add(last)
  await check(1000)
  expect(unseen(0)).toBe(4)
  await check(300)
  expect(asked.at(-1)).toBe(positionAt(0, 5) - 1)
})

test('checks only its own partitions, and queries missing rows less and less often', async () => {
  const { handOn, unseen, check } = world([1])
  handOn(0, 1, 1)
  handOn(1, 1, 1)
  const asked: number[] = []
  for (let second = 0; second < 100; second++) asked.push(await check(1000))
  const sum = asked.reduce((one, other) => one + other, 0)
  expect([sum > 10, sum < 40, unseen(0), unseen(1)]).toEqual([true, true, 1, 1])
})

test('checks again after a failure, and after a minute for newer rows', async () => {
  const { state, handOn, unseen, check } = world([0])
  handOn(0, 1, 1)
  state.isAway = true
  expect(await check()).toBe(0)
  state.isAway = false
  expect(await check()).toBe(1)
  const newer = handOn(0, 2, 1)
  state.shown.add(newer)
  expect([await check(30_000), unseen(0)]).toEqual([1, 2])
  expect([await check(40_000), unseen(0)]).toEqual([1, 0])
})
