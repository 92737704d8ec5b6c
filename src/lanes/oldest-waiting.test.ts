import { expect, test } from 'vitest'
import type { PlacedEntry } from '../journal/journal.ts'
import { laneOf, positionAt } from '../journal/lane-position.ts'
import { oldestWaitingMs } from './oldest-waiting.ts'

const nowMs = 1000

interface Lane {
  /** When the entries of the lane were received. */
  readonly received: readonly number[]
  /** How many are judged; null where the catalog knows nothing of the lane. */
  readonly judged: number | null
}

const placed = (lane: number, index: number, receivedMs: number): PlacedEntry => ({
  ...{ ingestId: 1, fieldsVersion: 1, subscriberId: 1, idempotencyKey: null, format: 'json', rows: 1 },
  ...{ body: Buffer.from('{}'), position: positionAt(lane, index), receivedMs },
})

test.each<[string, readonly Lane[], number]>([
  ['no lane', [], nowMs],
  [
    'lanes that are judged',
    [
      { received: [1, 2], judged: 2 },
      { received: [], judged: 0 },
    ],
    nowMs,
  ],
  ['an empty lane of which nothing is known', [{ received: [], judged: null }], nowMs],
  ['a lane of which nothing is judged', [{ received: [7, 8], judged: null }], 7],
  [
    'several lanes',
    [
      { received: [1, 600], judged: 1 },
      { received: [2, 500, 501], judged: 1 },
    ],
    500,
  ],
  ['a clock that runs ahead', [{ received: [5000], judged: 0 }], nowMs],
])('the oldest push that waits, in %s', async (_, lanes, expected) => {
  let closed = 0
  const found = await oldestWaitingMs({
    lanes: lanes.length,
    catalog: {
      lanes: async () =>
        lanes.flatMap(({ judged }, lane) => {
          const position = positionAt(lane, judged ?? 0)
          return judged === null ? [] : [{ lane, keptPosition: position, processedPosition: position }]
        }),
    },
    openCursor: () => ({
      read: async (position) => {
        const lane = laneOf(position)
        const entries = lanes[lane]!.received.map((ms, index) => placed(lane, index, ms))
        return entries.filter((entry) => entry.position >= position).slice(0, 1)
      },
      close: async () => void closed++,
    }),
    nowMs: () => nowMs,
  })
  expect([found, closed]).toEqual([expected, 1])
})
