// Behavior that only real connections show: input that the HTTP parser refuses, slow and vanishing clients, and the stop of the server.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyPages, keys, plainServices, plant, type TestServer, testServer } from '../../test/support/http-server.ts'
import { plainAnswer } from '../../test/support/in-process.ts'
import { unknownKey } from '../access/caller.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Ingest } from '../model/ingest.ts'
import { stopServer } from './stop.ts'

const running: TestServer[] = []
let port = 0

beforeAll(async () => {
  port = await listen(
    await testServer({}, { TIDEMARK_SERVER_HEADER_BYTES: '2048', TIDEMARK_LIMITS_INGEST_BODY_BYTES: '1000' }),
  )
})

afterAll(async () => {
  for (const { app } of running) {
    app.server.closeAllConnections()
    await app.close()
  }
})

async function listen(server: TestServer): Promise<number> {
  running.push(server)
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  const address = server.app.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Sends these bytes and reads until the server ends the connection. */
async function exchange(bytes: string, to = port): Promise<string> {
  const socket = connect(to, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

const closing = 'Connection: close\r\n'
const head = (line: string, headers = ''): string => `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const keyed = `X-API-Key: ${keys.pusher}\r\n`
const pushLine = 'POST /ingests/plant/data'

describe('the HTTP parser', () => {
  test.each<[string, string, number, string]>([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400, 'malformed_http'],
    ['an unknown method', head('FETCH /healthz'), 400, 'malformed_http'],
    ['an invalid header name', head('GET /healthz', 'a b: c\r\n'), 400, 'malformed_http'],
    ['a control character in a header', head('GET /healthz', 'a: \u0001\r\n'), 400, 'malformed_http'],
    ['an unsupported version', 'GET /healthz HTTP/9.9\r\n\r\n', 400, 'malformed_http'],
    ['no Host', `GET /healthz HTTP/1.1\r\n${closing}\r\n`, 400, 'malformed_http'],
    ['an invalid Host', `GET /healthz HTTP/1.1\r\nHost: a b\r\n${closing}\r\n`, 400, 'malformed_http'],
    ['an invalid Content-Length', head(pushLine, `${keyed}Content-Length: x\r\n`), 400, 'malformed_http'],
    ['a negative Content-Length', head(pushLine, `${keyed}Content-Length: -1\r\n`), 400, 'malformed_http'],
    [
      'two Content-Length headers',
      head(pushLine, `${keyed}Content-Length: 2\r\nContent-Length: 3\r\n`),
      400,
      'malformed_http',
    ],
    [
      'Content-Length with chunks',
      head(pushLine, `${keyed}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`),
      400,
      'malformed_http',
    ],
    ['an invalid chunk', `${head(pushLine, `${keyed}Transfer-Encoding: chunked\r\n`)}xyz\r\n`, 400, 'malformed_http'],
    ['headers over the limit', head('GET /healthz', `a: ${'x'.repeat(4096)}\r\n`), 431, 'headers_too_large'],
    ['an unknown Expect', head('GET /healthz', 'Expect: tea\r\n'), 400, 'malformed_http'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405, 'method_not_allowed'],
    ['OPTIONS of *', head('OPTIONS *', closing), 404, 'path_not_found'],
    ['an absolute URL of an unknown path', head('GET http://localhost/nothing', closing), 404, 'path_not_found'],
    [
      'an absolute URL with a method not allowed',
      head('GET http://LOCALHOST/ingests/plant/data', closing),
      405,
      'method_not_allowed',
    ],
    ['an absolute URL of another host', head('GET http://evil.example/healthz', closing), 400, 'malformed_http'],
    ['an absolute URL of another port', head('GET http://localhost:1/healthz', closing), 400, 'malformed_http'],
    ['an absolute URL with a user', head('GET http://a@localhost/healthz', closing), 400, 'malformed_http'],
    ['an absolute URL of another scheme', head('GET ftp://localhost/healthz', closing), 400, 'malformed_http'],
    ['an absolute URL with an empty host', head('GET http:///healthz', closing), 400, 'malformed_http'],
    [
      'an absolute URL without a Host header',
      `GET http://localhost/healthz HTTP/1.0\r\n${closing}\r\n`,
      400,
      'malformed_http',
    ],
    ['a fragment in the path', head('GET /healthz#x', closing), 400, 'malformed_http'],
    ['two different Host headers', head('GET /healthz', `${closing}Host: evil.example\r\n`), 400, 'malformed_http'],
    ['the same Host twice', head('GET /healthz', `${closing}hOST: localhost\r\n`), 400, 'malformed_http'],
    [
      'two Host headers on an unknown path',
      head('GET /nothing', `${closing}Host: evil.example\r\n`),
      400,
      'malformed_http',
    ],
    [
      'two Authorization headers',
      `${head(pushLine, `${closing}Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Length: 2\r\n`)}{}`,
      400,
      'malformed_http',
    ],
    [
      'two X-API-Key headers',
      `${head(pushLine, `${keyed}${keyed}${closing}Content-Length: 2\r\n`)}{}`,
      400,
      'malformed_http',
    ],
    [
      'two Idempotency-Key headers',
      `${head(pushLine, `${keyed}${closing}Idempotency-Key: a\r\nIdempotency-Key: a\r\nContent-Length: 2\r\n`)}{}`,
      400,
      'malformed_http',
    ],
    [
      'two Content-Type headers',
      `${head(pushLine, `${keyed}${closing}Content-Type: application/json\r\nContent-Type: text/csv\r\nContent-Length: 2\r\n`)}{}`,
      400,
      'malformed_http',
    ],
    [
      'a compressed Transfer-Encoding',
      `${head(pushLine, `${keyed}${closing}Transfer-Encoding: gzip, chunked\r\n`)}2\r\n{}\r\n0\r\n\r\n`,
      400,
      'malformed_http',
    ],
    [
      'two Transfer-Encoding headers',
      `${head(pushLine, `${keyed}${closing}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`)}2\r\n{}\r\n0\r\n\r\n`,
      400,
      'malformed_http',
    ],
    [
      'a Content-Length over the limit',
      head(pushLine, `${keyed}${closing}Content-Length: 1001\r\n`),
      400,
      'body_too_large',
    ],
  ])('refuses with a Problem: %s', async (_name, bytes, status, code) => {
    const answer = await exchange(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toMatch(/tidemark-version: \d/i)
    expect(answer).toMatch(/x-request-id: request-/i)
    expect(answer).toMatch(/content-security-policy: [^\r]*frame-ancestors 'none'/i)
    expect(answer).toMatch(/x-content-type-options: nosniff/i)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ status, code })
  })

  test.each<[string, string, RegExp]>([
    [
      'an Upgrade is ignored',
      head('GET /healthz', `Connection: upgrade, close\r\nUpgrade: websocket\r\n`),
      /^HTTP\/1.1 200 /,
    ],
    [
      'an absolute URL that matches the Host is accepted',
      head('GET http://localhost/healthz', closing),
      /^HTTP\/1.1 200 /,
    ],
    ['an absolute URL without a path is accepted', head('GET http://localhost?x=1', closing), /^HTTP\/1.1 200 /],
    [
      'HTTP/1.0 gets no 100 Continue',
      `POST /ingests/plant/data HTTP/1.0\r\n${keyed}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
      /^HTTP\/1.1 200 /,
    ],
    ['HTTP/1.0 needs no Host', 'GET /healthz HTTP/1.0\r\n\r\n', /^HTTP\/1.1 200 /],
    [
      'an empty Host is not a loopback name',
      `GET /consumer/data/entities HTTP/1.1\r\nHost:\r\n${closing}\r\n`,
      /^HTTP\/1.1 403 /,
    ],
    [
      'a chunked body is read',
      `${head(pushLine, `${keyed}${closing}Transfer-Encoding: chunked\r\n`)}2\r\n{}\r\n0\r\n\r\n`,
      /^HTTP\/1.1 200 /,
    ],
    [
      'a body with Expect gets 100 Continue',
      `${head(pushLine, `${keyed}${closing}Expect: 100-continue\r\nContent-Length: 2\r\n`)}{}`,
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    ],
    [
      'a refused request with Expect gets no 100 Continue',
      head(pushLine, `${closing}Expect: 100-continue\r\nContent-Length: 2\r\n`),
      /^HTTP\/1.1 403 /,
    ],
  ])('%s', async (_name, bytes, expected) => {
    expect(await exchange(bytes)).toMatch(expected)
  })

  test('a truncated body gets a 400', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.end(`${head(pushLine, `${keyed}Content-Length: 100\r\n`)}{`)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*malformed_http/)
  })

  test('a refused HEAD is answered without a body', async () => {
    const answer = await exchange(head('HEAD /healthz', `a: ${'x'.repeat(4096)}\r\n`))
    expect(answer).toMatch(/^HTTP\/1.1 431 [\s\S]*\r\n\r\n$/)
  })

  test('the response to an oversized request head arrives although the client sends on', async () => {
    const socket = connect(port, '127.0.0.1')
    const answer = text(socket)
    for (let piece = 0; piece < 20; piece++) {
      socket.write(piece === 0 ? `GET /${'x'.repeat(20_000)}` : 'y'.repeat(20_000))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(await answer).toMatch(/^HTTP\/1.1 431 [\s\S]*headers_too_large/)
  })

  test('a request that does not arrive in time gets a 408', async () => {
    const slow = await testServer({}, { TIDEMARK_SERVER_REQUEST_MS: '200', TIDEMARK_SERVER_HEADERS_MS: '100' })
    const slowPort = await listen(slow)
    expect(await exchange('GET /healthz HTTP/1.1\r\nHost: loc', slowPort)).toMatch(
      /^HTTP\/1.1 408 [\s\S]*request_timeout/,
    )
  })

  test.each([
    ['1', '2147483647', '1'],
    ['300001', '2147483647', '2147483647'],
    ['2147483647', '2147483647', '2147483647'],
    ['2147483647', '300000', '72000'],
  ])(
    'accepts headersMs %s together with requestMs %s and keepAliveMs %s',
    async (headersMs, requestMs, keepAliveMs) => {
      const times = {
        TIDEMARK_SERVER_HEADERS_MS: headersMs,
        TIDEMARK_SERVER_REQUEST_MS: requestMs,
        TIDEMARK_SERVER_KEEP_ALIVE_MS: keepAliveMs,
      }
      const server = await testServer({}, times)
      // The millisecond may have passed before the request is read.
      expect(await exchange(head('GET /healthz', closing), await listen(server))).toMatch(
        headersMs === '1' ? /^HTTP\/1.1 (200|408) / : /^HTTP\/1.1 200 /,
      )
    },
  )

  test('every header is read, however many come before it', async () => {
    const many = await listen(await testServer())
    const before = 'a:\r\n'.repeat(3000)
    const read = (headers: string): Promise<string> => exchange(head('GET /consumer/data/entities', headers), many)
    expect(await read(`${before}${closing}`)).toMatch(/^HTTP\/1.1 200 /)
    expect(await read(`${before}${closing}Origin: http://evil.example\r\n`)).toMatch(/^HTTP\/1.1 403 /)
    const repeated = 'Idempotency-Key: a\r\n'.repeat(2)
    expect(await read(`${before}${closing}${repeated}`)).toMatch(/^HTTP\/1.1 400 [\s\S]*is repeated/)
  })

  test('the ingest of a push is checked again after the body has arrived', async () => {
    let known: Ingest | undefined = plant
    const server = await testServer({
      definitions: { ingest: () => known, ingests: () => [], entity: () => undefined, entities: () => [] },
    })
    const socket = connect(await listen(server), '127.0.0.1')
    const begun = once(server.app.server, 'request')
    socket.write(`${head(pushLine, `${keyed}${closing}Content-Length: 2\r\n`)}{`)
    await begun
    known = undefined
    socket.write('}')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 404 [\s\S]*ingest_not_found/)
    expect(server.pushed).toEqual([])
  })

  test.each(['POST /admin/ingests', 'DELETE /admin/entities/plant/deletions/1'])(
    'access for a change is checked again after the body has arrived: %s',
    async (line) => {
      let isRevoked = false
      const made: unknown[] = []
      const change = async (what: unknown): Promise<never> => {
        made.push(what)
        throw new Error('the key was revoked')
      }
      const { access } = plainServices([])
      const server = await testServer({
        access: { ...access, identify: (given) => (isRevoked ? unknownKey : access.identify(given)) },
        ingestAdmin: emptyPages({ create: change }),
        deletionAdmin: emptyPages({ takeBack: change }),
      })
      const socket = connect(await listen(server), '127.0.0.1')
      const begun = once(server.app.server, 'request')
      const body = line.startsWith('POST') ? JSON.stringify({ alias: 'other', kind: 'series' }) : '{}'
      const key = `Authorization: Bearer ${keys.admin}\r\n`
      socket.write(
        `${head(line, `${key}${closing}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`)}{`,
      )
      await begun
      isRevoked = true
      socket.write(body.slice(1))
      expect(await text(socket)).toMatch(/^HTTP\/1.1 403 [\s\S]*forbidden/)
      expect(made).toEqual([])
    },
  )

  test('a refused body is read to its end, and the connection is reused', async () => {
    const refused = `${head(pushLine, `${keyed}Content-Length: 5000\r\n`)}${'x'.repeat(5000)}`
    const answer = await exchange(refused + head('GET /healthz', closing))
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*body_too_large[\s\S]*HTTP\/1.1 200 /)
  })
})

