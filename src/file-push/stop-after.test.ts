import { expect, test } from 'vitest'
import type { PushBatch } from '../client/push-batch.ts'
import { stopAfter } from './stop-after.ts'

async function* batches(): AsyncGenerator<PushBatch> {
  for (let index = 0; index < 10; index++) {
    yield { firstRow: index * 10 + 1, rows: 10, body: new Uint8Array(), texts: [] }
  }
}

/** Each batch sent is validated one sleep later; `rejectedOf` returns the number of its rejected rows. */
async function sent(
  rejectedMax: number,
  rejectedOf: (batch: number) => number,
  isOver = () => false,
  why = 'rejected',
) {
  const validated = { rows: 0, rejected: 0 }
  const firstRows: number[] = []
  const stops: string[] = []
  const options = {
    ...{ rejectedMax, unvalidatedMax: 20, isOver },
    validated: () => validated,
    stopped: (reason: string) => {
      stops.push(reason)
    },
    sleep: async () => {
      validated.rejected += rejectedOf(validated.rows / 10)
      validated.rows += 10
    },
  }
  for await (const { firstRow } of stopAfter(batches(), options)) firstRows.push(firstRow)
  expect(stops).toEqual(firstRows.length < 10 ? [why] : [])
  return firstRows.length
}

test.each([
  ['sends all batches if nothing is rejected', 1, () => 0, 10],
  ['sends only the batches in flight when the first one was validated', 1, () => 5, 2],
  ['sends batches until rejectedMax rows are rejected', 10, () => 3, 5],
])('%s', async (_, rejectedMax, rejectedOf, batchesSent) => {
  expect(await sent(rejectedMax, rejectedOf)).toBe(batchesSent)
})

test('stops without waiting when no more receipts will arrive', async () => {
  expect(
    await sent(
      1,
      () => 0,
      () => true,
      'untold',
    ),
  ).toBe(1)
})
