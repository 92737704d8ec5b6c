import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { TidemarkClient } from './client.ts'
import { ConnectionError, ServiceError } from './service-error.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
}

let server: Server | undefined

/** A service that returns the same response to every request and records the requests. */
async function serviceThatAnswers(reply: Reply): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const made = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  server = made
  const { port } = made.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, seen }
}

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

test.each([
  ['127.0.0.1:18101', 'url is "127.0.0.1:18101"'],
  ['localhost:18101', 'url is "localhost:18101"'],
  ['ftp://localhost', 'url is "ftp://localhost"'],
  ['http://', 'url is "http://"'],
  [undefined, 'url is missing; give the address of the service as in { url: "http://127.0.0.1:8080" }'],
])('%s is not a valid address', (url, message) => {
  expect(() => new TidemarkClient({ url: url as string })).toThrow(message)
})

test('a request to a port that fetch blocks is reported as not sent', async () => {
  const client = new TidemarkClient({ url: 'http://127.0.0.1:6000' })
  expect(await failureOf(client.entities())).toMatchObject({ name: 'ConnectionError', sent: false })
})

type Ask = (client: TidemarkClient) => Promise<unknown>

describe('requests', () => {
  test.each<[string, Ask, string]>([
    ['push a text', (c) => c.push('a b', '{}', { format: 'json' }), 'POST /ingests/a%20b/data {}'],
    ['push rows', (c) => c.push('plant', [{ V: 1 }, { V: 2 }]), 'POST /ingests/plant/data [{"V":1},{"V":2}]'],
    ['push a single row', (c) => c.push('plant', { V: 1 } as never), 'POST /ingests/plant/data [{"V":1}]'],
    [
      'push rows as NDJSON',
      (c) => c.push('plant', [{ V: 1 }, { V: 2 }], { format: 'ndjson' }),
      'POST /ingests/plant/data {"V":1}\n{"V":2}',
    ],
    ['check rows', (c) => c.check('plant', [{ V: 1 }]), 'POST /ingests/plant/check [{"V":1}]'],
    ['push bytes', (c) => c.push('plant', Buffer.from('1\n'), { format: 'ndjson' }), 'POST /ingests/plant/data 1\n'],
    ['receipt', (c) => c.receipt('plant', 'x/y'), 'GET /ingests/plant/batches/x%2Fy '],
    ['entities', (c) => c.entities(), 'GET /consumer/data/entities '],
    ['sql', (c) => c.sql('SELECT 1'), 'POST /consumer/data/sql-query {"sql_query":"SELECT 1"}'],
    ['query', (c) => c.query('snap', { entity: 'e' }), 'POST /consumer/data/snap {"entity":"e"}'],
    ['subscription', (c) => c.subscription(), 'GET /subscription '],
    ['service', (c) => c.service(), 'GET / '],
    ['metrics', (c) => c.metrics(), 'GET /metrics '],
    ['readiness', (c) => c.readiness(), 'GET /readyz '],
    [
      'create an ingest',
      (c) => c.createIngest({ alias: 'p', kind: 'series' }),
      'POST /admin/ingests {"alias":"p","kind":"series"}',
    ],
    ['ingests', (c) => c.ingests(), 'GET /admin/ingests '],
    ['a page of ingests', (c) => c.ingests({ limit: 5, token: 'a=' }), 'GET /admin/ingests?limit=5&NextToken=a%3D '],
    ['ingest', (c) => c.ingest('p'), 'GET /admin/ingests/p '],
    ['change an ingest', (c) => c.changeIngest('p', { state: 'active' }), 'PATCH /admin/ingests/p {"state":"active"}'],
    [
      'rejected rows',
      (c) => c.rejected('p', { batch: 'b', code: 'wrong_type', limit: 2 }),
      'GET /admin/ingests/p/rejected?batch=b&code=wrong_type&limit=2 ',
    ],
    ['create a subscriber', (c) => c.createSubscriber('s'), 'POST /admin/subscribers {"name":"s"}'],
    ['subscribers', (c) => c.subscribers(), 'GET /admin/subscribers '],
    ['delete a subscriber', (c) => c.deleteSubscriber('s'), 'DELETE /admin/subscribers/s '],
    [
      'create a key',
      (c) => c.createKey('s', { rights: ['ingest'] }),
      'POST /admin/subscribers/s/keys {"rights":["ingest"]}',
    ],
    ['delete a key', (c) => c.deleteKey('k1'), 'DELETE /admin/keys/k1 '],
    ['subscriptions', (c) => c.subscriptions('s'), 'GET /admin/subscribers/s/subscriptions '],
    [
      'put subscriptions',
      (c) => c.putSubscriptions('s', [{ ingest: '*' }]),
      'PUT /admin/subscribers/s/subscriptions [{"ingest":"*"}]',
    ],
  ])('%s', async (_, ask, expected) => {
    const { url, seen } = await serviceThatAnswers({ status: 200, body: '{"batch":"b"}' })
    await ask(new TidemarkClient({ url: `${url}/`, key: 'k' }))
    expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([expected])
    expect(seen[0]?.headers.authorization).toBe('Bearer k')
  })

  test('a client without a key sends no authorization header', async () => {
    const { url, seen } = await serviceThatAnswers({ status: 200, body: '[]' })
    await new TidemarkClient({ url }).entities()
    expect(seen[0]?.headers.authorization).toBeUndefined()
  })

  test('the bytes of an answer are returned unchanged', async () => {
    const body = '[{"V":90071992547409931}]'
    const { url, seen } = await serviceThatAnswers({ status: 200, body })
    const chunks: Uint8Array[] = []
    for await (const chunk of new TidemarkClient({ url }).queryBytes('latest', { entity: 'e' })) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe(body)
    expect(seen[0]?.headers.accept).toBe('application/json')
  })
})

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('failures', () => {
  test.each<[Reply, Partial<ServiceError>]>([
    [
      {
        status: 400,
        body: '{"code":"invalid_request","detail":"ids: x","retryable":false,"errors":[{"path":"ids","message":"x"}]}',
      },
      {
        status: 400,
        code: 'invalid_request',
        detail: 'ids: x',
        retryable: false,
        errors: [{ path: 'ids', message: 'x' }],
      },
    ],
    [
      { status: 503, body: '{"code":"overloaded","detail":"later","retryable":true}', headers: { 'retry-after': '3' } },
      { status: 503, code: 'overloaded', retryable: true, retryAfterS: 3, errors: [] },
    ],
    [
      { status: 502, body: '<h1>Bad gateway</h1>' },
      { status: 502, code: 'unknown', retryable: false, retryAfterS: null },
    ],
    [
      { status: 502, body: '{"code":"BadGateway","message":"No upstream."}' },
      { status: 502, code: 'unknown', detail: expect.stringContaining('not from a Tidemark service') },
    ],
    [
      { status: 503, body: '{"code":"no-upstream","detail":"None.","status":503}' },
      { status: 503, code: 'unknown', detail: expect.stringContaining('not from a Tidemark service') },
    ],
    [
      { status: 400, body: '{"code":"invalid_body","message":"line 1: none"}' },
      { status: 400, code: 'invalid_body', detail: 'line 1: none', retryable: false },
    ],
    [
      { status: 503, body: '{}', headers: { 'retry-after': 'soon' } },
      { code: 'unknown', retryable: false, retryAfterS: null },
    ],
    [
      { status: 301, body: '', headers: { location: 'https://service/' } },
      {
        status: 301,
        code: 'unknown',
        retryable: false,
        detail: expect.stringContaining('redirects to https://service/,'),
      },
    ],
    [
      { status: 304, body: '' },
      { status: 304, code: 'unknown' },
    ],
    [
      { status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html; charset=utf-8' } },
      { status: 200, code: 'unknown', detail: expect.stringContaining('not from a Tidemark service') },
    ],
  ])('%j', async (reply, expected) => {
    const { url } = await serviceThatAnswers(reply)
    const error = await failureOf(new TidemarkClient({ url }).entities())
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject(expected)
  })

  test.each<Reply>([
    { status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
    { status: 204, body: '' },
  ])('an answer without rows is an error, not an empty result: %j', async (reply) => {
    const { url } = await serviceThatAnswers(reply)
    const bytes = new TidemarkClient({ url }).queryBytes('latest', { entity: 'e' }, 'csv')
    expect(await failureOf(bytes.next())).toMatchObject({ name: 'ServiceError', code: 'unknown' })
  })

  test('a truncated answer without a length is a broken connection', async () => {
    const { url } = await serviceThatAnswers({ status: 200, body: '[{"a":1},{"a"' })
    const error = await failureOf(new TidemarkClient({ url }).entities())
    expect(error).toMatchObject({ name: 'ConnectionError', sent: true })
  })

  test('a truncated error answer is reported with its status', async () => {
    const { url } = await serviceThatAnswers({ status: 200, body: '' })
    server?.removeAllListeners('request').on('request', ({ socket }) => {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 400\r\n\r\n{"code":')
    })
    const error = await failureOf(new TidemarkClient({ url }).entities())
    expect(error).toMatchObject({
      status: 401,
      code: 'unknown',
      detail: expect.stringContaining('the connection broke'),
    })
  })

  test('a push is acknowledged only by an answer with a batch', async () => {
    for (const body of ['{"ok":true}', 'null']) {
      const { url } = await serviceThatAnswers({ status: 200, body })
      const error = await failureOf(new TidemarkClient({ url }).push('plant', [{ V: 1 }]))
      expect(error).toMatchObject({ name: 'ServiceError', code: 'unknown' })
      server?.closeAllConnections()
      server?.close()
    }
  })

  test('a refused connection is reported as unreachable, with nothing sent', async () => {
    const { url } = await serviceThatAnswers({ status: 200, body: '' })
    await new Promise((resolve) => server?.close(resolve))
    const error = await failureOf(new TidemarkClient({ url }).entities())
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false })
    expect(error).toMatchObject({ unreachable: true, message: expect.not.stringContaining('--url') })
  })

  test('a connection that breaks after sending leaves the outcome unknown', async () => {
    const { url } = await serviceThatAnswers({ status: 200, body: '' })
    server?.removeAllListeners('request').on('request', (request) => request.socket.destroy())
    const error = await failureOf(new TidemarkClient({ url }).entities())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ sent: true, unreachable: false })
    // A service that expects TLS also breaks off the connection.
    expect(String(error)).toContain('write https://')
  })
})
