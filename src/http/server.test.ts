// Requests and what they are answered with, through all of the server but the sockets.
import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { forwardingHeaders } from './consumption.ts'

const { app, pushed, events } = await testServer()
const limited = await testServer(
  {},
  { TIDEMARK_LIMITS_INGEST_BODY_BYTES: '100', TIDEMARK_LIMITS_QUERY_BODY_BYTES: '100' },
)

const security = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8')
const local = { host: 'localhost:8080' }
const pusher = { 'x-api-key': keys.pusher }
const admin = { authorization: `Bearer ${keys.admin}` }
const select = '/consumer/data/select'
const push = '/ingests/plant/data'
const post = (url: string, payload: InjectOptions['payload'], headers = {}): InjectOptions => ({
  method: 'POST',
  url,
  payload,
  headers: { ...local, ...headers },
})
/** A method that the type of injected requests does not name. */
const unusual = (method: string, url: string): InjectOptions => ({ ...get(url), method: method as 'GET' })
const get = (url: string, headers = {}): InjectOptions => ({ method: 'GET', url, headers: { ...local, ...headers } })

async function outcome(request: InjectOptions, server = app) {
  const response = await server.inject(request)
  const isProblem = response.headers['content-type'] === 'application/problem+json'
  return { status: response.statusCode, code: isProblem ? response.json<{ code: string }>().code : null, response }
}

describe('paths and methods', () => {
  test.each<[InjectOptions, number, string | null]>([
    [get('/'), 200, null],
    [get('/', { accept: 'text/html,*/*;q=0.8' }), 302, null],
    [get('/portal/'), 404, 'path_not_found'],
    [get('/portal/assets/nothing.js'), 404, 'path_not_found'],
    [get('/portal/assets/..%2findex.html'), 404, 'path_not_found'],
    [get('/nothing'), 404, 'path_not_found'],
    [post('/nothing', '{', { 'content-type': 'no/thing' }), 404, 'path_not_found'],
    [get('/healthz/'), 404, 'path_not_found'],
    [get('//healthz'), 404, 'path_not_found'],
    [get(`/ingests/${'a'.repeat(9000)}/batches/b1`, pusher), 404, 'path_not_found'],
    [get('/%zz'), 400, 'malformed_http'],
    [get('/ingests/%E0%A4%A/batches/b1'), 400, 'malformed_http'],
    [get(push), 405, 'method_not_allowed'],
    [get(select), 405, 'method_not_allowed'],
    [{ ...get(push), method: 'OPTIONS' }, 405, 'method_not_allowed'],
    [{ ...get('/admin/ingests'), method: 'DELETE' }, 405, 'method_not_allowed'],
    [unusual('PROPFIND', '/healthz'), 405, 'method_not_allowed'],
    [unusual('TRACE', '/healthz'), 405, 'method_not_allowed'],
    [{ ...get('/healthz'), method: 'HEAD' }, 200, null],
    [get('/healthz?anything=1'), 200, null],
    [get('/docs'), 200, null],
    [get('/docs/'), 404, 'path_not_found'],
    [get('/docs/static/swagger-ui.css'), 200, null],
    [get('/docs/static/swagger-ui.css', { range: 'bytes=999999999-', 'if-none-match': '*' }), 200, null],
    [get('/docs/static/start.js'), 200, null],
    [{ ...get('/docs/static/start.js'), method: 'HEAD' }, 200, null],
    [get('/docs/static/nothing.js'), 404, 'path_not_found'],
    [get('/docs/static/'), 404, 'path_not_found'],
    [get('/docs/static/index.html'), 404, 'path_not_found'],
    [get('/docs/static/..%2fpackage.json'), 404, 'path_not_found'],
    [get('/docs/static/%2e%2e%2fpackage.json'), 404, 'path_not_found'],
    [get('/docs/static/__proto__'), 404, 'path_not_found'],
    [get('/docs/static/%00'), 404, 'path_not_found'],
    [get('/docs/nothing'), 404, 'path_not_found'],
    [get('/openapi.json'), 200, null],
  ])('%j is %i %s', async (request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  test('a method that is not taken is told with those that are, before access is looked at', async () => {
    const { response } = await outcome({ ...get('/admin/ingests/plant'), method: 'PUT' })
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'DELETE, GET, HEAD, PATCH'])
  })

  test('HEAD answers as GET without a body', async () => {
    const { response } = await outcome({ ...get('/readyz'), method: 'HEAD' })
    const { body } = await app.inject(get('/readyz'))
    expect([response.body, response.headers['content-length']]).toEqual(['', String(body.length)])
  })
})

