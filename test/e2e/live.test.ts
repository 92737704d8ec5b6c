// Live rows in a real browser, which reconnects on its own, through proxies that delay responses and cut them off.
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { openWorld, type World } from './support/portal.ts'

let world: World
const proxies: Server[] = []

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  for (const proxy of proxies) {
    proxy.close()
    proxy.closeAllConnections()
  }
  await world.close()
})

interface ProxyOptions {
  /** The number of bytes after which a response is cut off. */
  readonly cutBytes?: number
  /** The delay after which everything received is forwarded at once. */
  readonly holdMs?: number
}

/** Returns the proxy's URL. Each cut response is some bytes longer than the one before, so that all positions are cut. */
async function startProxy({ cutBytes = Number.POSITIVE_INFINITY, holdMs = 0 }: ProxyOptions): Promise<string> {
  let bytesMax = cutBytes
  const proxy = createServer((asked, answer) => {
    const { method, url, headers } = asked
    const isLive = url?.startsWith('/consumer/data/live') === true
    const passed = request(new URL(url ?? '/', world.server.url), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      let left = isLive ? bytesMax : Number.POSITIVE_INFINITY
      if (isLive) bytesMax += 60
      let held: Buffer[] = []
      const pass = (): void => {
        const chunk = Buffer.concat(held)
        held = []
        if (answer.destroyed) return
        answer.write(chunk.subarray(0, Math.min(left, chunk.length)))
        left -= chunk.length
        if (left <= 0) setImmediate(() => answer.destroy())
      }
      given.on('data', (chunk: Buffer) => {
        if (held.push(chunk) === 1) setTimeout(pass, isLive ? holdMs : 0)
      })
      given.on('close', () => setTimeout(() => (given.complete ? answer.end() : answer.destroy()), holdMs + 10))
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

test.each<[string, options: ProxyOptions]>([
  ['holds back', { holdMs: 300 }],
  ['cuts', { cutBytes: 200 }],
  ['holds back and cuts', { holdMs: 200, cutBytes: 200 }],
])('EventSource receives each row once and in order behind a proxy that %s', async (title, options) => {
  const entity = title.replaceAll(' ', '_')
  const key = await makeIngest(world.server.url, adminKey, { alias: entity })
  const url = await startProxy(options)
  const page = await world.visit()
  await page.goto(`${url}/portal`)
  const told = await page.evaluateHandle(
    (asked) =>
      new Promise<{ readonly values: number[]; readonly resets: string[] }>((resolve) => {
        const seen = { values: [] as number[], resets: [] as string[] }
        const events = new EventSource(`/consumer/data/live?entity=${asked}`)
        events.addEventListener('open', () => resolve(seen))
        events.addEventListener('reset', ({ data }) => seen.resets.push(data))
        events.addEventListener('rows', ({ data }) => {
          for (const { V } of JSON.parse(data)) seen.values.push(V)
        })
      }),
    entity,
  )
  const pushed: number[] = []
  const push = async (): Promise<void> => {
    const body = Array.from({ length: 5 }, (_, index) => ({
      D: '2026-01-01T00:00:00Z',
      T: 'a',
      V: pushed.length + index,
    }))
    await callOk(world.server.url, 'POST', `/ingests/${entity}/data?wait=true`, { key, body })
    pushed.push(...body.map(({ V }) => V))
  }
  // A proxy that delays the head receives it only with the first id.
  await push()
  await push()
  await expect.poll(() => told.evaluate(({ values }) => values), { timeout: 90_000 }).toEqual(pushed)
  await world.restart(async () => undefined)
  await push()
  await expect.poll(() => told.evaluate(({ values }) => values), { timeout: 90_000 }).toEqual(pushed)
  expect(await told.evaluate(({ resets }) => resets)).toEqual([])
})
