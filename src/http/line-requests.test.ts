// The paths of InfluxDB, through the whole server except its sockets.
import { gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { get, post } from '../../test/support/injected-requests.ts'

const { app, pushed } = await testServer()
const small = await testServer({}, { TIDEMARK_LIMITS_INGEST_BODY_BYTES: '10' })
const locked = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
const line = 'm v=1'
const token = { authorization: `Token ${keys.pusher}` }
const v2 = '/api/v2/write?bucket=plant'
const v1 = '/write?db=plant'

async function outcome(request: InjectOptions, server = app) {
  const { statusCode, body, headers } = await server.inject(request)
  const error: { code?: string; message?: string } = body === '' ? {} : JSON.parse(body)
  return { status: statusCode, code: error.code ?? null, batch: headers['tidemark-batch'] ?? null, error }
}

test.each<[InjectOptions, string]>([
  [post(v2, line, token), 'lines-ns'],
  [post(`${v2}&org=x&precision=s`, line, { ...token, 'content-type': 'text/plain; charset=utf-8' }), 'lines-s'],
  [post(v2, gzipSync(line), { ...token, 'content-encoding': 'gzip' }), 'lines-ns'],
  [post(v1, line, { authorization: `Token any:${keys.pusher}` }), 'lines-ns'],
  [post(`${v1}&precision=h&rp=auto`, line, { authorization: `Bearer ${keys.pusher}` }), 'lines-h'],
  [post(`${v1}&precision=n&u=any&p=${keys.pusher}`, line), 'lines-ns'],
  [post(v1, line, { authorization: `Basic ${Buffer.from(`any:${keys.pusher}`).toString('base64')}` }), 'lines-ns'],
  [post(v1, line, { ...token, 'content-type': 'application/x-www-form-urlencoded' }), 'lines-ns'],
  [post(`${v2}&precision=`, line, token), 'lines-ns'],
  [post(`${v1}&precision=&rp=`, line, token), 'lines-ns'],
  // Databases and retention policies in the form of InfluxDB 1.8.
  [post(`${v2}/autogen`, line, token), 'lines-ns'],
  [post(`${v2}%2Fautogen&precision=s`, line, token), 'lines-s'],
  [post(`${v2}/`, line, token), 'lines-ns'],
  [post(v2, `\ufeff${line}`, token), 'lines-ns'],
  [post(v1, gzipSync(`\ufeff${line}`), { ...token, 'content-encoding': 'gzip' }), 'lines-ns'],
])('%j is pushed as %s', async (request, format) => {
  expect(await outcome(request)).toMatchObject({ status: 204, batch: 'b1' })
  expect(pushed.at(-1)).toEqual({ body: line, format, wait: false })
})

const agent = { 'user-agent': 'Telegraf/1.32.0 Go/1.23.0' }
const plain = { 'content-type': 'text/plain; charset=utf-8' }
const zipped = { ...plain, 'content-encoding': 'gzip' }
const user = { authorization: `Basic ${Buffer.from(`telegraf:${keys.pusher}`).toString('base64')}` }
const telegrafLine = 'cpu,cpu=cpu-total,host=a usage_idle=97.5,uptime=3600i,used=7u 1767225600000000000\n'

test.each<[string, InjectOptions]>([
  [
    'influxdb_v2',
    post('/api/v2/write?bucket=plant&org=any', gzipSync(telegrafLine), { ...agent, ...zipped, ...token }),
  ],
  [
    'influxdb_v2, content_encoding = "identity"',
    post('/api/v2/write?bucket=plant&org=', telegrafLine, { ...agent, ...plain, ...token }),
  ],
  ['influxdb', post('/write?db=plant', gzipSync(telegrafLine), { ...agent, ...zipped, ...user })],
  [
    'influxdb, with a retention policy and a consistency',
    post('/write?consistency=any&db=plant&rp=autogen', telegrafLine, { ...agent, ...plain, ...user }),
  ],
])('the output %s of Telegraf can push', async (_, request) => {
  expect(await outcome(request)).toMatchObject({ status: 204 })
  expect(pushed.at(-1)).toEqual({ body: telegrafLine, format: 'lines-ns', wait: false })
})

test('the output influxdb of Telegraf can create its database before its first write', async () => {
  const form = { ...agent, ...user, 'content-type': 'application/x-www-form-urlencoded' }
  const asked = await app.inject(post('/query', 'q=CREATE+DATABASE+%22plant%22', form))
  expect([asked.statusCode, asked.json()]).toEqual([200, { results: [{ statement_id: 0 }] }])
})

const reader = Buffer.from(`any:${keys.reader}`).toString('base64')
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

test.each<[string, InjectOptions]>([
  [
    'Grafana, by GET',
    get('/query?db=plant&epoch=ms&q=SHOW+MEASUREMENTS+LIMIT+1', { authorization: `Basic ${reader}` }),
  ],
  [
    'Grafana, by POST',
    post('/query?db=plant&epoch=ms', 'q=SELECT+mean(%22V%22)+FROM+plant', {
      ...formType,
      authorization: `Basic ${reader}`,
    }),
  ],
  ['a client with a token', get('/query?q=SHOW+DATABASES', { authorization: `Token ${keys.reader}` })],
  ['node-influx', get(`/query?db=plant&p=${keys.reader}&q=SELECT+V+FROM+plant&u=any`)],
])('the query of %s gets an empty result', async (_, request) => {
  const asked = await locked.app.inject(request)
  expect([asked.statusCode, asked.headers['cache-control'], asked.body]).toEqual([
    200,
    'no-store',
    '{"results":[{"statement_id":0}]}\n',
  ])
})

test('a key in the URL of a query, as node-influx and old Grafana send it, appears in no event', async () => {
  const { app: asked, events } = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
  const statuses: number[] = []
  for (const q of ['SHOW+DATABASES', 'SELECT', 'DROP+DATABASE+x'])
    for (const key of [keys.reader, `${keys.reader}0`])
      statuses.push((await asked.inject(get(`/query?u=any&p=${key}&q=${q}`))).statusCode)
  expect(statuses).toEqual([200, 403, 400, 403, 400, 403])
  expect(events).not.toEqual([])
  expect(JSON.stringify(events)).not.toContain(keys.reader)
})

test('a query needs a key that may read', async () => {
  for (const headers of [{}, token])
    expect((await locked.app.inject(get('/query?q=SHOW+DATABASES', headers))).statusCode).toBe(403)
})

test.each<[InjectOptions, number, string]>([
  [post(v2, line), 403, 'forbidden'],
  [post(`${v1}&p=wrong`, line), 403, 'forbidden'],
  [post(v2, line, { authorization: `Token ${keys.reader}` }), 403, 'forbidden'],
  [post('/api/v2/write?bucket=nothing&precision=x', '', token), 404, 'ingest_not_found'],
  [post('/api/v2/write?bucket=blocked&precision=x', '', token), 423, 'ingest_blocked'],
  [post('/api/v2/write', line), 403, 'forbidden'],
  [post('/api/v2/write', line, token), 400, 'invalid_request'],
  [post(`${v2}&precision=h`, line, token), 400, 'invalid_request'],
  [post(`${v1}&precision=d`, line, token), 400, 'invalid_request'],
  [post(v2, '', token), 400, 'invalid_body'],
  [post(v2, '\ufeff', token), 400, 'invalid_body'],
  [post('/api/v2/write?bucket=nothing/autogen', line, token), 404, 'ingest_not_found'],
  [post(v2, line, { ...token, 'idempotency-key': 'ü' }), 400, 'invalid_request'],
  [post(v2, line, { ...token, 'content-encoding': 'br' }), 415, 'unsupported_media_type'],
])('%j gets %i %s, in the error format of InfluxDB', async (request, status, code) => {
  const reported = await outcome(request)
  expect(reported).toMatchObject({ status, code })
  expect(Object.keys(reported.error)).toEqual(['code', 'message'])
})

test.each<[InjectOptions, number, string]>([
  [post('/query?q=DROP%20DATABASE%20x', '', token), 400, 'invalid_request'],
  [post('/query?q=CREATE%20DATABASE%20x', ''), 403, 'forbidden'],
  [get('/query'), 400, 'invalid_request'],
  [get('/query?q=SELECT'), 400, 'invalid_request'],
  [get('/query?q=SHOW%20DATABASES&params=x'), 400, 'invalid_request'],
  [get('/query?q=SHOW%20DATABASES&params={"a":[]}'), 400, 'invalid_request'],
  [post('/query', `q=${' '.repeat(200_000)}`), 413, 'query_body_too_large'],
])('%j gets %i %s, in the error format of InfluxDB 1', async (request, status, code) => {
  const { statusCode, body } = await app.inject(request)
  expect([statusCode, JSON.parse(body)]).toEqual([status, { error: expect.any(String), code }])
})

test('a body over the limit gets a 413', async () => {
  expect(await outcome(post(v2, `${line} 1000000`, token), small.app)).toMatchObject({
    status: 413,
    code: 'body_too_large',
  })
})

test('the requests that clients send before they write are answered', async () => {
  expect((await app.inject(get('/ping'))).statusCode).toBe(204)
  expect((await app.inject(get('/health'))).json()).toMatchObject({ name: 'tidemark', status: 'pass' })
  const made = { results: [{ statement_id: 0 }] }
  const form = { ...token, 'content-type': 'application/x-www-form-urlencoded' }
  expect((await app.inject(post('/query?q=CREATE+DATABASE+%22x%22', '', token))).json()).toEqual(made)
  expect((await app.inject(post('/query', 'q=CREATE+DATABASE+%22x%22', form))).json()).toEqual(made)
})
