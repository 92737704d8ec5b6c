import { beforeEach, describe, expect, test } from 'vitest'
import {
  catalog,
  ingests,
  now,
  nowMs,
  pages,
  refusal,
  rejected,
  rows,
  useAdminSide,
} from '../../test/support/admin-side.ts'
import type { RejectedRow } from '../catalog/rejected.ts'

useAdminSide()

test('replay accepts ids, or replays all rows', async () => {
  await ingests.create({ alias: 'a', kind: 'series' })
  const { signal } = new AbortController()
  expect(await rejected.replay('a', {}, signal)).toMatchObject({ replayed: 100 })
  expect(await rejected.replay('a', { ids: ['3', '5'] }, signal)).toMatchObject({ replayed: 2 })
  await expect(rejected.replay('a', { ids: ['3', '-5'] }, signal)).rejects.toEqual(refusal('invalid_request', 'ids[1]'))
  await expect(rejected.replay('b', {}, signal)).rejects.toEqual(refusal('ingest_not_found'))
})

describe('rejected rows', () => {
  const row = (position: number, change: Partial<RejectedRow> = {}): RejectedRow => ({
    ingestId: 1,
    position,
    batchPosition: 4,
    batchRows: 9,
    subscriberId: 7,
    index: position - 4,
    row: '{"D": 5}',
    field: null,
    code: 'missing_tag',
    message: 'T is missing',
    receivedMs: nowMs(),
    ...change,
  })
  const batch = '{"position":4,"rows":9,"ingestId":1,"subscriberId":7}'
  beforeEach(async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    await ingests.create({ alias: 'b', kind: 'series' })
    const pushed = [row(5), row(6, { code: 'wrong_type' }), row(20, { batchPosition: 20, index: 0 })]
    await catalog.outcomes.add({ rejected: [...pushed, row(30, { ingestId: 2 })], items: [] }, 40)
  })

  test('are shown as they were pushed', async () => {
    expect((await rejected.list('a', { limit: 1 })).Items).toEqual([
      {
        id: '5',
        batch,
        index: 1,
        row: '{"D": 5}',
        field: null,
        code: 'missing_tag',
        message: 'T is missing',
        received: now,
      },
    ])
  })

  test('are filtered and paged', async () => {
    const ids = async (request: Parameters<typeof rejected.list>[1]) =>
      (await pages((page) => rejected.list('a', { ...request, ...page }), 1)).map((page) => page.map(({ id }) => id))
    expect(await ids({})).toEqual([['5'], ['6'], ['20']])
    expect(await ids({ batch })).toEqual([['5'], ['6']])
    expect(await ids({ code: 'missing_tag' })).toEqual([['5'], ['20']])
    expect(await ids({ batch, code: 'missing_tag' })).toEqual([['5']])
    expect(await ids({ code: 'too_large' })).toEqual([[]])
  })

  test('are filtered by field and by subscriber', async () => {
    await catalog.outcomes.add(
      { rejected: [row(7, { field: 'V' }), row(31, { field: 'V', subscriberId: 8 })], items: [] },
      40,
    )
    const ids = async (request: Parameters<typeof rejected.list>[1], subscriberId: number | null) =>
      (await rows.list({ ingestId: 1, subscriberId }, request)).Items.map(({ id }) => id)
    expect((await rejected.list('a', { field: 'V' })).Items.map(({ id }) => id)).toEqual(['7', '31'])
    expect(await ids({ field: 'V' }, 7)).toEqual(['7'])
    expect(await ids({}, 8)).toEqual(['31'])
    expect(await ids({ batch }, 7)).toEqual(['5', '6', '7'])
    await expect(ids({ batch }, 8)).rejects.toEqual(refusal('invalid_request', 'batch'))
    const { NextToken } = await rows.list({ ingestId: 1, subscriberId: 7 }, { limit: 1 })
    for (const subscriberId of [8, null]) {
      await expect(ids({ token: NextToken ?? '' }, subscriberId)).rejects.toEqual(refusal('invalid_token'))
    }
    expect(await rows.discard({ ingestId: 1, subscriberId: 8 }, { ids: ['5', '31'] })).toEqual({ discarded: 1 })
    expect(await rows.discard({ ingestId: 1, subscriberId: 8 }, {})).toEqual({ discarded: 0 })
    expect(await rows.discard({ ingestId: 1, subscriberId: 7 }, {})).toEqual({ discarded: 4 })
  })

  test('are summarized by code and field', async () => {
    const missing = { code: 'missing_tag', field: null, count: 2, first: now, last: now, example: '5' }
    const wrong = { ...missing, code: 'wrong_type', count: 1, example: '6' }
    expect(await rejected.summary('a')).toEqual([missing, wrong])
    expect(await rows.summary({ ingestId: 1, subscriberId: 8 })).toEqual([])
    await expect(rejected.summary('c')).rejects.toEqual(refusal('ingest_not_found'))
  })

  test('are grouped by batch, newest first, page by page', async () => {
    const first = { batch, received: now, rows: 9, stored: 7, rejected: 2, pending: 0 }
    const second = { ...first, batch: batch.replace('"position":4', '"position":20') }
    expect(await pages((page) => rejected.batches('a', page), 1)).toEqual([[second], [first]])
    expect((await rows.batches({ ingestId: 1, subscriberId: 8 }, {})).Items).toEqual([])
    await expect(rejected.batches('a', { limit: 1001 })).rejects.toEqual(refusal('invalid_request', 'limit'))
    const token = (await rejected.batches('a', { limit: 1 })).NextToken ?? ''
    await expect(rejected.batches('b', { token })).rejects.toEqual(refusal('invalid_token'))
  })

  test('are not listed with a batch of another ingest, nor with a token for another filter', async () => {
    for (const other of [batch.replace('"ingestId":1', '"ingestId":2'), 'nonsense']) {
      await expect(rejected.list('a', { batch: other })).rejects.toEqual(refusal('invalid_request', 'batch'))
    }
    const token = (await rejected.list('a', { limit: 1 })).NextToken ?? ''
    expect((await rejected.list('a', { token })).Items.map(({ id }) => id)).toEqual(['6', '20'])
    await expect(rejected.list('a', { token, code: 'missing_tag' })).rejects.toEqual(refusal('invalid_token'))
    await expect(rejected.list('b', { token })).rejects.toEqual(refusal('invalid_token'))
  })
})
