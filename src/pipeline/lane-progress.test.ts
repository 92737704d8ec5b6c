import { expect, test } from 'vitest'
import type { ClusterChangeListener } from '../catalog/cluster-catalog.ts'
import { positionAt } from '../journal/lane-position.ts'
import { LaneProgress } from './lane-progress.ts'

/** A catalog that tells what it is told to. */
function tellingCatalog() {
  let listener: ClusterChangeListener | null = null
  const judged = new Map<number, number>()
  const rejected = new Map<number, number>()
  const progress = new LaneProgress({
    changes: {
      listen: (one) => {
        listener = one
      },
    },
    lanes: { judgedRows: async () => new Map(judged) },
    rejected: { counts: async () => new Map(rejected) },
    countEveryMs: 1,
  })
  const tell = (lane: number, offset: number): void => {
    const position = positionAt(lane, offset)
    listener?.lanes([{ lane, keptPosition: position, processedPosition: position }])
  }
  return { progress, tell, judged, rejected }
}

const soon = (): AbortSignal => AbortSignal.timeout(5000)

test('each lane comes on by itself, and whoever waits for it goes on', async () => {
  const { progress, tell } = tellingCatalog()
  const [inFirst, inThird] = [positionAt(0, 2) + 5, positionAt(2, 0) + 10]
  expect([progress.processedThrough(inFirst), progress.processedThrough(inThird)]).toEqual([0, positionAt(2, 0)])
  await progress.waitFor(positionAt(2, 0), soon())
  const waiting = progress.waitFor(inThird, soon())
  tell(0, 3)
  await progress.waitFor(inFirst, soon())
  expect(progress.processedThrough(inThird)).toBe(positionAt(2, 0))
  tell(2, 1)
  await waiting
  await expect(progress.waitFor(positionAt(0, 4), AbortSignal.timeout(1))).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  await progress.close()
})

test('rows are pending from the push until they are counted, and never twice', async () => {
  const { progress, tell, judged, rejected } = tellingCatalog()
  const push = { ingestId: 7, position: positionAt(1, 0), rows: 10 }
  progress.accepted(push)
  expect(progress.counters(7)).toEqual({ received: 10, stored: 0, rejected: 0, pending: 10 })
  judged.set(7, 14)
  rejected.set(7, 3)
  tell(1, 1)
  await expect.poll(() => progress.counters(7)).toEqual({ received: 14, stored: 11, rejected: 3, pending: 0 })
  judged.set(7, 16)
  progress.accepted({ ingestId: 7, position: push.position + 10, rows: 2 })
  await expect.poll(() => progress.counters(7)).toEqual({ received: 16, stored: 13, rejected: 3, pending: 0 })
  expect(progress.counters(8)).toEqual({ received: 0, stored: 0, rejected: 0, pending: 0 })
  await progress.close()
})

test('who waits for rows finds them in the counters', async () => {
  const { progress, tell, judged } = tellingCatalog()
  progress.accepted({ ingestId: 7, position: positionAt(1, 0), rows: 10 })
  expect(progress.counters(7)).toMatchObject({ stored: 0, pending: 10 })
  const waiting = [progress.waitFor(positionAt(1, 0) + 10, soon()), progress.waitFor(positionAt(1, 0) + 1, soon())]
  judged.set(7, 10)
  tell(1, 1)
  await Promise.all(waiting)
  expect(progress.counters(7)).toEqual({ received: 10, stored: 10, rejected: 0, pending: 0 })
  await progress.close()
})