describe('pushes: access, existence, state, and only then the body', () => {
  const bad = { 'content-type': 'text/plain' }
  test.each<[string, InjectOptions, number, string | null]>([
    ['no key', post('/ingests/nothing/data', '{', bad), 403, 'forbidden'],
    ['wrong key', post(push, '{', { ...bad, 'x-api-key': 'guess' }), 403, 'forbidden'],
    ['key without the right', post(push, '{', { ...bad, 'x-api-key': keys.reader }), 403, 'forbidden'],
    ['no ingest', post('/ingests/nothing/data?x=1', '{', { ...bad, ...pusher }), 404, 'ingest_not_found'],
    ['name of a property of objects', post('/ingests/__proto__/data', '{}', pusher), 404, 'ingest_not_found'],
    ['blocked', post('/ingests/blocked/data?x=1', '{', { ...bad, ...pusher }), 423, 'ingest_blocked'],
    ['type', post(push, '{', { ...bad, ...pusher }), 415, 'unsupported_media_type'],
    ['no type', post(push, '{}', pusher), 200, null],
    ['bad type', post(push, '{}', { ...pusher, 'content-type': 'json' }), 415, 'unsupported_media_type'],
    [
      'charset',
      post(push, '{}', { ...pusher, 'content-type': 'application/json; charset=latin1' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a charset that begins as UTF-8',
      post(push, '{}', { ...pusher, 'content-type': 'application/json; charset=utf-8859' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a charset between the quotes of another parameter',
      post(push, '{}', { ...pusher, 'content-type': 'application/json;x="a;charset=latin1"' }),
      200,
      null,
    ],
    ['utf-8', post(push, '{}', { ...pusher, 'content-type': 'Application/JSON; charset="UTF-8"' }), 200, null],
    ['encoding', post(push, '{}', { ...pusher, 'content-encoding': 'br' }), 415, 'unsupported_media_type'],
    ['identity', post(push, '{}', { ...pusher, 'content-encoding': 'identity' }), 200, null],
    ['empty', post(push, '', pusher), 400, 'invalid_body'],
    ['no body', post(push, undefined, pusher), 400, 'invalid_body'],
    ['no gzip', post(push, '{}', { ...pusher, 'content-encoding': 'gzip' }), 400, 'invalid_body'],
    [
      'half a gzip',
      post(push, gzipSync('{"D":1}').subarray(0, 20), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'invalid_body',
    ],
    [
      'two parts of gzip, filled up with zeros',
      post(push, Buffer.concat([gzipSync('{"D":'), gzipSync('1}'), Buffer.alloc(9)]), {
        ...pusher,
        'content-encoding': 'gzip',
      }),
      200,
      null,
    ],
    [
      'a second part of gzip behind zeros',
      post(push, Buffer.concat([gzipSync('{}'), Buffer.alloc(1), gzipSync('{}')]), {
        ...pusher,
        'content-encoding': 'gzip',
      }),
      400,
      'invalid_body',
    ],
    [
      'something behind gzip',
      post(push, Buffer.concat([gzipSync('{}'), Buffer.from('{}')]), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'invalid_body',
    ],
    ['empty gzip', post(push, gzipSync(''), { ...pusher, 'content-encoding': 'gzip' }), 400, 'invalid_body'],
    ['wait', post(`${push}?wait=maybe`, '{}', pusher), 400, 'invalid_request'],
    ['wait twice', post(`${push}?wait=true&wait=true`, '{}', pusher), 400, 'invalid_request'],
    ['other parameter', post(`${push}?wiat=true`, '{}', pusher), 400, 'invalid_request'],
    ['any Accept', post(push, '{}', { ...pusher, accept: 'text/csv' }), 200, null],
    ['the other path', post('/ingest/plant/data', '{}', pusher), 200, null],
    ['receipt', get('/ingests/plant/batches/b1', pusher), 200, null],
    ['receipt without key', get('/ingests/plant/batches/b1'), 403, 'forbidden'],
    ['receipt of no batch', get('/ingests/plant/batches/b2', pusher), 404, 'batch_not_found'],
    ['receipt of no ingest', get('/ingests/nothing/batches/b1', pusher), 404, 'batch_not_found'],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  test('the body goes on as it came, decompressed, never parsed', async () => {
    pushed.length = 0
    await app.inject(post(push, ' [{"V":9007199254740993}]', pusher))
    const ndjson = { ...pusher, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
    await app.inject(post(`${push}?wait=true`, gzipSync('{}\n{}'), ndjson))
    expect(pushed).toEqual([
      { body: ' [{"V":9007199254740993}]', format: 'json', wait: false },
      { body: '{}\n{}', format: 'ndjson', wait: true },
    ])
  })

  test('a blocked ingest is told with the reason', async () => {
    const { response } = await outcome(post('/ingests/blocked/data', '{}', pusher))
    expect(response.json<{ detail: string }>().detail).toContain('Meter is being replaced')
  })

  test.each<[string, InjectOptions, number, string | null]>([
    ['at the limit', post(push, 'x'.repeat(100), pusher), 200, null],
    ['over the limit', post(push, 'x'.repeat(101), pusher), 400, 'body_too_large'],
    [
      'gzip over the limit',
      post(push, gzipSync('x'.repeat(101)), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'body_too_large',
    ],
    [
      'a bomb',
      post(push, gzipSync(Buffer.alloc(50_000)), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'body_too_large',
    ],
    ['query over the limit', post(select, { entity: 'x'.repeat(100) }), 413, 'query_body_too_large'],
    [
      'gzip query over the limit',
      post(select, gzipSync('x'.repeat(101)), { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      413,
      'query_body_too_large',
    ],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request, limited.app)).toMatchObject({ status, code })
  })
})

describe('queries', () => {
  const json = { 'content-type': 'application/json' }
  test.each<[string, InjectOptions, number, string | null]>([
    ['a query', post(select, { entity: 'plant' }), 200, null],
    ['gzip', post(select, gzipSync('{"entity":"plant"}'), { ...json, 'content-encoding': 'gzip' }), 200, null],
    ['no type', post(select, '{"entity":"plant"}'), 200, null],
    ['null is as if left out', post(select, { entity: 'plant', ids: null }), 200, null],
    ['unknown entity', post(select, { entity: 'other' }), 400, 'unknown_entity'],
    [
      'form',
      post(select, 'entity=plant', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported_media_type',
    ],
    ['empty', post(select, '', json), 400, 'invalid_body'],
    ['not JSON', post(select, '{entity}', json), 400, 'invalid_json'],
    ['not UTF-8', post(select, Buffer.from([0x22, 0xff, 0x22]), json), 400, 'invalid_json'],
    ['null', post(select, 'null', json), 400, 'invalid_request'],
    ['a list', post(select, '[]', json), 400, 'invalid_request'],
    ['deep', post(select, '['.repeat(100_000), json), 400, 'invalid_json'],
    [
      'deep and whole',
      post(select, `{"ids":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, json),
      400,
      'invalid_request',
    ],
    ['Accept of others', post(select, { entity: 'plant' }, { accept: 'text/html' }), 406, 'not_acceptable'],
    ['Accept of any', post(select, { entity: 'plant' }, { accept: 'text/html, */*;q=0.1' }), 200, null],
    [
      'Accept without JSON',
      post(select, { entity: 'plant' }, { accept: 'application/json;q=0, application/*;q=0' }),
      406,
      'not_acceptable',
    ],
    ['entities ignore parameters', get('/consumer/data/entities?x=1'), 200, null],
    ['entities as CSV', get('/consumer/data/entities', { accept: 'text/csv' }), 406, 'not_acceptable'],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  const properties = 'entity, id_name_field, ids, prefixes, start_date, end_date, metric_name_field, fields'
  test.each<[string, { path: string; message: string }[]]>([
    ['{}', [{ path: 'entity', message: 'is required' }]],
    ['[]', [{ path: '', message: 'must be a JSON object' }]],
    ['{"entity":1}', [{ path: 'entity', message: 'must be a text' }]],
    ['{"entity":"plant","ids":"a"}', [{ path: 'ids', message: 'must be a list' }]],
    ['{"entity":"plant","ids":["a",1]}', [{ path: 'ids[1]', message: 'must be a text' }]],
    [
      '{"entity":"plant","entty":1}',
      [{ path: 'entty', message: `is not a property that is taken here; there are ${properties}` }],
    ],
    [
      '{"entity":"plant","__proto__":{"x":1}}',
      [{ path: '__proto__', message: `is not a property that is taken here; there are ${properties}` }],
    ],
  ])('%s', async (body, errors) => {
    const { response } = await outcome(post(select, body, json))
    expect(response.json()).toMatchObject({ code: 'invalid_request', errors })
  })

  test('a list of very many wrong values is told with few errors', async () => {
    const { response } = await outcome(post(select, { entity: 'plant', ids: new Array(100_000).fill(1) }))
    expect(response.json<{ errors: unknown[] }>().errors.length).toBeLessThan(50)
  })
})

describe('consumption without a key', () => {
  const request = (headers: Record<string, string>): InjectOptions => ({
    method: 'GET',
    url: '/consumer/data/entities',
    headers,
  })
  const query = (entity: string, headers: Record<string, string>): InjectOptions => ({
    method: 'POST',
    url: select,
    payload: { entity },
    headers,
  })
  test.each<[Record<string, string>, number]>([
    [{ host: 'localhost' }, 200],
    [{ host: 'LOCALHOST:1' }, 200],
    [{ host: '127.0.0.1:8080' }, 200],
    [{ host: '127.8.9.1' }, 200],
    [{ host: '[::1]:8080' }, 200],
    [{ host: 'localhost.evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ host: '192.168.0.1' }, 403],
    [{ host: 'localhost', 'x-forwarded-for': '1.2.3.4' }, 403],
    [{ host: 'localhost', forwarded: 'for=1.2.3.4' }, 403],
    [{ host: 'localhost', via: '1.1 proxy' }, 403],
    [{ host: 'localhost', 'x-forwarded-anything': '1' }, 403],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080' }, 200],
    [{ host: 'LOCALHOST:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }, 200],
    [{ host: '[::1]:8080', origin: 'http://[::1]:8080' }, 200],
    [{ host: 'localhost', 'sec-fetch-site': 'none' }, 200],
    [{ host: 'localhost:8080', origin: 'http://localhost:3000' }, 403],
    [{ host: 'localhost:8080', origin: 'http://127.0.0.1:8080' }, 403],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080.evil.example' }, 403],
    [{ host: 'localhost:8080', origin: 'null' }, 403],
    [{ host: 'localhost:8080', origin: '' }, 403],
    [{ host: 'localhost:8080', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost', 'sec-fetch-site': 'same-site' }, 403],
    [{ host: 'localhost', 'sec-fetch-site': 'cross-site', 'x-api-key': keys.reader }, 200],
    [{ host: 'evil.example', 'x-api-key': keys.reader }, 200],
    [{ host: 'a b' }, 400],
  ])('%j is %i', async (headers, status) => {
    expect((await app.inject(request(headers))).statusCode).toBe(status)
  })

  test.each([...forwardingHeaders])('%s counts as forwarding, and SECURITY.md says so', async (name) => {
    expect((await app.inject(request({ host: 'localhost', [name]: '1' }))).statusCode).toBe(403)
    expect(security).toContain(`\`${name}\``)
  })

  const page = { host: 'localhost', 'sec-fetch-site': 'cross-site' }
  test.each<[string, Record<string, string>, number]>([
    ['https://portal.example', { ...page, origin: 'https://portal.example' }, 200],
    ['https://portal.example', { ...page, origin: 'https://evil.example' }, 403],
    ['https://portal.example', page, 403],
    ['*', { ...page, origin: 'https://evil.example' }, 200],
    ['*', page, 200],
  ])('with cors.origins %s, %j is %i', async (origins, headers, status) => {
    const { app: server } = await testServer({}, { TIDEMARK_CORS_ORIGINS: origins })
    expect((await server.inject(request(headers))).statusCode).toBe(status)
    expect((await server.inject({ url: '/metrics', headers })).statusCode).toBe(status)
  })

  test('with access.consumption key a key without the right is refused everywhere', async () => {
    const closed = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
    await closed.app.ready()
    const { paths } = JSON.parse((await closed.app.inject({ url: '/openapi.json' })).body)
    const asked = Object.entries<object>(paths)
      .filter(([path]) => path.startsWith('/consumer/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })))
    expect(asked.length).toBeGreaterThan(13)
    for (const { method, path } of asked) {
      const url = path.replace(/\{[^}]*\}/g, 'plant')
      const { statusCode, body } = await closed.app.inject({ method: method as 'GET', url, headers: pusher })
      expect([method, url, statusCode, JSON.parse(body).code]).toEqual([method, url, 403, 'forbidden'])
    }
  })

  test('with access.consumption key each sees what its key may read', async () => {
    const closed = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
    const answers = async (headers: Record<string, string>) => {
      const names = await closed.app.inject(request(headers))
      const plant = await closed.app.inject(query('plant', headers))
      const secret = await closed.app.inject(query('secret', headers))
      const entities =
        names.statusCode === 200 ? names.json<{ entity: string }[]>().map(({ entity }) => entity) : names.statusCode
      return [entities, plant.statusCode, secret.statusCode]
    }
    expect(await answers(local)).toEqual([403, 403, 403])
    expect(await answers({ 'x-api-key': keys.reader })).toEqual([['plant'], 200, 403])
    expect(await answers({ 'x-api-key': keys.admin })).toEqual([['plant', 'secret'], 200, 400])
  })

  test('with access.consumption public a wrong key is ignored', async () => {
    const open = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'public', TIDEMARK_HOST: '0.0.0.0' })
    const response = await open.app.inject(request({ host: 'data.example', 'x-api-key': 'guess', via: '1.1 proxy' }))
    expect(response.statusCode).toBe(200)
  })

  test('on an address that others reach, a key is needed', async () => {
    const reachable = await testServer({}, { TIDEMARK_HOST: '0.0.0.0' })
    expect((await reachable.app.inject(request(local))).statusCode).toBe(403)
    expect((await reachable.app.inject(get('/metrics'))).statusCode).toBe(403)
    expect((await reachable.app.inject(get('/metrics', admin))).statusCode).toBe(200)
    expect((await reachable.app.inject(get('/healthz'))).statusCode).toBe(200)
  })
})

describe("the operator's side", () => {
  const alias = { alias: 'new', kind: 'series' }
  const remove = (url: string): InjectOptions => ({ method: 'DELETE', url, headers: admin })
  test.each<[InjectOptions, number, string | null]>([
    [get('/admin/ingests'), 403, 'forbidden'],
    [get('/admin/ingests', pusher), 403, 'forbidden'],
    [get('/admin/ingests', admin), 200, null],
    [get('/admin/ingests?limit=10', admin), 200, null],
    [get('/admin/ingests?limt=10', admin), 400, 'invalid_request'],
    [get('/admin/ingests', { ...admin, accept: 'text/csv' }), 406, 'not_acceptable'],
    [get('/admin/ingests/plant', admin), 200, null],
    [post('/admin/ingests', alias), 403, 'forbidden'],
    [post('/admin/ingests', alias, admin), 201, null],
    [post('/admin/ingests', { ...alias, alias: 'plant' }, admin), 409, 'conflict'],
    [post('/admin/ingests', { ...alias, kind: 'other' }, admin), 400, 'invalid_request'],
    [post('/admin/ingests', { ...alias, fields: [{ name: 'a' }] }, admin), 400, 'invalid_request'],
    [post('/admin/ingests', { alias: 'x'.repeat(1024 * 1024), kind: 'series' }, admin), 400, 'body_too_large'],
    [{ ...post('/admin/ingests/plant', { state: 'blocked' }, admin), method: 'PATCH' }, 200, null],
    [get('/admin/ingests/plant/rejected?code=wrong_type&batch=b1', admin), 200, null],
    [get('/admin/ingests/plant/rejected?code=wrong', admin), 400, 'invalid_request'],
    [post('/admin/subscribers', { name: 'meter' }, admin), 201, null],
    [get('/admin/subscribers', admin), 200, null],
    [remove('/admin/subscribers/meter'), 204, null],
    [post('/admin/subscribers/meter/keys', { rights: ['ingest'] }, admin), 201, null],
    [post('/admin/subscribers/meter/keys', { rights: [] }, admin), 400, 'invalid_request'],
    [remove('/admin/keys/k1'), 204, null],
    [remove('/admin/keys/k2'), 404, 'not_found'],
    [post('/admin/backups', undefined, admin), 201, null],
    [post('/admin/backups', '', admin), 201, null],
    [post('/admin/backups', {}, admin), 201, null],
    [post('/admin/backups', { path: '/elsewhere' }, admin), 400, 'invalid_request'],
    [post('/admin/backups', { __proto__: 1, '': 1 }, admin), 400, 'invalid_request'],
    [post('/admin/backups', '[]', admin), 400, 'invalid_request'],
    [post('/admin/backups', '{', admin), 400, 'invalid_json'],
    [post('/admin/backups?path=/elsewhere', undefined, admin), 400, 'invalid_request'],
    [{ ...remove('/admin/ingests/plant'), payload: { data: 'drop' } }, 400, 'invalid_request'],
    [{ ...remove('/admin/keys/k1'), payload: { id: 'k2' } }, 400, 'invalid_request'],
    [{ ...post('/admin/subscribers/meter/subscriptions', [{ ingest: '*' }], admin), method: 'PUT' }, 200, null],
    [get('/admin/subscribers/meter/subscriptions', admin), 200, null],
    [get('/admin/entities', admin), 200, null],
  ])('%j is %i %s', async (request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  /** Whoever watches a service may add parameters; the list of entities ignores them (contract, section 10). */
  const open = ['/', '/healthz', '/readyz', '/metrics', '/consumer/data/entities']
  const query = { entity: 'plant' }
  const native = { query_type: 'scan', query_data: {} }
  /** Bodies that are taken, so that the parameter is at fault. */
  const bodies: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(['select', 'latest', 'snap'].map((kind) => [`/consumer/data/${kind}`, query])),
    ...Object.fromEntries(['', '-dimensions', '-granularity'].map((kind) => [`/consumer/data/average${kind}`, query])),
    ...Object.fromEntries(['last', 'next'].map((kind) => [`/consumer/data/${kind}`, { ...query, date: 'P1D' }])),
    ...Object.fromEntries(['druid', 'analytics'].map((kind) => [`/consumer/data/${kind}-native-query`, native])),
    '/consumer/data/sql-query': { sql_query: 'SELECT 1' },
    '/consumer/metadata/{table}': { itemsId: [] },
    '/admin/ingests': { alias: 'new', kind: 'series' },
    '/admin/ingests/{alias}': { state: 'active' },
    '/admin/subscribers': { name: 'new' },
    '/admin/subscribers/{name}/keys': { rights: ['ingest'] },
    '/admin/subscribers/{name}/subscriptions': [],
    '/admin/entities/{entity}': { retention: null },
  }
  test('no endpoint takes a query parameter that it does not name', async () => {
    await app.ready()
    const { paths } = JSON.parse((await app.inject({ url: '/openapi.json' })).body)
    const asked = Object.entries<Record<string, { responses: object }>>(paths).filter(([path]) => !open.includes(path))
    expect(asked.length).toBeGreaterThan(25)
    for (const [path, methods] of asked) {
      for (const [name, { responses }] of Object.entries(methods)) {
        const url = `${path.replace(/\{[^}]*\}/g, 'plant')}?surprise=1`
        for (const method of name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]) {
          const headers = path.startsWith('/ingest') ? pusher : admin
          const takesBody = ['POST', 'PUT', 'PATCH'].includes(method)
          const payload = takesBody ? { payload: JSON.stringify(bodies[path] ?? {}) } : {}
          const response = await app.inject({
            method: method as 'GET',
            url,
            headers: { ...local, ...headers },
            ...payload,
          })
          // The table's own fields are parameters of its list.
          const takesAny = path === '/consumer/metadata/{table}' && name === 'get'
          expect([method, url, response.statusCode]).toEqual([method, url, takesAny ? 200 : 400])
          if (method !== 'HEAD' && !takesAny) expect(response.body).toContain('surprise is not a query parameter')
        }
        expect(Object.keys(responses), path).toContain('400')
      }
    }
  })

  test('every object of a request says which properties it has', async () => {
    const { paths } = JSON.parse((await app.inject({ url: '/openapi.json' })).body)
    const free: string[] = []
    const look = (path: string, schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      if (Reflect.get(schema, 'type') === 'object' && Reflect.get(schema, 'additionalProperties') !== false)
        free.push(path)
      for (const [key, value] of Object.entries(schema)) if (key !== 'examples') look(`${path}.${key}`, value)
    }
    for (const [path, methods] of Object.entries<Record<string, { requestBody?: unknown }>>(paths)) {
      for (const { requestBody } of Object.values(methods)) look(path, requestBody)
    }
    // A row is judged by its ingest, a native query by its type.
    expect(free.filter((path) => !/^\/ingests?\//.test(path) && !path.includes('query_data'))).toEqual([])
  })

  test('faults within lists are told by their place', async () => {
    const fields = [
      { name: 'a', type: 'double', role: 'metric' },
      { name: 'b', type: 'float', role: 'metric' },
    ]
    const { response } = await outcome(post('/admin/ingests', { ...alias, fields }, admin))
    expect(response.json()).toMatchObject({
      errors: [{ path: 'fields[1].type', message: 'must be timestamp or string or double or long or boolean or json' }],
    })
  })
})

describe('every answer', () => {
  test.each([
    get('/healthz'),
    get('/nothing'),
    get('/%zz'),
    get('/docs'),
    get(push),
    post(push, '{}'),
    get('/openapi.json'),
  ])('%j carries the version and an id of its own', async (request) => {
    const { headers } = await app.inject(request)
    expect(headers['tidemark-version']).toMatch(/^\d+\.\d+\.\d+$/)
    expect(headers['x-request-id']).toMatch(/^request-\d+$/)
  })

  test.each([
    get('/healthz'),
    get('/nothing'),
    get('/%zz'),
    get('/docs'),
    get('/docs/static/swagger-ui-bundle.js'),
    get('/docs/static/nothing'),
    get('/openapi.json'),
    get('/metrics'),
    get('/consumer/data/entities'),
    post(select, { entity: 'plant' }),
    post(push, '{}'),
    post(push, '{}', pusher),
  ])('%j keeps browsers from taking it for something else', async (request) => {
    const { headers } = await app.inject(request)
    const policy = headers['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
  })

  test('the page of the documentation has no script or style in itself, and all that it loads is there', async () => {
    const { body } = await app.inject(get('/docs'))
    expect(body).not.toMatch(/<style|style=|onload|<script>/)
    const loaded = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!)
    expect(loaded.length).toBeGreaterThan(3)
    for (const path of loaded) expect((await app.inject(get(`/${path}`))).statusCode, path).toBe(200)
  })

  test('of a failure tells nothing of its cause, which is observed', async () => {
    const failing = await testServer({ receipts: { receipt: () => Promise.reject(new Error('disk /secret is gone')) } })
    const { statusCode, body } = await failing.app.inject(get('/ingests/plant/batches/b1', pusher))
    expect([statusCode, body]).toEqual([500, expect.not.stringContaining('secret')])
    expect(body).toContain('request-1')
    expect(failing.events).toContainEqual(expect.objectContaining({ kind: 'requestFailed', id: 'request-1' }))
  })

  test('is observed with its route, which is bounded', async () => {
    events.length = 0
    await app.inject(get('/ingests/plant/batches/b1', pusher))
    await app.inject(get('/ingests/some/thing'))
    expect(events).toMatchObject([
      { kind: 'requestServed', method: 'GET', route: '/ingests/:ingest/batches/:batch', status: 200 },
      { kind: 'requestServed', method: 'GET', route: 'unmatched', status: 404 },
    ])
  })

  test('that asks to come again says when', async () => {
    const readiness = {
      reason: 'Replaying.',
      ready: false,
      store: { ready: false, sealedPosition: 0, files: 0, rows: 0, bytes: 0 },
      sql: { state: 'idle' as const },
    }
    const recovery = { segments: 0, entries: 0, bytes: 0, tornBytes: 0, tornFile: null }
    const starting = await testServer({ readiness: () => ({ ...readiness, journal: { recovery } }) })
    const { statusCode, headers, body } = await starting.app.inject(get('/readyz'))
    expect([statusCode, headers['retry-after']]).toEqual([503, '1'])
    expect(JSON.parse(body)).toMatchObject({ code: 'unavailable', retryable: true, detail: 'Replaying.' })
  })
})

describe('compression', () => {
  const rows = Buffer.from(`[${Array.from({ length: 20_000 }, (_, V) => `{"T":"a","V":${V}}`).join(',\n')}]`)
  const answers = {
    small: [Buffer.from('[]')],
    middle: [rows.subarray(0, 5000), rows.subarray(5000, 9000)],
    large: [rows.subarray(0, 100_000), rows.subarray(100_000)],
  }
  const plain = (value: Buffer): Buffer => value
  test.each<[keyof typeof answers, string | undefined, string | undefined, (value: Buffer) => Buffer]>([
    ['small', 'gzip', undefined, plain],
    ['middle', undefined, undefined, plain],
    ['middle', 'gzip', 'gzip', gunzipSync],
    ['middle', 'gzip;q=0.5, br', 'br', brotliDecompressSync],
    ['middle', 'gzip;q=0', undefined, plain],
    ['middle', 'identity, gzip;q=0.5', undefined, plain],
    ['large', 'compress', undefined, plain],
    ['large', 'gzip, deflate', 'gzip', gunzipSync],
    ['large', 'br', 'br', brotliDecompressSync],
  ])('a %s answer for %s comes as %s', async (size, accepted, encoding, decode) => {
    const chunks = answers[size]
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const { app: server } = await testServer({
      queries: { run: async () => ({ rows: 1, bytes, chunks, release: () => undefined }), entities: async () => [] },
    })
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
    const response = await server.inject(post(select, { entity: 'plant' }, headers))
    expect(response.headers['content-encoding']).toBe(encoding)
    expect(response.headers['vary']).toBe(size === 'small' ? undefined : 'Accept-Encoding')
    expect(decode(response.rawPayload).equals(Buffer.concat(chunks))).toBe(true)
  })
})

describe('settings', () => {
  test('server.basePath stands before every path', async () => {
    const { app: server } = await testServer({}, { TIDEMARK_SERVER_BASE_PATH: '/tide/mark' })
    const statuses = await Promise.all(
      ['/healthz', '/tide/mark/healthz', '/tide/mark/docs', '/tide/mark/openapi.json', '/tide/mark/healthz/'].map(
        async (url) => (await server.inject(get(url))).statusCode,
      ),
    )
    expect(statuses).toEqual([404, 200, 200, 200, 404])
    expect((await server.inject(get('/tide/mark/openapi.json'))).json()).toMatchObject({
      servers: [{ url: '/tide/mark' }],
      paths: { '/healthz': {} },
    })
  })

  test('cors.origins lets web pages of these origins in', async () => {
    const origin = 'https://portal.example'
    const { app: server } = await testServer({}, { TIDEMARK_CORS_ORIGINS: origin })
    const preflight = await server.inject({
      method: 'OPTIONS',
      url: select,
      headers: { ...local, origin, 'access-control-request-method': 'POST' },
    })
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, origin])
    const answer = await server.inject(post(select, { entity: 'plant' }, { origin }))
    expect(answer.headers['access-control-allow-origin']).toBe(origin)
    const long = await server.inject(get('/openapi.json', { origin }))
    expect(long.headers['vary']).toMatch(/Origin.*Accept-Encoding/i)
    const other = await server.inject(post(select, { entity: 'plant' }, { origin: 'https://evil.example' }))
    expect(other.headers['access-control-allow-origin']).not.toBe('https://evil.example')
  })
})

test('the page at /docs finds its files', async () => {
  expect((await app.inject({ url: '/docs' })).body).toContain('src="docs/static/start.js"')
})
