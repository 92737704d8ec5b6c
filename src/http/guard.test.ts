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

describe('a key with only the right `observe`', () => {
  test('reads what the OpenAPI document opens to it; all other admin endpoints are refused', async () => {
    const { paths } = JSON.parse(readFileSync(new URL('../../test/openapi.json', import.meta.url), 'utf8'))
    const asked = Object.entries<Readonly<Record<string, { readonly description?: string }>>>(paths)
      .filter(([path]) => path.startsWith('/admin/') || path === '/metrics')
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { description = '' }]) => {
          const isOpened = description.startsWith('Needs a key with the right `observe` or `admin`')
          return { path, method, isOpened }
        }),
      )
    const opened = asked.filter(({ isOpened }) => isOpened)
    expect([opened.length > 5, asked.length > opened.length + 15]).toEqual([true, true])
    expect(opened.filter(({ method }) => method !== 'get')).toEqual([])
    const { app } = await serverWith({ TIDEMARK_ACCESS_METRICS: 'key' })
    for (const { path, method, isOpened } of asked) {
      const { statusCode } = await app.inject({
        method: method.toUpperCase() as 'GET',
        url: path.replaceAll(/\{[^}]*\}/g, 'plant'),
        headers: { authorization: `Bearer ${keys.watcher}` },
      })
      expect([method, path, statusCode === 403 ? 'refused' : 'let in']).toEqual([
        method,
        path,
        isOpened ? 'let in' : 'refused',
      ])
    }
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

describe('/metrics without a key', () => {
  test.each<[consumption: string | null, metrics: string | null, status: number]>([
    [null, null, 403],
    [null, 'public', 200],
    ['public', null, 200],
    ['key', null, 403],
    ['key', 'public', 200],
    [null, 'key', 403],
    ['public', 'key', 403],
  ])('access.consumption %s, access.metrics %s: %i', async (consumption, metrics, status) => {
    const { app } = await serverWith({
      TIDEMARK_ACCESS_CONSUMPTION: consumption ?? '',
      ...(metrics === null ? {} : { TIDEMARK_ACCESS_METRICS: metrics }),
    })
    expect((await app.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(status)
  })
})
