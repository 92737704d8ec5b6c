// Paths, responses and settings, through the whole server except its sockets.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'
import {
  admin,
  get,
  local,
  outcomeOn,
  post,
  push,
  pusher,
  select,
  unusual,
} from '../../test/support/injected-requests.ts'

const { app, events } = await testServer()
const outcome = (request: InjectOptions, server = app) => outcomeOn(server, request)

describe('paths and methods', () => {
  test.each<[InjectOptions, number, string | null]>([
    [get('/'), 200, null],
    [get('/', { accept: 'text/html,*/*;q=0.8' }), 302, null],
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
    [get('/consumer/data/druid-native-query'), 405, 'method_not_allowed'],
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
  ])('%j is answered with %i %s', async (request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  test('a method not allowed is refused with the header Allow, before access is checked', async () => {
    const { response } = await outcome({ ...get('/admin/ingests/plant'), method: 'PUT' })
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'DELETE, GET, HEAD, PATCH'])
  })

  test('HEAD returns the Content-Length of GET without a body', async () => {
    const { response } = await outcome({ ...get('/readyz'), method: 'HEAD' })
    const { body } = await app.inject(get('/readyz'))
    expect([response.body, response.headers['content-length']]).toEqual(['', String(body.length)])
  })
})

describe('every response', () => {
  test.each([
    get('/healthz'),
    get('/nothing'),
    get('/%zz'),
    get('/docs'),
    get(push),
    post(push, '{}'),
    get('/openapi.json'),
  ])('%j carries the version and its own request id', async (request) => {
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
  ])('%j has headers against content sniffing, framing and caching', async (request) => {
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

  test('the documentation page has no inline script or style, and everything it loads exists', async () => {
    const { body } = await app.inject(get('/docs'))
    expect(body).not.toMatch(/<style|style=|onload|<script>/)
    const loaded = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!)
    expect(loaded.length).toBeGreaterThan(3)
    for (const path of loaded) expect((await app.inject(get(`/${path}`))).statusCode, path).toBe(200)
  })

  test('a 500 hides the cause, which is reported as an event', async () => {
    const failing = await testServer({ receipts: { receipt: () => Promise.reject(new Error('disk /secret is gone')) } })
    const { statusCode, body } = await failing.app.inject(get('/ingests/plant/batches/b1', pusher))
    expect([statusCode, body]).toEqual([500, expect.not.stringContaining('secret')])
    expect(body).toContain('request-1')
    expect(failing.events).toContainEqual(expect.objectContaining({ kind: 'requestFailed', id: 'request-1' }))
  })

  test('is reported with its route pattern, or as unmatched', async () => {
    events.length = 0
    await app.inject(get('/ingests/plant/batches/b1', pusher))
    await app.inject(get('/ingests/some/thing'))
    expect(events).toMatchObject([
      { kind: 'requestServed', method: 'GET', route: '/ingests/:ingest/batches/:batch', status: 200 },
      { kind: 'requestServed', method: 'GET', route: 'unmatched', status: 404 },
    ])
  })

  test('a 503 has the header Retry-After', async () => {
    const readiness = {
      reason: 'Replaying.',
      ready: false,
      store: { ready: false, sealedPosition: 0, files: 0, rows: 0, bytes: 0 },
      sql: { state: 'idle' as const },
    }
    const recovery = { segments: 0, entries: 0, bytes: 0, tornBytes: 0, tornFile: null }
    const starting = await testServer({ readiness: () => ({ ...readiness, journal: { recovery } }) })
    const { statusCode, headers, body } = await starting.app.inject(get('/readyz', admin))
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
  ])('a %s answer for Accept-Encoding %s is encoded as %s', async (size, accepted, encoding, decode) => {
    const chunks = answers[size]
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const { app: server } = await testServer({
      queries: { run: async () => ({ rows: 1, bytes, chunks, release: () => undefined }) },
    })
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
    const response = await server.inject(post(select, { entity: 'plant' }, headers))
    expect(response.headers['content-encoding']).toBe(encoding)
    expect(response.headers['vary']).toBe(size === 'small' ? undefined : 'Accept-Encoding')
    expect(decode(response.rawPayload).equals(Buffer.concat(chunks))).toBe(true)
  })
})

describe('settings', () => {
  test('server.basePath is the prefix of every path', async () => {
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

  test('cors.origins allows requests from web pages of these origins', async () => {
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

test('the page at /docs refers to its files by relative paths', async () => {
  expect((await app.inject({ url: '/docs' })).body).toContain('src="docs/static/start.js"')
})
