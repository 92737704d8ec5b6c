import { expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'

const browser = { host: 'localhost:8080', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.each([
  ['', '/'],
  ['/tide', '/tide'],
])(
  'with the base path "%s", a browser is redirected to the portal and a program gets the links',
  async (basePath, url) => {
    const { app } = await testServer({}, { TIDEMARK_SERVER_BASE_PATH: basePath })
    const led = await app.inject({ url, headers: browser })
    expect([led.statusCode, led.headers['location']]).toEqual([302, `${basePath}/portal`])
    const reported = await app.inject({ url, headers: { accept: '*/*' } })
    expect(reported.json()).toMatchObject({
      service: 'tidemark',
      version: reported.headers['tidemark-version'],
      links: { portal: `${basePath}/portal`, openapi: `${basePath}/openapi.json` },
    })
  },
)

test('with the portal disabled, its path is a 404 and a browser is not redirected', async () => {
  const { app } = await testServer({}, { TIDEMARK_PORTAL_ENABLED: 'false' })
  expect((await app.inject({ url: '/portal', headers: browser })).statusCode).toBe(404)
  const reported = await app.inject({ url: '/', headers: browser })
  expect(reported.statusCode).toBe(200)
  expect(reported.json<{ links: object }>().links).not.toHaveProperty('portal')
})

test('the portal page forbids inline scripts and styles, other sources and framing', async () => {
  const { app } = await testServer()
  const policy = String((await app.inject({ url: '/portal', headers: browser })).headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
})

test('/portal/ redirects to /portal, where the relative paths of its files are right', async () => {
  const { app } = await testServer()
  const { statusCode, headers } = await app.inject({ url: '/portal/', headers: browser })
  expect([statusCode, headers['location']]).toEqual([308, '../portal'])
})
