// Against real receivers, and names whose addresses change.
import { createHmac } from 'node:crypto'
import type { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callHook } from './call-hook.ts'

const seen: { readonly url: string; readonly body: string; readonly headers: IncomingMessage['headers'] }[] = []
let receiver: Server
let port: number
let bytesTaken = 0

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', headers } = request
  seen.push({ url, body: await text(request), headers })
  if (url === '/hang') return
  if (url === '/moved') response.writeHead(307, { Location: '/well' }).end()
  else if (url === '/large') {
    response.on('close', () => {
      bytesTaken = response.socket?.bytesWritten ?? bytesTaken
    })
    const piece = Buffer.alloc(65_536)
    for (let sent = 0; sent < 160 && !response.destroyed; sent++) {
      if (!response.write(piece)) await once(response, 'drain').catch(() => undefined)
    }
    response.end()
  } else response.writeHead(url === '/fails' ? 500 : 204).end()
}

beforeAll(async () => {
  receiver = createServer((request, response) => void answer(request, response).catch(() => undefined))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  port = (receiver.address() as AddressInfo).port
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

const parts = { privateAddresses: true, timeoutMs: 60_000, userAgent: 'Tidemark/1' }
const body = '{"id":"1"}'
const call = (url: string, change: Partial<Parameters<typeof callHook>[1]> = {}, secret: string | null = null) =>
  callHook({ url, secret, body, nowMs: 1_700_000_000_999 }, { ...parts, ...change })
const at = (path: string) => `http://127.0.0.1:${port}${path}`

test('the body is signed together with the time, and not signed without a secret', async () => {
  expect(await call(at('/well'), {}, 'hidden')).toEqual({ status: 204, error: null })
  const v1 = createHmac('sha256', 'hidden').update(`1700000000.${body}`).digest('hex')
  expect(seen.at(-1)).toMatchObject({
    body,
    headers: { 'content-type': 'application/json', 'tidemark-signature': `t=1700000000,v1=${v1}` },
  })
  await call(at('/well'))
  expect(seen.at(-1)!.headers).not.toHaveProperty('tidemark-signature')
})

test('an error status, a refused connection or a redirect is a failure, and the redirect is not followed', async () => {
  expect(await call(at('/fails'))).toEqual({ status: 500, error: 'the answer was 500' })
  const before = seen.length
  expect(await call(at('/moved'))).toMatchObject({ status: 307, error: expect.stringContaining('not followed') })
  expect(seen.length).toBe(before + 1)
  expect(await call('http://127.0.0.1:1/')).toMatchObject({
    status: null,
    error: expect.stringContaining('ECONNREFUSED'),
  })
})

test('a call that hangs is abandoned, and a large response is not read', async () => {
  expect(await call(at('/hang'), { timeoutMs: 50 })).toEqual({ status: null, error: 'no answer in 50 ms' })
  const stop = AbortSignal.abort()
  expect((await call(at('/hang'), { stop })).status).toBe(null)
  expect(await call(at('/large'))).toEqual({ status: 200, error: null })
  await expect.poll(() => bytesTaken, { timeout: 30_000 }).toBeGreaterThan(0)
  expect(bytesTaken).toBeLessThan(9 * 1024 * 1024)
})

/** A name server that returns these lists of addresses, one after the other. */
function names(...lists: readonly (readonly string[])[]): typeof lookup {
  let asked = 0
  const answer = (_name: string, _options: object, done: (error: null, found: object[]) => void): void => {
    const list = lists[Math.min(asked++, lists.length - 1)]!
    done(
      null,
      list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return answer as unknown as typeof lookup
}

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1./',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fe80::1]/',
  'http://localhost/',
  'http://LocalHost./',
  'http://a.localhost/',
  'http://①②⑦.0.0.1/',
  'http://10.1.1.1/',
  'http://169.254.169.254/latest/meta-data',
])('%s is not called unless private addresses are allowed', async (url) => {
  const lookup = names(['8.8.8.8'])
  const outcome = await call(url, { privateAddresses: false, lookup })
  expect(outcome).toMatchObject({ status: null, error: expect.stringContaining('hooks.privateAddresses is false') })
})

test('each call checks the address that a name resolves to when it connects', async () => {
  const url = `http://hook.example:${port}/well`
  const before = seen.length
  for (const list of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:127.0.0.1'], ['::1']]) {
    const outcome = await call(url, { privateAddresses: false, lookup: names(list) })
    expect(outcome).toMatchObject({ status: null, error: expect.stringContaining('hooks.privateAddresses is false') })
  }
  const flaky = names(['192.0.2.1'], ['127.0.0.1'])
  await call(url, { privateAddresses: false, lookup: flaky })
  await call(url, { privateAddresses: false, lookup: flaky })
  expect(seen.length).toBe(before)
})

test('a name without an address is reported', async () => {
  const none = ((_name: string, _options: object, done: (error: Error) => void) =>
    done(new Error('ENOTFOUND'))) as unknown as typeof lookup
  const outcome = await call('http://hook.example/', { privateAddresses: false, lookup: none })
  expect(outcome).toEqual({ status: null, error: 'ENOTFOUND' })
  expect((await call('http://hook.example/', { privateAddresses: false, lookup: names([]) })).error).toContain(
    'no address',
  )
})
