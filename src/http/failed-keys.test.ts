import { afterEach, describe, expect, test, vi } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { WrongKey } from '../access/caller.ts'
import { Problem } from '../model/problem.ts'
import type { ServiceEvent } from '../observe/event.ts'
import { FailedKeys, networkOf } from './failed-keys.ts'

function tried(perMinute = 60) {
  const clock = { ms: 0 }
  const events: ServiceEvent[] = []
  const failed = new FailedKeys({ perMinute, nowMs: () => clock.ms, observe: (event) => events.push(event) })
  /** The delays of `count` wrong keys from one address, one after the other at the same moment. */
  const waits = (count: number, ip = '10.0.0.1') =>
    Array.from({ length: count }, () => failed.waitMs(new WrongKey('no'), ip))
  return { clock, events, failed, waits }
}

test('wrong keys up to the rate are refused at once; each further one waits longer, up to 5 s', () => {
  const { waits } = tried()
  expect(waits(60)).toEqual(new Array(60).fill(0))
  expect(waits(8)).toEqual([1000, 2000, 3000, 4000, 5000, 5000, 5000, 5000])
})

test('the full rate is available again after about a minute, however many wrong keys were sent', () => {
  const { clock, waits } = tried()
  waits(10_000)
  clock.ms = 65_000
  expect(waits(61)).toEqual([...new Array(60).fill(0), 1000])
})

test('the rate applies per IPv4 address and per IPv6 network', () => {
  const { waits } = tried()
  waits(100, '2001:db8::1')
  expect(waits(1, '2001:db8:0:0:ffff::2')).toEqual([5000])
  expect(waits(1, '2001:db8:0:1::1')).toEqual([0])
  expect(waits(1, '10.0.0.2')).toEqual([0])
})

test('a refusal for another reason is never delayed, and a rate of 0 delays nobody', () => {
  const { failed, waits } = tried()
  waits(100)
  expect(failed.waitMs(new Problem('forbidden', 'The key lacks the right.'), '10.0.0.1')).toBe(0)
  expect(tried(0).waits(100)).toEqual(new Array(100).fill(0))
})

test('with very many addresses, the ones that tried longest ago are forgotten', () => {
  const { waits } = tried()
  waits(61, 'first')
  for (let at = 0; at < 10_000; at++) waits(1, `address ${at}`)
  expect(waits(1, 'first')).toEqual([0])
  waits(60, 'address 9999')
  expect(waits(1, 'address 9999')).toEqual([2000])
})

test('reports each wrong key, and once a minute the number since the last report', () => {
  const { clock, events, waits } = tried()
  waits(3)
  clock.ms = 59_999
  waits(2)
  clock.ms = 60_000
  waits(2)
  expect(events.map((event) => event.kind === 'keyRefused' && event.unreported)).toEqual([
    1,
    null,
    null,
    null,
    null,
    5,
    null,
  ])
})

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::1', '0:0:0:0'],
  ['2001:db8::', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['fe80::1:2%eth0', 'fe80:0:0:0'],
])('%s belongs to the network %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

describe('the server', () => {
  afterEach(() => vi.useRealTimers())
  const push = '/ingests/plant/data'
  const admin = '/admin/ingests'

  test.each([
    ['POST', push],
    ['GET', admin],
  ] as const)('%s %s delays a wrong key over the rate, but never a valid one', async (method, url) => {
    const { app } = await testServer()
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const ask = (key: string) =>
      app.inject({ method, url, headers: { 'x-api-key': key }, ...(method === 'POST' ? { payload: '{}' } : {}) })
    for (let times = 0; times < 60; times++) expect((await ask('guess')).statusCode).toBe(403)
    let late = 0
    const waiting = ask('guess').then(({ statusCode }) => {
      late = statusCode
    })
    expect((await ask(method === 'GET' ? keys.admin : keys.pusher)).statusCode).toBe(200)
    expect((await ask(keys.watcher)).statusCode).not.toBe(late)
    await vi.advanceTimersByTimeAsync(999)
    expect(late).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await waiting
    expect(late).toBe(403)
  })

  test.each(['/readyz', '/health'])(
    '%s answers a wrong key with 200, counts it, and delays it over the rate',
    async (url) => {
      const { app, events } = await testServer({}, { TIDEMARK_ACCESS_METRICS: 'key' })
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      const ask = (headers: Record<string, string>) => app.inject({ method: 'GET', url, headers })
      const wrong = { 'x-api-key': 'guess' }
      for (let times = 0; times < 60; times++) expect((await ask(wrong)).statusCode).toBe(200)
      expect(events.filter(({ kind }) => kind === 'keyRefused')).toHaveLength(60)
      let late = 0
      const waiting = ask(wrong).then(({ statusCode }) => {
        late = statusCode
      })
      for (const headers of [{}, ...[keys.watcher, keys.pusher].map((key) => ({ 'x-api-key': key }))])
        expect((await ask(headers)).statusCode).toBe(200)
      await vi.advanceTimersByTimeAsync(999)
      expect(late).toBe(0)
      await vi.advanceTimersByTimeAsync(1)
      await waiting
      expect(late).toBe(200)
    },
  )

  test('checks no key when access.metrics is public', async () => {
    const { app, events } = await testServer({}, { TIDEMARK_ACCESS_METRICS: 'public' })
    await app.inject({ method: 'GET', url: '/readyz', headers: { 'x-api-key': 'guess' } })
    expect(events.filter(({ kind }) => kind === 'keyRefused')).toEqual([])
  })
})
