// Line protocol through the whole service: written points can be read, and faulty ones are kept, also when they are validated again.
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service = await runService()
afterAll(() => service.close())

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'measurement', type: 'string', role: 'tag' },
  { name: 'host', type: 'string', role: 'tag' },
  { name: 'load', type: 'double', role: 'metric' },
  { name: 'n', type: 'long', role: 'metric' },
]

async function write(of: RunningService, key: string, query: string, body: string, headers = {}) {
  const response = await fetch(`${of.url}${query}`, {
    method: 'POST',
    headers: { authorization: `Token ${key}`, ...headers },
    body: 'content-encoding' in headers ? gzipSync(body) : body,
  })
  const text = await response.text()
  return { status: response.status, batch: response.headers.get('tidemark-batch'), text }
}

/** The receipt, when nothing is pending any more. */
async function receiptOf(key: string, ingest: string, batch: string | null) {
  for (;;) {
    const receipt = await callOk<{ pending: number }>(service.url, 'GET', `/ingests/${ingest}/batches/${batch}`, {
      key,
    })
    if (receipt.pending === 0) return receipt
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const rejectedOf = (ingest: string) =>
  callOk<{ Items: { row: string; code: string; field: string | null }[] }>(
    service.url,
    'GET',
    `/admin/ingests/${ingest}/rejected`,
    { key: adminKey },
  )
const rowsOf = (entity: string) =>
  callOk<object[]>(service.url, 'POST', '/consumer/data/select', { key: adminKey, body: { entity } })

test('lines are stored as rows; invalid ones are rejected with their text, and can be replayed', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'hosts', fields })
  const body =
    'cpu,host=a load=0.5,n=2i 1767225600\r\ncpu,host=a\nmem,host=b free=1\\ 767225600\nmem,host=b free=1 1767225601'
  const written = await write(service, key, '/write?db=hosts&precision=s', body, { 'content-encoding': 'gzip' })
  expect(written).toMatchObject({ status: 204, text: '' })
  const errors = [{ code: 'invalid_line' }, { code: 'invalid_line' }, { code: 'unknown_field', field: 'free' }]
  expect(await receiptOf(key, 'hosts', written.batch)).toMatchObject({ rows: 4, stored: 1, rejected: 3, errors })
  const first = { time: '2026-01-01T00:00:00.000Z', measurement: 'cpu', host: 'a', load: 0.5, n: 2 }
  expect(await rowsOf('hosts')).toEqual([first])
  expect((await rejectedOf('hosts')).Items).toMatchObject([
    { row: 'cpu,host=a', code: 'invalid_line', field: null, precision: 's' },
    { row: 'mem,host=b free=1\\ 767225600', code: 'invalid_line', field: null },
    { row: 'mem,host=b free=1 1767225601', code: 'unknown_field', field: 'free' },
  ])

  service = await service.restart()
  const more = { add_fields: [{ name: 'free', type: 'double', role: 'metric' }] }
  await callOk(service.url, 'PATCH', '/admin/ingests/hosts', { key: adminKey, body: more })
  const path = '/admin/ingests/hosts/rejected/replay'
  const preview = await callOk(service.url, 'POST', `${path}/preview`, { key: adminKey, body: {} })
  expect(preview).toMatchObject({ rows: 3, stored: 1, rejected: 2 })
  const replayed = await callOk(service.url, 'POST', path, { key: adminKey, body: {} })
  expect(replayed).toEqual({ replayed: 3, stored: 1, rejected: 2 })
  expect(await rowsOf('hosts')).toEqual([
    { ...first, free: null },
    { time: '2026-01-01T00:00:01.000Z', measurement: 'mem', host: 'b', load: null, n: null, free: 1 },
  ])
  expect((await rejectedOf('hosts')).Items).toHaveLength(2)
})

test('with `lines`, each field is a row; a repeated idempotency key stores nothing again', async () => {
  const lines = { tag: '{measurement}.{host}.{field}' }
  const key = await makeIngest(service.url, adminKey, { alias: 'points', ...{ lines } })
  expect(await callOk(service.url, 'GET', '/ingests/points', { key })).toMatchObject({ lines })
  const once = { 'idempotency-key': 'one' }
  const body = 'cpu,host=a load=0.5,n=2i,note="x" 1767225600000000000'
  const written = await write(service, key, '/api/v2/write?bucket=points&org=any', body, once)
  expect(await write(service, key, '/api/v2/write?bucket=points', body, once)).toEqual(written)
  expect(await write(service, key, '/api/v2/write?bucket=points&precision=s', body, once)).toMatchObject({
    status: 400,
    text: expect.stringContaining('"code":"idempotency_key_reused"'),
  })
  expect(await receiptOf(key, 'points', written.batch)).toMatchObject({ rows: 3, stored: 2, rejected: 1 })
  const time = { D: '2026-01-01T00:00:00.000Z' }
  expect(await rowsOf('points')).toEqual([
    { ...time, T: 'cpu.a.load', V: 0.5 },
    { ...time, T: 'cpu.a.n', V: 2 },
  ])
  expect((await rejectedOf('points')).Items).toMatchObject([
    { row: 'cpu,host=a note="x" 1767225600000000000', code: 'wrong_type', field: 'note' },
  ])
})

test('metadata items can be pushed as lines without a time; `lines` needs a series ingest and a template', async () => {
  const items = [
    { name: 'measurement', type: 'string', role: 'attribute' },
    { name: 'id', type: 'string', role: 'index' },
    { name: 'height', type: 'double', role: 'attribute' },
  ]
  const key = await makeIngest(service.url, adminKey, { alias: 'tanks', kind: 'metadata', fields: items })
  const { batch } = await write(service, key, '/write?db=tanks', 'tank,id=t1 height=2.5 1')
  expect(await receiptOf(key, 'tanks', batch)).toMatchObject({ stored: 1 })
  const page = await callOk(service.url, 'GET', '/consumer/metadata/tanks', { key: adminKey })
  expect(page).toMatchObject({ Items: [{ measurement: 'tank', id: 't1', height: 2.5 }] })
  for (const wrong of [
    { alias: 'x', kind: 'metadata', fields: items, lines: { tag: '{field}' } },
    { alias: 'x', kind: 'series', lines: { tag: 'field' } },
    { alias: 'x', kind: 'series', lines: { tag: '{field' } },
  ]) {
    expect(await call(service.url, 'POST', '/admin/ingests', { key: adminKey, body: wrong })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  }
})
