import { describe, expect, test } from 'vitest'
import type { RejectedRow } from '../catalog/rejected.ts'
import { BatchIds } from './batch-id.ts'
import { Receipts } from './receipts.ts'

const batchIds = new BatchIds(new Uint8Array(32))
const batch = batchIds.encode({ position: 100, rows: 10, ingestId: 1, subscriberId: 1 })

const badRow = (index: number): RejectedRow => ({
  ingestId: 1,
  position: 100 + index,
  batchPosition: 100,
  batchRows: 10,
  subscriberId: 1,
  index,
  row: '{}',
  field: 'D',
  code: 'missing_time',
  message: 'D: the time is missing',
  receivedMs: 0,
})

function receipts(processedPosition: number, bad: readonly number[], seenRows = 10): Receipts {
  const counters = { received: 0, stored: 0, rejected: 0, pending: 0 }
  return new Receipts({
    batchIds,
    errorsMax: 2,
    unseen: async ({ position }, stored) => {
      expect(position).toBe(100)
      return Math.max(0, stored - seenRows)
    },
    rejected: {
      ofBatch: async (_, __, limit) => ({ count: bad.length, first: bad.slice(0, limit).map(badRow), replaced: 5 }),
    },
    progress: {
      processedThrough: () => processedPosition,
      waitFor: async () => undefined,
      counters: () => counters,
      pendingOf: () => 0,
      requireCounted: () => undefined,
      accepted: () => undefined,
    },
  })
}

describe('a receipt of ten rows from position 100', () => {
  test.each([
    { processed: 0, bad: [], stored: 0, rejected: 0, pending: 10 },
    { processed: 100, bad: [], stored: 0, rejected: 0, pending: 10 },
    { processed: 104, bad: [], stored: 4, rejected: 0, pending: 6 },
    { processed: 110, bad: [], stored: 10, rejected: 0, pending: 0 },
    { processed: 500, bad: [1, 2, 3], stored: 7, rejected: 3, pending: 0 },
    { processed: 100, bad: [1, 2, 3], stored: 0, rejected: 0, pending: 10 },
  ])('validated to position $processed, with rejected rows $bad', async ({ processed, bad, ...expected }) => {
    const { errors, ...receipt } = await receipts(processed, bad).receipt(1, 1, batch)
    // At most the number of stored rows.
    expect(receipt).toEqual({ batch, rows: 10, replaced: Math.min(5, expected.stored), ...expected })
    expect(errors.map(({ index }) => index)).toEqual(bad.slice(0, Math.min(2, expected.rejected)))
  })

  test.each([
    { processed: 110, bad: [], seenRows: 0, stored: 0, rejected: 0, pending: 10 },
    { processed: 110, bad: [1, 2], seenRows: 0, stored: 0, rejected: 2, pending: 8 },
    { processed: 110, bad: [1, 2], seenRows: 5, stored: 5, rejected: 2, pending: 3 },
    { processed: 104, bad: [], seenRows: 3, stored: 3, rejected: 0, pending: 7 },
  ])(
    'validated to position $processed, with $seenRows rows visible to queries',
    async ({ processed, bad, seenRows, ...expected }) => {
      const { errors: _, ...receipt } = await receipts(processed, bad, seenRows).receipt(1, 1, batch)
      // At most the number of stored rows.
      expect(receipt).toEqual({ batch, rows: 10, replaced: Math.min(5, expected.stored), ...expected })
    },
  )
})

test.each([
  { what: 'a string that is not a batch id', subscriber: 1, ingest: 1, id: 'nothing', code: 'batch_not_found' },
  { what: 'a batch of another ingest', subscriber: 1, ingest: 2, id: batch, code: 'batch_not_found' },
  { what: 'a batch of a deleted ingest', subscriber: 1, ingest: null, id: batch, code: 'batch_not_found' },
  { what: 'a batch of another subscriber', subscriber: 2, ingest: 1, id: batch, code: 'forbidden' },
])('$what is refused', async ({ subscriber, ingest, id, code }) => {
  await expect(receipts(500, []).receipt(subscriber, ingest, id)).rejects.toMatchObject({ code })
})

test.each(['nothing', batch])('%j reveals no ingest to a subscriber that did not push the batch', async (id) => {
  const refusal = (ingest: number | null) =>
    receipts(500, [])
      .receipt(2, ingest, id)
      .catch((error: Error) => error)
  expect(await refusal(null)).toEqual(await refusal(1))
  expect(await refusal(2)).toEqual(await refusal(1))
})
