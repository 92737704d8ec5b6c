// Each request is sent as it is, and again with a parameter without effect that makes the framework handle it: the responses must be the same.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { keys, plainServices, type TestServer, testServer } from '../../test/support/http-server.ts'
import { Problem } from '../model/problem.ts'
import { stopServer } from './stop.ts'

const running: TestServer[] = []

afterEach(async () => {
  for (const { app } of running.splice(0)) {
    app.server.closeAllConnections()
    await app.close()
  }
})

interface Counted {
  readonly url: string
  readonly server: TestServer
  /** The number of times that a caller was identified; the framework identifies it twice for each push. */
  readonly identified: () => number
}

async function start(
  services: Partial<ReturnType<typeof plainServices>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Counted> {
  let identified = 0
  const { access } = plainServices([])
  const counting: typeof access = {
    ...access,
    identify: (credential) => {
      identified++
      return access.identify(credential)
    },
  }
  const server = await testServer({ access: counting, ...services }, environment)
  running.push(server)
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, server, identified: () => identified }
}

const json = 'application/json'
const row = '{"D":"2026-01-01T00:00:00.000Z","T":"a","V":1}'
const pusher = { authorization: `Bearer ${keys.pusher}`, 'content-type': json }
const line = 'm v=1'
const lines = { authorization: `Token ${keys.pusher}`, 'content-type': 'text/plain; charset=utf-8' }
const form = 'application/x-www-form-urlencoded'
const basic = (key: string): string => `Basic ${Buffer.from(`any:${key}`).toString('base64')}`

/** Adds a parameter without effect. */
function forFramework(path: string): string {
  if (!path.includes('?')) return `${path}?wait=false`
  return path.startsWith('/write') ? `${path}&u=%61` : `${path}&orgID=%61`
}

interface Pushed {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}

async function push({ url }: Counted, { path, headers, body }: Pushed) {
  const response = await fetch(url + path, { method: 'POST', headers, body: Buffer.from(body) })
  const { date: _, 'x-request-id': id, ...others } = Object.fromEntries(response.headers)
  return { id, answer: { status: response.status, headers: others, body: await response.text() } }
}

