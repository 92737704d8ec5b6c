import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { keys, type TestServer, testServer } from '../../test/support/http-server.ts'

const running: TestServer[] = []
afterAll(() => Promise.all(running.map(({ app }) => app.close())))

async function serverWith(environment: Record<string, string>): Promise<TestServer> {
  const server = await testServer({}, environment)
  running.push(server)
  return server
}

describe('a key with the right `observe` alone', () => {
  /** All that it may ask, of the operator's side. */
  const seen = [
    'GET /admin/entities',
    'GET /admin/ingests',
    'GET /admin/ingests/{alias}',
    'GET /admin/ingests/{alias}/batches',
    'GET /admin/ingests/{alias}/rejected/summary',
    'GET /admin/set-aside',
    'GET /admin/storage',
    'GET /metrics',
  ]

  test('sees how ingests fare; everything else of the operator is refused', async () => {
    const { paths } = JSON.parse(readFileSync(new URL('../../test/openapi.json', import.meta.url), 'utf8'))
    const asked = Object.entries<object>(paths)
      .filter(([path]) => path.startsWith('/admin/') || path === '/metrics')
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    expect(asked.length).toBeGreaterThan(20)
    const { app } = await serverWith({ TIDEMARK_ACCESS_METRICS: 'key' })
    const allowed: string[] = []
    for (const request of asked) {
      const [method, path = ''] = request.split(' ')
      const url = path.replaceAll(/\{[^}]*\}/g, 'plant')
      const { statusCode } = await app.inject({
        method: method as 'GET',
        url,
        headers: { authorization: `Bearer ${keys.watcher}` },
      })
      if (statusCode !== 403) allowed.push(request)
    }
    expect(allowed.sort()).toEqual(seen)
  })

  test.each(['POST /ingests/plant/data', 'POST /consumer/data/latest', 'GET /ingests/plant/rejected'])(
    '%s is refused',
    async (request) => {
      const [method, url] = request.split(' ')
      const { app } = await serverWith({ TIDEMARK_ACCESS_CONSUMPTION: 'key' })
      const { statusCode } = await app.inject({
        method: method as 'GET',
        url: url ?? '',
        headers: { authorization: `Bearer ${keys.watcher}` },
      })
      expect(statusCode).toBe(403)
    },
  )
})

describe('/metrics on a loopback address, without a key', () => {
  test.each<[consumption: string | null, metrics: string | null, status: number]>([
    [null, null, 200],
    ['public', null, 200],
    ['key', null, 403],
    ['key', 'public', 200],
    [null, 'key', 403],
    ['public', 'key', 403],
  ])('access.consumption %s, access.metrics %s: %i', async (consumption, metrics, status) => {
    const { app } = await serverWith({
      ...(consumption === null ? {} : { TIDEMARK_ACCESS_CONSUMPTION: consumption }),
      ...(metrics === null ? {} : { TIDEMARK_ACCESS_METRICS: metrics }),
    })
    expect((await app.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(status)
  })
})
