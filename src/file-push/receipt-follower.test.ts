import { expect, test } from 'vitest'
import type { Receipt } from '../client/answers.ts'
import { type PushOutcome, ReceiptFollower } from './receipt-follower.ts'

const receipt = (stored: number, pending: number, rejected: readonly number[] = []): Receipt => ({
  batch: 'b',
  rows: stored + pending + rejected.length,
  stored,
  rejected: rejected.length,
  pending,
  replaced: Math.floor(stored / 4),
  errors: rejected.map((index) => ({ index, field: 'V', code: 'wrong_type', message: 'm' })),
})

/** Follows batches of ten rows. Each returns its receipts in turn, and then repeats the last one. */
async function follow(batches: readonly (readonly Receipt[])[], patienceMs = 1000): Promise<PushOutcome> {
  let now = 0
  const asked = batches.map(() => 0)
  const follower = new ReceiptFollower({
    receipt: async (batch) => {
      const index = Number(batch)
      const receipts = batches[index]!
      return receipts[Math.min(asked[index]!++, receipts.length - 1)]!
    },
    nowMs: () => now,
    sleep: async (ms) => {
      now += ms
    },
    stalledMsMax: patienceMs,
    errorsMax: 3,
  })
  for (const index of batches.keys()) follower.add({ batch: String(index), firstRow: index * 10 + 1, rows: 10 })
  follower.close()
  return follower.run()
}

test('sums the counts of all batches', async () => {
  const outcome = await follow([[receipt(10, 0)], [receipt(2, 8), receipt(6, 2, [1, 3]), receipt(8, 0, [1, 3])]])
  expect(outcome).toMatchObject({ stored: 18, rejected: 2, pending: 0, replaced: 4 })
  expect(outcome.errors.map(({ row }) => row)).toEqual([12, 14])
})

test('keeps only the first errors, in order of the batches', async () => {
  const outcome = await follow([[receipt(8, 0, [4, 5])], [receipt(8, 0, [0, 9])]])
  expect(outcome.errors.map(({ row }) => row)).toEqual([5, 6, 11])
  expect(outcome.rejected).toBe(4)
})

test('rows without progress are reported as pending', async () => {
  expect(await follow([[receipt(10, 0)], [receipt(2, 8)], [receipt(0, 10)]])).toMatchObject({ stored: 10, pending: 20 })
})

test('returns zeros without batches', async () => {
  expect(await follow([])).toEqual({
    ...{ stored: 0, rejected: 0, pending: 0, replaced: 0 },
    ...{ errors: [], kinds: [], batches: [] },
  })
})
