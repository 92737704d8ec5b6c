// A short answer is passed between threads as text: it must equal the same bytes in memory.
import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../../test/support/http-server.ts'
import { openAnswer } from '../answer/answer-data.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { Problem } from '../model/problem.ts'
import { stopServer } from './stop.ts'

const running: TestServer[] = []
afterEach(async () => {
  for (const { app, inFlight } of running.splice(0))
    await stopServer(app, inFlight, { shutdownMs: 0, atOnce: AbortSignal.abort() })
})

interface Served {
  readonly port: number
  readonly server: TestServer
  readonly releases: boolean[]
}

async function serving(make: () => Promise<Answer>, environment: Record<string, string> = {}): Promise<Served> {
  const releases: boolean[] = []
  const run = async (): Promise<Answer> => {
    const answer = await make()
    const release = (isSent = false): void => {
      releases.push(isSent)
      answer.release(isSent)
    }
    return Object.create(answer, { release: { value: release } })
  }
  const server = await testServer({ queries: { run } }, environment)
  running.push(server)
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (server.app.server.address() as AddressInfo).port, server, releases }
}

interface Got {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
}

function ask(port: number, headers: Record<string, string>): Promise<Got> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', ...others } = headers
    const isPost = method === 'POST'
    const sent = isPost ? { 'content-type': 'application/json', ...others } : others
    const path = `/consumer/data/latest${isPost ? '' : '?entity=plant'}`
    request({ port, method, path, headers: sent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject).on('end', () => {
        const { date: _, 'keep-alive': __, ...rest } = response.headers
        resolve({ status: response.statusCode!, headers: rest, body: Buffer.concat(chunks).toString('base64') })
      })
    })
      .on('error', reject)
      .end(isPost ? '{"entity":"plant"}' : '')
  })
}

const asText = (body: Buffer): Answer =>
  openAnswer({ rows: 1, bytes: body.length, body: { kind: 'short', bytes: body.toString('latin1') } })
const asBytes = (body: Buffer): Answer =>
  openAnswer({ rows: 1, bytes: body.length, body: { kind: 'memory', chunks: [Uint8Array.from(body)] } })

const bodies: readonly (readonly [name: string, body: Buffer])[] = [
  ['no bytes', Buffer.alloc(0)],
  ['no rows', Buffer.from('[]')],
  ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ['letters of two, three and four bytes', Buffer.from('[{"T":"Kühler α €  𝄞"}]')],
  ['the longest that is never compressed', Buffer.alloc(1023, 'ü')],
  ['the shortest that may be', Buffer.alloc(1024, 'ü')],
  ['the longest that crosses as a text', Buffer.alloc(16_384, 'é')],
]
const asked: readonly Record<string, string>[] = [
  {},
  { 'accept-encoding': 'identity' },
  { 'accept-encoding': 'gzip' },
  { accept: 'application/x-ndjson' },
  { connection: 'close' },
  { method: 'GET' },
]
const origin = 'https://plant.example'

describe.each([
  ['without CORS', {}, {}],
  ['for a page of another origin', { TIDEMARK_CORS_ORIGINS: origin }, { origin }],
] as const)('%s', (_, environment, own) => {
  test('the response is the same for an answer passed as a string and one passed as bytes', async () => {
    let body: Buffer = Buffer.alloc(0)
    const text = await serving(async () => asText(body), environment)
    const bytes = await serving(async () => asBytes(body), environment)
    for (const [name, next] of bodies) {
      body = next
      for (const headers of asked) {
        const got = await ask(text.port, { ...headers, ...own })
        expect(got, name).toEqual(await ask(bytes.port, { ...headers, ...own }))
        expect(got.status, name).toBe(200)
        if (got.headers['content-encoding'] === undefined) expect(got.body, name).toBe(body.toString('base64'))
      }
    }
    await expect.poll(() => text.releases).toEqual(bodies.flatMap(() => asked.map(() => true)))
    const served = ({ server }: Served): object[] =>
      server.events.map((event) => ('ms' in event ? { ...event, ms: 0 } : event))
    await expect.poll(() => served(text)).toEqual(served(bytes))
  })
})

test('a request answered by a stop is not answered again when its query ends', async () => {
  const end = new EventEmitter()
  const { port, server, releases } = await serving(async () => {
    end.emit('asked')
    await once(end, 'stopped')
    return asText(Buffer.from('[]'))
  })
  const isAsked = once(end, 'asked')
  const got = ask(port, {})
  await isAsked
  server.inFlight.endAll(new Problem('shutting_down', 'The service stopped.'))
  expect((await got).status).toBe(503)
  end.emit('stopped')
  await expect.poll(() => releases).toEqual([false])
  expect(server.events.map(({ kind }) => kind)).not.toContain('requestFailed')
})

test('responses to pipelined requests arrive in order', async () => {
  let number = 0
  const { port } = await serving(async () => {
    const own = number++
    await setTimeout(own === 0 ? 60 : 0)
    return asText(Buffer.from(`[${own}]`))
  })
  const socket = connect(port, '127.0.0.1')
  const one =
    'POST /consumer/data/latest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{"entity":"plant"}'
  socket.write(one + one + one)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  await expect.poll(() => received.match(/^\[\d\]/gm)?.length ?? 0).toBe(3)
  expect(received.match(/^\[\d\]/gm)).toEqual(['[0]', '[1]', '[2]'])
  socket.destroy()
})
