import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { keys, type TestServer, testServer } from '../../test/support/http-server.ts'
import { openAnswer } from '../answer/answer-data.ts'
import type { Answer } from '../answer/whole-answer.ts'

const running: TestServer[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const { app } of running.splice(0)) {
    app.server.closeAllConnections()
    await app.close()
  }
})

// Long enough for a busy machine to read a part of an answer.
const sendIdleMs = 600

async function connected(run: () => Promise<Answer>): Promise<Socket> {
  const environment = { TIDEMARK_LIMITS_SEND_IDLE_MS: String(sendIdleMs) }
  const server = await testServer({ queries: { run } }, environment)
  running.push(server)
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket.on('error', () => undefined))
  return socket
}

const asText = (text: string): Answer =>
  openAnswer({ rows: 1, bytes: text.length, body: { kind: 'short', bytes: text } })
const large = (): Answer => {
  const chunk = new Uint8Array(8 << 20)
  return openAnswer({ rows: 1, bytes: chunk.length, body: { kind: 'memory', chunks: [chunk] } })
}

function post(path: string, body: string, headers = ''): string {
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${type}\r\n${body}`
}
const latest = post('/consumer/data/latest', '{"entity":"plant"}')

describe('a client that reads stays connected while its next answer is computed', () => {
  test.each<[string, readonly (() => Promise<Answer>)[]]>([
    ['after a short answer that was queued', [async () => setTimeout(50, asText('[]')), async () => asText('[]')]],
    ['after a large answer', [async () => large()]],
  ])('%s', async (_, first) => {
    const answers = [...first, async () => setTimeout(4 * sendIdleMs, asText('["the last one"]'))]
    const socket = await connected(() => answers.shift()!())
    let end = ''
    socket.on('data', (chunk) => {
      end = `${end}${chunk.toString('latin1')}`.slice(-100)
    })
    socket.write(latest.repeat(answers.length))
    await expect.poll(() => socket.closed || end.includes('the last one'), { timeout: 10_000 }).toBe(true)
    expect(end).toContain('the last one')
  })
})

describe('a client that never reads is disconnected, whichever code writes the answers', () => {
  const pushed = '[{"D":"2026-01-01T00:00:00.000Z","T":"a","V":1}]'
  test.each([
    ['short answers', latest],
    ['answers to pushes', post('/ingests/plant/data', pushed, `X-API-Key: ${keys.pusher}\r\n`)],
    ['problems', 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('%s', { timeout: 30_000 }, async (_, request) => {
    const socket = await connected(async () => asText('x'.repeat(1000)))
    // More than the operating system buffers. A write to a closed connection reveals that it is closed.
    const hundred = request.repeat(100)
    for (let count = 0; count < 100; count++) socket.write(hundred)
    while (!socket.closed) {
      socket.write(hundred)
      await setTimeout(20)
    }
  })
})
