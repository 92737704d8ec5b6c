// A page of another origin loads the client as plain modules in a browser, and writes and reads rows.
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeIngest } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { openWorld, type World } from './support/portal.ts'

interface Reported {
  readonly answer?: { readonly stored: number; readonly rejected: number }
  readonly error?: unknown
}

const html = `<!doctype html><title>x</title>
<script type="module">import * as client from '/client/tidemark.js'; window.client = client</script>`

let world: World
let pages: Server
let origin: string

beforeAll(async () => {
  pages = createServer(async (request, response) => {
    const path = normalize(request.url ?? '/')
    if (path === '/') return void response.setHeader('content-type', 'text/html').end(html)
    const code = await readFile(join('dist', path), 'utf8').catch(() => null)
    response.writeHead(code === null ? 404 : 200, { 'content-type': 'text/javascript' }).end(code ?? '')
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  world = await openWorld({ TIDEMARK_CORS_ORIGINS: origin })
})
afterAll(async () => {
  await world.close()
  pages.close()
})

test('a page of another origin writes rows, reads them one by one, and receives a Problem as a ServiceError', async () => {
  const key = await makeIngest(world.server.url, adminKey, { alias: 'paged' })
  const page = await world.visit()
  await page.goto(origin)
  await page.waitForFunction(() => 'client' in window)
  const seen = await page.evaluate(
    async ({ url, key, adminKey }) => {
      const { Tidemark, ServiceError } = Reflect.get(window, 'client')
      const reported: unknown[] = []
      const writer = new Tidemark({ url, key }).writer('paged', {
        maxBatchRows: 2,
        waitForReceipts: true,
        // A request that the browser blocks would be retried for hours.
        retryMs: 0,
        onBatch: ({ answer, error }: Reported) =>
          reported.push(answer === undefined ? String(error) : [answer.stored, answer.rejected]),
      })
      for (const V of [1, 2, 'three']) await writer.write({ D: '2026-01-01T00:00:00Z', T: 'a', V })
      const counts = await writer.close()
      const admin = new Tidemark({ url, key: adminKey })
      const values: unknown[] = []
      for await (const { V } of admin.select({ entity: 'paged' })) values.push(V)
      const problem = await admin.query('latest', { entity: 'none' }).catch((error: unknown) => error)
      const code = problem instanceof ServiceError ? problem.code : null
      return { reported, counts, values, code, arrow: (await admin.arrow('select', { entity: 'paged' })).length > 0 }
    },
    { url: world.server.url, key, adminKey },
  )
  expect(seen).toEqual({
    reported: [
      [2, 0],
      [0, 1],
    ],
    counts: { rows: 3, acknowledged: 3, failed: 0 },
    values: [1, 2],
    code: 'unknown_entity',
    arrow: true,
  })
})
