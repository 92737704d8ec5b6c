// Checked rows are validated as pushed rows are, and nothing is stored.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
let key: string

beforeAll(async () => {
  service = await runService({ 'limits.checkRows': '3' })
  key = await makeIngest(service.url, adminKey, { alias: 'plant' })
})
afterAll(() => service?.close())

const rows = '{"D":"2026-01-01T00:00:00Z","T":"a","V":1}\n\n{"D":"2026-01-01T00:00:00Z","T":"a","V":"x"}\n7\n'
const ndjson = { 'content-type': 'application/x-ndjson' }

interface Asked {
  readonly key?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

async function post(path: string, { body = rows, headers = ndjson, ...asked }: Asked = {}) {
  const authorization = `Bearer ${asked.key ?? key}`
  const answer = await fetch(service.url + path, { method: 'POST', body, headers: { authorization, ...headers } })
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> }
}

test('a check returns the same as the receipt of a push, and stores nothing', async () => {
  const headers = { ...ndjson, 'content-encoding': 'gzip' }
  const checked = await post('/ingests/plant/check', { body: Uint8Array.from(gzipSync(rows)), headers })
  const ingest = await callOk<{ counters: object }>(service.url, 'GET', '/admin/ingests/plant', { key: adminKey })
  expect(ingest.counters).toEqual({ received: 0, stored: 0, rejected: 0, pending: 0 })
  const { batch: _, pending: __, replaced: ___, ...receipt } = (await post('/ingests/plant/data?wait=true')).body
  expect(checked.body).toEqual(receipt)
  expect(checked.body).toMatchObject({ rows: 3, stored: 1, rejected: 2 })
})

test.each([undefined, { tag: '{measurement}.{field}' }])(
  'a check of line protocol returns the same as the receipt, with lines: %j',
  async (lines) => {
    const alias = lines === undefined ? 'wide' : 'narrow'
    const pusher = await makeIngest(service.url, adminKey, { alias, ...(lines === undefined ? {} : { lines }) })
    const body = lines === undefined ? '# none\nm,T=a V=1\nm,T=a\n\nm V=1 1' : 'm a=1,b="x" 1\nm,c'
    const asked = { key: pusher, body, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    const checked = await post(`/ingests/${alias}/check?precision=s`, asked)
    expect(checked.status).toBe(200)
    const headers = { authorization: `Token ${pusher}` }
    const written = await fetch(`${service.url}/write?db=${alias}&precision=s`, { method: 'POST', body, headers })
    const path = `/ingests/${alias}/batches/${written.headers.get('tidemark-batch')}`
    for (;;) {
      const {
        batch: _,
        pending,
        replaced: __,
        ...receipt
      } = await callOk<{ batch: string; pending: number; replaced: number }>(service.url, 'GET', path, { key: pusher })
      if (pending > 0) continue
      expect(checked.body).toEqual(receipt)
      break
    }
    expect(checked.body).toMatchObject({ rows: 3 })
    expect((await post(`/ingests/${alias}/check`, { ...asked, body: 'm a=1,b=1\nm a=1\nm a=1\nm a=1' })).status).toBe(
      400,
    )
    expect((await post(`/ingests/${alias}/check?precision=n`, asked)).status).toBe(400)
  },
)

test('a check is refused like a push', async () => {
  const status = async (ingest: string, asked: Asked = {}) => (await post(`/ingests/${ingest}/check`, asked)).status
  expect(await status('plant', { body: '1\n1\n1\n1\n' })).toBe(400)
  expect(await status('plant', { body: '{' })).toBe(400)
  expect(await status('plant', { key: adminKey })).toBe(403)
  expect(await status('other')).toBe(403)
  expect(await status('plant', { headers: { 'content-type': 'text/csv' } })).toBe(415)
  expect((await post('/ingests/plant/check?precision=s')).body).toMatchObject({ code: 'invalid_request' })
  await callOk(service.url, 'PATCH', '/admin/ingests/plant', { key: adminKey, body: { state: 'blocked' } })
  expect(await status('plant')).toBe(423)
})
