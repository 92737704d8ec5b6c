// A pusher sees its own rows, and nobody else does.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
/** Both may push to `shared`; the first one's subscription to `ended` has ended. */
let key: string
let otherKey: string
let readerKey: string
let batch: string
let otherBatch: string

interface Rejected {
  readonly id: string
  readonly index: number
  readonly batch: string
  readonly row: string
  readonly field: string | null
  readonly code: string
}
interface Page<Item> {
  readonly Items: readonly Item[]
  readonly NextToken: string | null
}

const own = <T>(path: string, method = 'GET', body?: unknown): Promise<T> =>
  callOk<T>(service.url, method, path, { key, ...(body === undefined ? {} : { body }) })
const push = (pusher: string, rows: readonly object[], alias = 'shared'): Promise<{ batch: string }> =>
  callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: pusher, body: rows })
const subscribe = (name: string, subscriptions: readonly object[]): Promise<unknown> =>
  callOk(service.url, 'PUT', `/admin/subscribers/${name}/subscriptions`, { key: adminKey, body: subscriptions })

beforeAll(async () => {
  service = await runService({})
  const fields = [
    { name: 'D', source: 'date', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ]
  key = await makeIngest(service.url, adminKey, { alias: 'shared', fields })
  otherKey = await makeIngest(service.url, adminKey, { alias: 'ended' })
  await subscribe('pusher-of-ended', [{ ingest: 'shared' }])
  const made = { key: adminKey, body: { rights: ['consume'] } }
  readerKey = (await callOk<{ key: string }>(service.url, 'POST', '/admin/subscribers/pusher-of-shared/keys', made)).key
  const good = { date: '2026-01-01T00:00:00Z', T: 'a', V: 1 }
  batch = (await push(key, [good, { ...good, V: 'high' }, { ...good, Q: 1 }, { ...good, V: 'low' }])).batch
  otherBatch = (await push(otherKey, [{ ...good, V: 'mine' }])).batch
  await push(key, [good])
}, 60_000)

afterAll(() => service?.close())

test('a pusher reads the definition of its ingest', async () => {
  expect(await own('/ingests/shared')).toEqual({
    alias: 'shared',
    kind: 'series',
    entity: 'shared',
    state: 'active',
    reason: null,
    fields: [
      { name: 'D', source: 'date', type: 'timestamp', role: 'time' },
      { name: 'T', source: 'T', type: 'string', role: 'tag' },
      { name: 'V', source: 'V', type: 'double', role: 'metric' },
    ],
    unknown: 'reject',
    lines: null,
    kept_from: null,
  })
})

test('a pusher lists its own rejected rows, with filters', async () => {
  const rows = async (query: string): Promise<readonly number[]> =>
    (await own<Page<Rejected>>(`/ingests/shared/rejected${query}`)).Items.map(({ index }) => index)
  expect(await rows('')).toEqual([1, 2, 3])
  expect(await rows('?field=V')).toEqual([1, 3])
  expect(await rows('?field=V&code=unknown_field')).toEqual([])
  expect(await rows(`?code=unknown_field&batch=${batch}`)).toEqual([2])
  const first = await own<Page<Rejected>>('/ingests/shared/rejected?limit=2')
  expect(first.Items[0]).toMatchObject({
    row: '{"date":"2026-01-01T00:00:00Z","T":"a","V":"high"}',
    code: 'wrong_type',
  })
  expect(await rows(`?limit=2&NextToken=${first.NextToken}`)).toEqual([3])
})

test('a pusher gets a summary of its own rejected rows', async () => {
  const faults = await own<readonly { example: string }[]>('/ingests/shared/rejected/summary')
  expect(faults).toMatchObject([
    { code: 'wrong_type', field: 'V', count: 2 },
    { code: 'unknown_field', field: 'Q', count: 1 },
  ])
  const { Items } = await own<Page<Rejected>>('/ingests/shared/rejected')
  expect(faults.map(({ example }) => example)).toEqual([Items[0]!.id, Items[1]!.id])
  const all = { key: adminKey }
  expect(await callOk(service.url, 'GET', '/admin/ingests/shared/rejected/summary', all)).toMatchObject([
    { code: 'wrong_type', field: 'V', count: 3 },
    { code: 'unknown_field', field: 'Q', count: 1 },
  ])
})

test('a pusher lists its own batches with rejected rows', async () => {
  const mine = { batch, rows: 4, stored: 1, rejected: 3, pending: 0, received: expect.any(String) }
  const others = { batch: otherBatch, rows: 1, stored: 0, rejected: 1, pending: 0, received: expect.any(String) }
  expect(await own('/ingests/shared/batches')).toEqual({ Items: [mine], NextToken: null })
  const all = await callOk<Page<object>>(service.url, 'GET', '/admin/ingests/shared/batches', { key: adminKey })
  expect(all).toEqual({ Items: [others, mine], NextToken: null })
})

test('invalid requests are a 400', async () => {
  const paths = [
    '/ingests/shared/rejected?code=nonsense',
    '/ingests/shared/rejected?batch=nonsense',
    `/ingests/shared/rejected?batch=${otherBatch}`,
    '/ingests/shared/rejected?limit=0',
    '/ingests/shared/rejected?limit=10001',
    '/ingests/shared/rejected?limit=',
    '/ingests/shared/rejected?NextToken=x',
    '/ingests/shared/rejected?colour=red',
    '/ingests/shared/rejected?field=a&field=b',
    '/ingests/shared/rejected/summary?limit=1',
    '/ingests/shared/batches?limit=1001',
    '/ingests/shared/batches?NextToken=x',
    '/ingests/shared?x=1',
  ]
  for (const path of paths) expect([path, (await call(service.url, 'GET', path, { key })).status]).toEqual([path, 400])
  for (const field of ['%00', '%ED%A0%80', '%F0%9F%98%80', '%22', 'x'.repeat(2000), '']) {
    const answer = await call(service.url, 'GET', `/ingests/shared/rejected?field=${field}`, { key })
    expect(answer).toMatchObject({ status: 200, body: { Items: [] } })
  }
  const discard = await call(service.url, 'DELETE', '/ingests/shared/rejected', { key, body: { ids: ['x'] } })
  expect(discard).toMatchObject({ status: 400, body: { errors: [{ path: 'ids[0]' }] } })
})

test('a key without access gets a 403, whether the ingest exists or not', async () => {
  const asked = [
    ['GET', ''],
    ['GET', '/rejected'],
    ['GET', '/rejected/summary'],
    ['GET', '/batches'],
    ['DELETE', '/rejected'],
  ] as const
  const callers = [
    { ingest: 'shared', caller: undefined, status: 403 },
    { ingest: 'shared', caller: 'wrong', status: 403 },
    { ingest: 'shared', caller: readerKey, status: 403 },
    { ingest: 'shared', caller: adminKey, status: 403 },
    { ingest: 'ended', caller: key, status: 403 },
    { ingest: 'nobody', caller: key, status: 403 },
  ]
  for (const [method, path] of asked) {
    for (const { ingest, caller, status } of callers) {
      const answer = await call(
        service.url,
        method,
        `/ingests/${ingest}${path}`,
        caller === undefined ? {} : { key: caller },
      )
      expect([method, path, ingest, answer.status]).toEqual([method, path, ingest, status])
    }
  }
  const [known, unknown] = await Promise.all(
    ['ended', 'nobody'].map(async (ingest) => (await call(service.url, 'GET', `/ingests/${ingest}`, { key })).body),
  )
  const reported = JSON.stringify(known).replaceAll('ended', 'nobody')
  expect(reported).toBe(JSON.stringify(unknown))
})

test('an ended subscription still gives access; a suspended or future one does not', async () => {
  const statusOf = async (): Promise<number> => (await call(service.url, 'GET', '/ingests/shared', { key })).status
  const over = { ingest: '*', from: '2020-01-01T00:00:00Z', until: '2021-01-01T00:00:00Z' }
  await subscribe('pusher-of-shared', [over])
  expect(await statusOf()).toBe(200)
  expect((await own<Page<Rejected>>('/ingests/shared/rejected')).Items).toHaveLength(3)
  expect((await call(service.url, 'GET', '/ingests/nobody', { key })).status).toBe(404)
  await subscribe('pusher-of-shared', [{ ...over, suspended: true }])
  expect(await statusOf()).toBe(403)
  await subscribe('pusher-of-shared', [{ ingest: 'shared', from: '2999-01-01T00:00:00Z' }])
  expect(await statusOf()).toBe(403)
  await subscribe('pusher-of-shared', [{ ingest: 'shared' }])
})

test('a pusher discards only its own rows', async () => {
  const all = await callOk<Page<Rejected>>(service.url, 'GET', '/admin/ingests/shared/rejected', { key: adminKey })
  const others = all.Items.find((row) => row.batch === otherBatch)!
  const mine = all.Items.find((row) => row.batch === batch)!
  const ids = [others.id, mine.id]
  expect(await own('/ingests/shared/rejected', 'DELETE', { ids })).toEqual({ discarded: 1 })
  expect(await own('/ingests/shared/rejected', 'DELETE')).toEqual({ discarded: 2 })
  expect(await own('/ingests/shared/rejected/summary')).toEqual([])
  expect(await own('/ingests/shared/batches')).toMatchObject({ Items: [{ batch, rejected: 3 }] })
  const left = await callOk<Page<Rejected>>(service.url, 'GET', '/admin/ingests/shared/rejected', { key: adminKey })
  expect(left.Items.map(({ id }) => id)).toEqual([others.id])
})