describe('the response is the same with and without the framework', () => {
  test.each<[string, boolean, string, Record<string, string>, string | Uint8Array]>([
    ['a row', true, '/ingests/plant/data', pusher, row],
    ['the path /ingest', true, '/ingest/plant/data', pusher, `[${row}]`],
    ['NDJSON', true, '/ingests/plant/data', { ...pusher, 'content-type': 'application/x-ndjson' }, `${row}\n${row}\n`],
    ['a charset', true, '/ingests/plant/data', { ...pusher, 'content-type': `${json}; charset=utf-8` }, row],
    ['the key as X-API-Key', true, '/ingests/plant/data', { 'x-api-key': keys.pusher, 'content-type': json }, row],
    ['an idempotency key', true, '/ingests/plant/data', { ...pusher, 'idempotency-key': 'k' }, row],
    ['gzip', true, '/ingests/plant/data', { ...pusher, 'content-encoding': 'gzip' }, gzipSync(row)],
    ['gzip of an empty body', true, '/ingests/plant/data', { ...pusher, 'content-encoding': 'gzip' }, gzipSync('')],
    [
      'gzip of a body over the limit',
      true,
      '/ingests/plant/data',
      { ...pusher, 'content-encoding': 'gzip' },
      gzipSync(row.repeat(100)),
    ],
    ['a body that is not gzip', true, '/ingests/plant/data', { ...pusher, 'content-encoding': 'gzip' }, row],
    ['line protocol', true, '/api/v2/write?bucket=plant', lines, line],
    ['line protocol in seconds', true, '/api/v2/write?org=x&bucket=plant&precision=s', lines, line],
    ['line protocol at /write', true, '/write?db=plant&precision=h&rp=auto&consistency=any', lines, line],
    ['line protocol with gzip', true, '/write?db=plant', { ...lines, 'content-encoding': 'gzip' }, gzipSync(line)],
    ['line protocol with the Content-Type of curl', true, '/write?db=plant', { ...lines, 'content-type': form }, line],
    [
      'line protocol with the key in Basic authentication',
      true,
      '/write?db=plant',
      { ...lines, authorization: basic(keys.pusher) },
      line,
    ],
    ['line protocol with a wrong key', false, '/write?db=plant', { ...lines, authorization: basic('wrong') }, line],
    ['line protocol with the key as a parameter', false, `/write?db=plant&p=${keys.pusher}`, {}, line],
    ['line protocol with an idempotency key', true, '/write?db=plant', { ...lines, 'idempotency-key': 'k' }, line],
    ['an unknown precision', false, '/write?db=plant&precision=constructor', lines, line],
    ['a precision of the other path', false, '/api/v2/write?bucket=plant&precision=h', lines, line],
    ['two ingests', false, '/write?db=plant&db=other', lines, line],
    ['no ingest', false, '/write?rp=a', lines, line],
    ['an unknown parameter', false, '/write?db=plant&x=1', lines, line],
    ['line protocol to an unknown ingest', false, '/write?db=other', lines, line],
    ['line protocol to a blocked ingest', false, '/write?db=blocked', lines, line],
    ['line protocol with an empty body', false, '/write?db=plant', lines, ''],
    ['line protocol over the limit', false, '/write?db=plant', lines, `${line}\n`.repeat(200)],
    [
      'rows with the key in Basic authentication',
      false,
      '/ingests/plant/data',
      { ...pusher, authorization: basic(keys.pusher) },
      row,
    ],
    ['another charset', false, '/ingests/plant/data', { ...pusher, 'content-type': `${json}; charset=latin1` }, row],
    ['a page of another origin', true, '/ingests/plant/data', { ...pusher, origin: 'https://example.com' }, row],
    [
      'an idempotency key over the maximum length',
      false,
      '/ingests/plant/data',
      { ...pusher, 'idempotency-key': 'k'.repeat(256) },
      row,
    ],
    ['no key', false, '/ingests/plant/data', { 'content-type': json }, row],
    [
      'a key without the right',
      false,
      '/ingests/plant/data',
      { ...pusher, authorization: `Bearer ${keys.reader}` },
      row,
    ],
    ['two keys', false, '/ingests/plant/data', { ...pusher, 'x-api-key': 'another' }, row],
    ['an unknown ingest', false, '/ingests/other/data', pusher, row],
    ['a blocked ingest', false, '/ingests/blocked/data', pusher, row],
    ['a percent-encoded name', false, '/ingests/pl%61nt/data', pusher, row],
    ['another media type', false, '/ingests/plant/data', { ...pusher, 'content-type': 'text/plain' }, row],
    ['another Content-Encoding', false, '/ingests/plant/data', { ...pusher, 'content-encoding': 'br' }, row],
    ['an empty body', false, '/ingests/plant/data', pusher, ''],
    ['a body over the limit', false, '/ingests/plant/data', pusher, row.repeat(100)],
    ['an unknown path', false, '/ingests/plant/datum', pusher, row],
  ])('%s', async (_, isPlain, path, headers, body) => {
    const services = await start({}, { TIDEMARK_LIMITS_INGEST_BODY_BYTES: '1000' })
    const plain = await push(services, { path, headers, body })
    const askedFor = services.identified()
    const framework = await push(services, { path: forFramework(path), headers, body })
    expect(plain.answer).toEqual(framework.answer)
    const { events, pushed } = services.server
    const served = () => events.filter(({ kind }) => kind === 'requestServed')
    await expect.poll(() => served().length).toBe(2)
    const [first, second] = served()
    expect(first).toMatchObject({ kind: 'requestServed', id: plain.id, status: plain.answer.status })
    expect({ ...first, id: '', ms: 0 }).toEqual({ ...second, id: '', ms: 0 })
    expect(pushed).toHaveLength(plain.answer.status < 300 ? 2 : 0)
    expect(pushed[0]).toEqual(pushed[1])
    if (isPlain) expect(askedFor).toBe(1)
  })

  test.each<[string, Error]>([
    ['refused for lack of capacity', new Problem('overloaded', 'There is no room.', { retryAfterS: 7 })],
    ['that fails', new Error('the disk is on fire')],
  ])('a push %s', async (_, error) => {
    const services = await start({ pushes: { push: () => Promise.reject(error) } })
    const plain = await push(services, { path: '/ingests/plant/data', headers: pusher, body: row })
    const askedFor = services.identified()
    const framework = await push(services, { path: '/ingests/plant/data?wait=false', headers: pusher, body: row })
    const withoutId = ({ id, answer }: typeof plain) => ({ ...answer, body: answer.body.replaceAll(id ?? '', 'ID') })
    expect(withoutId(plain)).toEqual(withoutId(framework))
    expect(askedFor).toBe(1)
    const kinds = services.server.events.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'requestFailed')).toHaveLength(error instanceof Problem ? 0 : 2)
  })
})

