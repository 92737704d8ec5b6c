// The Model Context Protocol over HTTP, with the requests that the SDK's client sends, in both revisions in use.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { InjectOptions } from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import { keys, type TestServer, testServer } from '../../test/support/http-server.ts'
import { plainAnswer } from '../../test/support/in-process.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Services } from './services.ts'

const running: TestServer[] = []
afterAll(() => Promise.all(running.map(({ app }) => app.close())))

async function serverWith(overrides: Partial<Services> = {}, environment: Record<string, string> = {}) {
  const server = await testServer(
    { queries: { run: async () => plainAnswer('T,V\r\na,1\r\n') }, ...overrides },
    { TIDEMARK_ACCESS_CONSUMPTION: 'key', ...environment },
  )
  running.push(server)
  return server
}

const usual = await serverWith()
const open = await serverWith({}, { TIDEMARK_ACCESS_CONSUMPTION: 'public' })

const bearer = { authorization: `Bearer ${keys.reader}` }
const accept = 'application/json, text/event-stream'

function post(message: unknown, headers: Record<string, string> = bearer): InjectOptions {
  const payload = typeof message === 'string' ? message : JSON.stringify(message)
  return { method: 'POST', url: '/mcp', headers: { 'content-type': 'application/json', accept, ...headers }, payload }
}

interface Replied {
  readonly result?: {
    readonly content?: readonly { readonly text: string }[]
    readonly isError?: boolean
    readonly tools?: readonly { readonly name: string }[]
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/** The message of a response, sent as an event or as JSON. */
const messageOf = (body: string): Replied => JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body)

const call = (name: string, asked: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: asked },
})
const latest = call('query', { kind: 'latest', entity: 'plant' })

/** A message of the 2026 revision, in which every message names its revision. */
function modern(message: ReturnType<typeof call>): InjectOptions {
  const revision = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'try', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const { method, params } = message
  const headers = { ...bearer, 'mcp-protocol-version': revision, 'mcp-method': method }
  return post(
    { ...message, params: { ...params, _meta: meta } },
    params.name === '' ? headers : { ...headers, 'mcp-name': params.name },
  )
}

describe('an MCP client', () => {
  test('initializes, lists the tools and calls one, in the revisions until 2025', async () => {
    const { app } = usual
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'try', version: '1' } }
    const begun = await app.inject(post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: client }))
    expect(messageOf(begun.body)).toMatchObject({
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'tidemark' } },
    })
    const told = await app.inject(post({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect([told.statusCode, told.body]).toEqual([202, ''])
    const listed = await app.inject(post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    expect(messageOf(listed.body).result?.tools?.map(({ name }) => name)).toContain('query')
    const called = await app.inject(post(latest))
    expect(messageOf(called.body).result?.content?.map(({ text }) => text)).toEqual([
      'T,V\na,1',
      '1 row, which is all.',
    ])
  })

  test.each(['application/json', '*/*', 'text/event-stream', ''])(
    'with Accept "%s" is answered in JSON',
    async (types) => {
      const { app } = usual
      const { statusCode, headers, body } = await app.inject(post(latest, { ...bearer, accept: types }))
      expect([statusCode, headers['content-type']]).toEqual([200, 'application/json'])
      expect(JSON.parse(body)).toMatchObject({ id: 1, result: {} })
    },
  )

  test('discovers and calls in the 2026 revision, with independent messages', async () => {
    const { app } = usual
    const discovered = await app.inject(modern({ ...call('', {}), method: 'server/discover' }))
    expect(messageOf(discovered.body)).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } })
    const called = await app.inject(modern(latest))
    expect(called.headers['content-type']).toContain('application/json')
    expect(messageOf(called.body).result?.content?.[0]?.text).toBe('T,V\na,1')
  })

  test('that subscribes to changes is refused: no stream is kept open', async () => {
    const { app } = usual
    const { body } = await app.inject(modern({ ...call('', {}), method: 'subscriptions/listen' }))
    expect(messageOf(body).error).toBeDefined()
  })

  test.each(['GET', 'DELETE'] as const)(
    'that requests a session by %s gets a 405: there are no sessions',
    async (method) => {
      const { app } = usual
      const { statusCode, headers } = await app.inject({ method, url: '/mcp', headers: bearer })
      expect([statusCode, headers['allow']]).toEqual([405, 'POST'])
    },
  )
})

test('POST /mcp/ redirects to /mcp with 308, which keeps the message', async () => {
  const { statusCode, headers } = await usual.app.inject({ ...post(latest), url: '/mcp/' })
  expect([statusCode, headers['location']]).toEqual([308, '../mcp'])
  const { app } = await serverWith()
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`${address}/mcp/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...bearer },
    body: JSON.stringify(latest),
  })
  expect([answer.status, answer.redirected]).toEqual([200, true])
  expect(messageOf(await answer.text()).result?.content?.[0]?.text).toBe('T,V\na,1')
})

const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` })