const query = (body = '{"entity":"plant"}'): string =>
  `${head('POST /consumer/data/select', `Content-Length: ${body.length}\r\n`)}${body}`

/** A server whose queries end when they are released, or when their signal is aborted. */
async function heldServer() {
  const started: CancelSignal[] = []
  const release: (() => void)[] = []
  const server = await testServer({
    queries: {
      run: (_question, signal) =>
        new Promise((resolve, reject) => {
          started.push(signal)
          release.push(() => resolve(plainAnswer('[]', 0)))
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    },
  })
  const heldPort = await listen(server)
  const ask = async (): Promise<Socket> => {
    const count = started.length
    const socket = connect(heldPort, '127.0.0.1')
    socket.write(query())
    while (started.length === count) await new Promise((resolve) => setTimeout(resolve, 5))
    return socket
  }
  return { ...server, port: heldPort, started, release, ask }
}

describe('clients that disconnect or stop reading', () => {
  test('cancel their query, which is not reported as a failure', async () => {
    const held = await heldServer()
    const socket = await held.ask()
    const aborted = new Promise<void>((resolve) => held.started[0]!.addEventListener('abort', resolve))
    socket.destroy()
    await aborted
    await held.inFlight.empty()
    expect(held.events.filter(({ kind }) => kind === 'requestFailed')).toEqual([])
  })

  test('cancel their pipelined queries too', async () => {
    const held = await heldServer()
    const socket = await held.ask()
    socket.write(query() + query())
    while (held.started.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    socket.destroy()
    await held.inFlight.empty()
    expect(held.started.map(({ aborted }) => aborted)).toEqual([true, true, true])
    expect(held.events.filter(({ kind }) => kind === 'requestFailed')).toEqual([])
  })

  test.each([
    ['', 1],
    [', also behind another answer', 2],
  ])('a client that reads nothing is disconnected%s', async (_name, asked) => {
    const chunks = Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024, 0x20))
    const large = { rows: 1, bytes: 64 * 1024 * 1024, chunks, release: () => undefined }
    const runs: (() => void)[] = []
    const run = async (): Promise<Answer> => {
      const isLast = runs.push(() => undefined) === asked
      if (isLast) return large
      await new Promise<void>((resolve) => {
        runs[0] = resolve
      })
      return plainAnswer('[]', 0)
    }
    const server = await testServer({ queries: { run } }, { TIDEMARK_LIMITS_SEND_IDLE_MS: '100' })
    const socket = connect(await listen(server), '127.0.0.1').on('error', () => {})
    socket.pause()
    const closed = new Promise<void>((resolve) => {
      server.app.server.once('connection', (connection: Socket) => connection.once('close', resolve))
    })
    socket.write(query().repeat(asked))
    await expect.poll(() => server.events.filter(({ kind }) => kind === 'queryAnswered')).toHaveLength(1)
    runs[0]!()
    await closed
    socket.destroy()
  })
})

describe('pipelined requests', () => {
  test('a query is answered before the 400 for malformed HTTP that follows it', async () => {
    const held = await heldServer()
    const socket = await held.ask()
    const answer = text(socket)
    socket.write('nonsense\r\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.write('more of it\r\n')
    await new Promise((resolve) => setTimeout(resolve, 50))
    held.release[0]!()
    expect(await answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\[\]HTTP\/1.1 400 [\s\S]*malformed_http/)
  })
})

describe('stopping the server', () => {
  const never = new AbortController().signal

  test('finishes running requests and refuses new ones', async () => {
    const held = await heldServer()
    const socket = await held.ask()
    const answer = text(socket)
    const stopped = stopServer(held.app, held.inFlight, { shutdownMs: 60_000, atOnce: never })
    const refused = await exchange(head('GET /healthz'), held.port)
    expect(refused).toMatch(/^HTTP\/1.1 503 [\s\S]*connection: close[\s\S]*shutting_down/i)
    held.release[0]!()
    await stopped
    expect(await answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\[\]$/)
  })

  test('finishes pipelined requests, and only the last response has Connection: close', async () => {
    const held = await heldServer()
    const socket = await held.ask()
    const answers = text(socket)
    socket.write(query() + query())
    while (held.started.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    const stopped = stopServer(held.app, held.inFlight, { shutdownMs: 60_000, atOnce: never })
    for (const release of held.release) release()
    await stopped
    const heads = (await answers).split(/(?=HTTP\/1\.1 )/)
    expect(heads.map((answer) => [answer.slice(9, 12), /^connection: close/im.test(answer)])).toEqual([
      ['200', false],
      ['200', false],
      ['200', true],
    ])
  })

  test('ends a request that runs too long with 503', async () => {
    const held = await heldServer()
    const answer = text(await held.ask())
    await stopServer(held.app, held.inFlight, { shutdownMs: 50, atOnce: never })
    expect(await answer).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: \d[\s\S]*shutting_down/i)
    expect(held.started[0]!.aborted).toBe(true)
  })

  test('cancels running requests immediately on the second signal', async () => {
    const held = await heldServer()
    const socket = await held.ask()
    socket.on('error', () => {})
    await stopServer(held.app, held.inFlight, { shutdownMs: 60_000, atOnce: AbortSignal.abort() })
    expect(held.started[0]!.aborted).toBe(true)
    socket.destroy()
  })
})