test('a failed push is reported with its complete duration', async () => {
  const services = await start({
    pushes: {
      push: async () => {
        await sleep(60)
        throw new Problem('overloaded', 'There is no room.')
      },
    },
  })
  await push(services, { path: '/ingests/plant/data', headers: pusher, body: row })
  await expect.poll(() => services.server.events).toMatchObject([{ kind: 'requestServed', status: 503 }])
  const [event] = services.server.events
  // A timer may fire a little early.
  expect(event?.kind === 'requestServed' && event.ms).toBeGreaterThan(50)
})

test('pages of allowed origins get CORS headers', async () => {
  const services = await start({}, { TIDEMARK_CORS_ORIGINS: 'https://example.com' })
  const headers = { ...pusher, origin: 'https://example.com' }
  const { answer } = await push(services, { path: '/ingests/plant/data', headers, body: row })
  expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'https://example.com' } })
})

test('a push below a base path also bypasses the framework', async () => {
  const services = await start({}, { TIDEMARK_SERVER_BASE_PATH: '/a.b' })
  const { answer } = await push(services, { path: '/a.b/ingests/plant/data', headers: pusher, body: row })
  expect(answer).toMatchObject({ status: 200, body: '{"batch":"b1","rows":1}' })
  expect(services.identified()).toBe(1)
  await expect.poll(() => services.server.events).toMatchObject([{ route: '/a.b/ingests/:ingest/data' }])
  expect((await push(services, { path: '/ingests/plant/data', headers: pusher, body: row })).answer.status).toBe(404)
})

test('the caller is identified again when access has changed while the body arrived', async () => {
  const { access } = plainServices([])
  let changes = 0
  let isRevoked = false
  let lookUps = 0
  const services = await start({
    access: {
      ...access,
      get changes() {
        return changes
      },
      identify: (credential) => {
        lookUps++
        return access.identify(isRevoked ? {} : credential)
      },
    },
  })
  const socket = connect(Number(new URL(services.url).port), '127.0.0.1')
  socket.write(
    `POST /ingests/plant/data HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-Key: ${keys.pusher}\r\nContent-Length: ${row.length}\r\n\r\n`,
  )
  await expect.poll(() => lookUps).toBe(1)
  isRevoked = true
  changes++
  socket.write(row)
  const [answer] = await once(socket.setEncoding('utf8'), 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  expect(services.server.pushed).toHaveLength(0)
})

test('a stop waits for a running push, and ends it with 503 at the deadline', async () => {
  let finish = (): void => undefined
  const stored = new Promise<void>((resolve) => {
    finish = resolve
  })
  const services = await start({
    pushes: {
      push: async () => {
        await stored
        return { batch: 'b1', rows: 1 }
      },
    },
  })
  const answered = push(services, { path: '/ingests/plant/data', headers: pusher, body: row })
  await expect.poll(() => services.identified()).toBe(1)
  const { app, inFlight } = services.server
  await stopServer(app, inFlight, { shutdownMs: 50, atOnce: new AbortController().signal })
  const { answer } = await answered
  expect(answer).toMatchObject({ status: 503, headers: { 'content-type': 'application/problem+json' } })
  // Too late for a response.
  finish()
  await stored
  running.length = 0
})

test('a client that disconnects within its body stores nothing', async () => {
  const services = await start()
  const socket = connect(Number(new URL(services.url).port), '127.0.0.1')
  socket.write(
    `POST /ingests/plant/data HTTP/1.1\r\nHost: a\r\nX-API-Key: ${keys.pusher}\r\nContent-Length: 100\r\n\r\n{`,
  )
  await expect.poll(() => services.identified()).toBe(1)
  socket.destroy()
  await services.server.inFlight.empty()
  // The end of the request is reported after the end of its response; it must leave nothing in flight.
  await sleep(100)
  await services.server.inFlight.empty()
  expect(services.server.pushed).toHaveLength(0)
})

test.each(['/ingests/plant/data', '/ingests/plant/data?wait=false'])(
  'a response sent while the service stops has Connection: close: %s',
  async (path) => {
    let finish = (): void => undefined
    const stored = new Promise<void>((resolve) => {
      finish = resolve
    })
    const services = await start({ pushes: { push: () => stored.then(() => ({ batch: 'b1', rows: 1 })) } })
    const answered = push(services, { path, headers: pusher, body: row })
    await expect.poll(() => services.identified()).toBeGreaterThan(0)
    const { app, inFlight } = services.server
    const stopped = stopServer(app, inFlight, { shutdownMs: 60_000, atOnce: new AbortController().signal })
    finish()
    expect((await answered).answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
    await stopped
    running.length = 0
  },
)
