// Refused requests get the contract's status and a problem that says what to do, and nothing of them is stored.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
let key: string
let expiredKey: string
const row = '{"D":"2026-01-01T00:00:00Z","T":"a","V":1}'

beforeAll(async () => {
  service = await runService({ 'limits.ingestBodyBytes': '2000', 'limits.pushRows': '100' })
  key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'blocked' })
  const change = { key: adminKey, body: { state: 'blocked', reason: 'sensor maintenance until noon' } }
  await callOk(service.url, 'PATCH', '/admin/ingests/blocked', change)
  const path = '/admin/subscribers/pusher-of-plant/subscriptions'
  const subscriptions = [{ ingest: 'plant' }, { ingest: 'blocked' }, { ingest: 'ghost' }]
  await callOk(service.url, 'PUT', path, { key: adminKey, body: subscriptions })
  expiredKey = await makeIngest(service.url, adminKey, { alias: 'expired' })
  const expired = [{ ingest: 'expired', until: '2020-01-01T00:00:00Z' }]
  await callOk(service.url, 'PUT', '/admin/subscribers/pusher-of-expired/subscriptions', {
    key: adminKey,
    body: expired,
  })
})

afterAll(() => service?.close())

interface Refusal {
  readonly what: string
  readonly ingest?: string
  readonly key?: 'none' | 'wrong' | 'expired'
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly code: string
  readonly says: RegExp
}

const refusals: readonly Refusal[] = [
  { what: 'malformed JSON', body: '[{"D":', status: 400, code: 'invalid_json', says: /JSON/ },
  { what: 'a scalar', body: '42', status: 400, code: 'invalid_body', says: /object|array/ },
  { what: 'a string', body: '"row"', status: 400, code: 'invalid_body', says: /object|array/ },
  { what: 'an empty body', body: '', status: 400, code: 'invalid_body', says: /empty|row/ },
  {
    what: 'a body that is not UTF-8',
    body: Uint8Array.of(0x5b, 0xff, 0x5d),
    status: 400,
    code: 'invalid_body',
    says: /UTF-8/,
  },
  {
    what: 'an array of more rows than a push may have',
    body: `[${'1,'.repeat(100)}1]`,
    status: 400,
    code: 'too_many_rows',
    says: /100 rows.*limits\.pushRows/,
  },
  {
    what: 'more lines than a push may have',
    body: '1\n'.repeat(101),
    headers: { 'content-type': 'application/x-ndjson' },
    status: 400,
    code: 'too_many_rows',
    says: /100 rows.*limits\.pushRows/,
  },
  { what: 'a body over the limit', body: `[${' '.repeat(3000)}]`, status: 400, code: 'body_too_large', says: /2,?000/ },
  {
    what: 'a gzip body over the limit once unpacked',
    body: gzipSync(`[${' '.repeat(3000)}]`),
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    code: 'body_too_large',
    says: /2,?000/,
  },
  {
    what: 'a body that is not the gzip it says',
    body: row,
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    code: 'invalid_body',
    says: /gzip/,
  },
  {
    what: 'another encoding',
    body: row,
    headers: { 'content-encoding': 'br' },
    status: 415,
    code: 'unsupported_media_type',
    says: /gzip/,
  },
  {
    what: 'another type',
    body: row,
    headers: { 'content-type': 'text/csv' },
    status: 415,
    code: 'unsupported_media_type',
    says: /json/,
  },
  { what: 'an unknown ingest', ingest: 'ghost', body: row, status: 404, code: 'ingest_not_found', says: /ghost/ },
  {
    what: 'a blocked ingest',
    ingest: 'blocked',
    body: row,
    status: 423,
    code: 'ingest_blocked',
    says: /sensor maintenance until noon/,
  },
  { what: 'no key', key: 'none', body: row, status: 403, code: 'forbidden', says: /key/ },
  { what: 'a wrong key', key: 'wrong', body: row, status: 403, code: 'forbidden', says: /key/ },
  {
    what: 'an expired subscription',
    ingest: 'expired',
    key: 'expired',
    body: row,
    status: 403,
    code: 'forbidden',
    says: /subscription/,
  },
  {
    what: 'no subscription, known or not',
    ingest: 'nowhere',
    body: row,
    status: 403,
    code: 'forbidden',
    says: /subscri/,
  },
  {
    what: 'no key and malformed JSON: access comes first',
    key: 'none',
    body: '{',
    status: 403,
    code: 'forbidden',
    says: /key/,
  },
  {
    what: 'an unknown ingest and malformed JSON: existence comes first',
    ingest: 'ghost',
    body: '{',
    status: 404,
    code: 'ingest_not_found',
    says: /ghost/,
  },
  {
    what: 'a blocked ingest and malformed JSON: state comes first',
    ingest: 'blocked',
    body: '{',
    status: 423,
    code: 'ingest_blocked',
    says: /blocked/,
  },
]

test.each(refusals)('$what: $status $code', async (refusal) => {
  const keys = { none: undefined, wrong: 'tm_wrong', expired: expiredKey }
  const credential = refusal.key === undefined ? key : keys[refusal.key]
  const response = await fetch(`${service.url}/ingests/${refusal.ingest ?? 'plant'}/data`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...refusal.headers,
    },
    body: refusal.body ?? row,
  })
  const problem = (await response.json()) as Record<string, unknown>
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(problem).toMatchObject({ status: refusal.status, code: refusal.code, retryable: false })
  expect(response.status).toBe(refusal.status)
  expect(problem['detail']).toMatch(refusal.says)
})

test('the refused requests stored nothing', async () => {
  for (const alias of ['plant', 'blocked', 'expired']) {
    const { counters } = await callOk<{ counters: object }>(service.url, 'GET', `/admin/ingests/${alias}`, {
      key: adminKey,
    })
    expect(counters).toEqual({ received: 0, stored: 0, rejected: 0, pending: 0 })
    const { body } = await call(service.url, 'POST', '/consumer/data/select', { body: { entity: alias } })
    expect(body).toEqual([])
  }
})
