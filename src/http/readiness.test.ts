import { describe, expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'
import { admin, get, pusher } from '../../test/support/injected-requests.ts'
import type { Readiness } from './readiness.ts'

const secrets = /secret|4096/
const reported: Readiness = {
  ready: true,
  reason: null,
  journal: { recovery: { segments: 1, entries: 0, bytes: 4096, tornBytes: 0, tornFile: '/secret/1.log' } },
  store: { ready: true, sealedPosition: 4096, files: 4096, rows: 4096, bytes: 4096 },
  quarantine: { entries: 4096, rows: 4096 },
  disk: { freeBytes: 4096, floorBytes: 4096, filling: true },
  failing: [{ work: 'seal', since: '2026-01-01T00:00:00.000Z', failures: 4096 }],
  replica: { position: 4096, time: null, lagMs: 4096, lagBytes: 4096, error: 'EACCES /secret' },
  tls: { validUntil: '2026-01-01T00:00:00.000Z', refused: 'secret' },
}
const away = { ...reported, ready: false, reason: 'Druid at secret:4096 is away.' }
const cluster = {
  kafka: { reachable: true },
  druid: { reachable: false, waiting: ['secret'], waiting_entities: 4096 },
  postgres: { reachable: true },
}
const watcher = { 'x-api-key': 'watcher-key' }
const byKey = { TIDEMARK_ACCESS_METRICS: 'key' }
const failing = ['seal', 'disk', 'replica', 'tls']

describe('/readyz and /health', () => {
  test.each([{}, pusher, { 'x-api-key': 'no-such-key' }])(
    'return only the state and the names to %j',
    async (headers) => {
      const ready = await testServer({ readiness: () => reported }, byKey)
      const answer = await ready.app.inject(get('/readyz', headers))
      expect([answer.statusCode, answer.json()]).toEqual([200, { ready: true, failing }])
      const not = await testServer({ readiness: () => ({ ...away, cluster }) }, byKey)
      const refusal = await not.app.inject(get('/readyz', headers))
      expect(refusal.json()).toMatchObject({
        status: 503,
        detail: expect.stringContaining('(seal, disk, replica, tls, druid)'),
      })
      const health = await not.app.inject(get('/health', headers))
      expect(health.json()).toMatchObject({ status: 'fail', message: 'not ready yet' })
      for (const { body } of [answer, refusal, health]) expect(body).not.toMatch(secrets)
    },
  )

  test.each<[object, Record<string, string>]>([
    [watcher, byKey],
    [admin, byKey],
    [{}, { TIDEMARK_ACCESS_METRICS: 'public' }],
  ])('return all details to %j with %j', async (headers, settings) => {
    const { reason: _, ...everything } = reported
    const ready = await testServer({ readiness: () => reported }, settings)
    expect((await ready.app.inject(get('/readyz', headers))).json()).toEqual(everything)
    const not = await testServer({ readiness: () => away }, settings)
    expect((await not.app.inject(get('/readyz', headers))).json()).toMatchObject({ status: 503, detail: away.reason })
    expect((await not.app.inject(get('/health', headers))).json()).toMatchObject({ message: away.reason })
  })
})