describe('access', () => {
  test.each<[name: string, headers: Record<string, string>, status: number]>([
    ['no key', {}, 403],
    ['an unknown key', { authorization: 'Bearer wrong' }, 403],
    ['a key that may only push', { authorization: `Bearer ${keys.pusher}` }, 403],
    ['Bearer', bearer, 200],
    ['X-API-Key', { 'x-api-key': keys.reader }, 200],
    ['Basic', basic(keys.reader), 200],
    ['Basic with an unknown key', basic('wrong'), 403],
  ])('%s', async (_name, headers, status) => {
    const { app } = usual
    expect((await app.inject(post(latest, headers))).statusCode).toBe(status)
  })

  test.each<[name: string, headers: Record<string, string>, status: number]>([
    ['a client that is not a page', { host: 'localhost:8080' }, 200],
    ['a page of the same origin', { host: 'localhost:8080', origin: 'http://localhost:8080' }, 200],
    ['a page of another origin', { host: 'localhost:8080', origin: 'https://evil.example' }, 403],
    ['another host name that resolves to this server', { host: 'evil.example' }, 403],
    [
      'a page of another origin, with a key',
      { host: 'localhost:8080', origin: 'https://evil.example', ...bearer },
      200,
    ],
  ])('with public reading: %s', async (_name, headers, status) => {
    expect((await open.app.inject(post(latest, headers))).statusCode).toBe(status)
  })

  test('the tools have the rights of the key', async () => {
    const { app } = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
    const own = messageOf((await app.inject(post(call('list_entities', {})))).body)
    expect(own.result?.content?.[0]?.text).toContain('"plant"')
    expect(own.result?.content?.[0]?.text).not.toContain('secret')
    for (const other of [
      call('query', { kind: 'latest', entity: 'secret' }),
      call('find_tags', { entity: 'secret' }),
    ]) {
      const { result } = messageOf((await app.inject(post(other))).body)
      expect([result?.isError, result?.content?.[0]?.text]).toEqual([true, 'Send a key that may do this. (forbidden)'])
    }
    await app.close()
  })
})

describe('an invalid message', () => {
  test.each<[body: unknown, code: string]>([
    ['', 'invalid_body'],
    ['{', 'invalid_json'],
    ['null', 'invalid_request'],
    [[latest, latest], 'invalid_request'],
    [{ ...latest, jsonrpc: '1.0' }, 'invalid_request'],
    [{ ...latest, id: { a: 1 } }, 'invalid_request'],
  ])('%j gets a 400', async (body, code) => {
    const { app } = usual
    const { statusCode, ...response } = await app.inject(post(body))
    expect([statusCode, response.json<{ code: string }>().code]).toEqual([400, code])
  })

  test.each([
    { jsonrpc: '2.0' },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 1, method: 'tools/call' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 5 } },
    { jsonrpc: '2.0', id: 1, method: 'constructor', params: {} },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
  ])('%j is not a failure of the service', async (message) => {
    const { app, events } = usual
    const response = await app.inject(post(message))
    expect(response.statusCode).toBeLessThan(500)
    expect(events.filter(({ kind }) => kind === 'requestFailed')).toEqual([])
  })

  test('over the limit is refused with the name of the limit', async () => {
    const { app } = await serverWith({}, { TIDEMARK_LIMITS_QUERY_BODY_BYTES: '1000' })
    const { statusCode, body } = await app.inject(post(call('sql', { sql_query: 'x'.repeat(1000) })))
    expect([statusCode, body]).toEqual([413, expect.stringContaining('limits.queryBodyBytes')])
  })
})

test('a failure of the service is reported as an event, and hidden from the answer', async () => {
  const fault = new TypeError('the inside of the house')
  const { app, events } = await serverWith({ queries: { run: () => Promise.reject(fault) } })
  const { body } = await app.inject(post(latest))
  expect(messageOf(body).result?.isError).toBe(true)
  expect(body).not.toContain('house')
  expect(events).toContainEqual(expect.objectContaining({ kind: 'requestFailed', error: fault }))
})

test('a query abandoned by its client is cancelled, and is not a failure', async () => {
  let begun: (signal: CancelSignal) => void
  const asked = new Promise<CancelSignal>((resolve) => {
    begun = resolve
  })
  const run: Services['queries']['run'] = (_question, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      begun(signal)
    })
  const { app, events } = await serverWith({ queries: { run } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const body = JSON.stringify(latest)
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nAuthorization: ${bearer.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const signal = await asked
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  socket.destroy()
  await Promise.all([aborted, once(socket, 'close')])
  await app.close()
  expect(events.filter(({ kind }) => kind === 'requestFailed')).toEqual([])
})
