// Responses on their way to the client, over real connections.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../../test/support/http-server.ts'
import { openAnswer } from '../answer/answer-data.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { stopServer } from './stop.ts'

const running: TestServer[] = []
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-answer-'))
})

afterAll(async () => {
  const atOnce = AbortSignal.abort()
  for (const { app, inFlight } of running) await stopServer(app, inFlight, { shutdownMs: 0, atOnce })
  await rm(directory, { recursive: true, force: true })
})

interface Sending {
  readonly url: string
  readonly port: number
  /** Resolves when the answer is released. */
  readonly released: Promise<void>
  readonly events: TestServer['events']
}

const mebibyte = 1024 * 1024

/** A server whose answers consist of `pieces` mebibytes and fail after `good` of them. */
async function sending(pieces: number, good = pieces): Promise<Sending> {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < good; piece++) yield Buffer.alloc(mebibyte, 97 + (piece % 26))
    if (good < pieces) throw new Error('the file was cut')
  }
  const answer: Answer = { rows: 1, bytes: pieces * mebibyte, chunks: chunks(), release }
  return { released, ...(await serving(answer)) }
}

async function serving(answer: Answer): Promise<Omit<Sending, 'released'>> {
  const run = async (): Promise<Answer> => answer
  const server = await testServer({ queries: { run } })
  running.push(server)
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/consumer/data/select`, port, events: server.events }
}

function ask(url: string, encoding: string): Promise<Response> {
  const headers = { 'accept-encoding': encoding, 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: '{"entity":"plant"}' })
}

describe.each(['identity', 'gzip', 'br'])('encoded as %s', (encoding) => {
  test('a complete answer arrives unchanged and is released', async () => {
    const { url, released } = await sending(5)
    const response = await ask(url, encoding)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.length).toBe(5 * mebibyte)
    expect([bytes[0], bytes[bytes.length - 1]]).toEqual([97, 101])
    await released
  })

  test('a slow reader receives a file unchanged', async () => {
    const words = encoding === 'identity' ? 4 * mebibyte : mebibyte
    const text = Buffer.from(Uint32Array.from({ length: words }, (_, index) => index * 2_654_435_761).buffer)
    const path = join(directory, encoding)
    await writeFile(path, text)
    const { url } = await serving(openAnswer({ rows: 1, bytes: text.length, body: { kind: 'file', path } }))
    const response = await ask(url, encoding)
    const sent = createHash('sha256')
    for await (const chunk of response.body!) {
      sent.update(chunk)
      await setTimeout(1)
    }
    expect(sent.digest('hex')).toBe(createHash('sha256').update(text).digest('hex'))
  })

  test('a failure after the first byte breaks the connection', async () => {
    const { url, released } = await sending(40, 35)
    const response = await ask(url, encoding)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    await released
  })

  test('a failure before the first byte gets a 500', async () => {
    const { url, released, events } = await sending(2, 0)
    const response = await ask(url, encoding)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'internal' })
    await released
    expect(events.map(({ kind }) => kind)).toContain('requestFailed')
  })

  test('a client that disconnects midway releases the answer', async () => {
    const { port, released } = await sending(1000)
    const socket = connect(port, '127.0.0.1')
    const body = '{"entity":"plant"}'
    const head = `POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${encoding}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await once(socket, 'data')
    socket.destroy()
    await released
  })
})
