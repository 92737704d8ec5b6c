import { expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'
import { admin, post } from '../../test/support/injected-requests.ts'
import type { Asked } from '../admin/audit.ts'
import { keepAudit } from './audited-routes.ts'
import type { Guard } from './guard.ts'

interface Route {
  readonly method: string
  readonly routePath: string
  readonly config?: object
}

test.each<[Route, boolean]>([
  [{ method: 'POST', routePath: '/admin/things' }, true],
  [{ method: 'DELETE', routePath: '/admin/things/:id', config: {} }, true],
  [{ method: 'POST', routePath: '/admin/things/preview', config: { audited: false } }, false],
  [{ method: 'GET', routePath: '/admin/things' }, false],
  [{ method: 'POST', routePath: '/consumer/data/select' }, false],
])('the server refuses the route %j: %s', (route, isRefused) => {
  const hook = keepAudit({ audit: null! }, null! as Guard) as unknown as (given: object) => void
  const define = (): void => hook({ ...route, url: route.routePath })
  if (isRefused) expect(define).toThrow('its config must say what the audit records')
  else expect(define).not.toThrow()
})

test('the audit line is stored before the response; if that fails, the change gets a 500', async () => {
  const asked: Asked[] = []
  let isKept = true
  const { app } = await testServer({
    audit: {
      change: (change) => {
        asked.push(change)
        return {
          run: (work) => work(),
          keepLine: async () => {
            if (!isKept) throw new Error('the catalog is away')
          },
        }
      },
      setAfter: async () => undefined,
      keyRefused: () => undefined,
      list: async () => ({ Items: [], NextToken: null }),
    },
  })
  const remove = { method: 'DELETE' as const, url: '/admin/quarantine/7', headers: admin }
  expect((await app.inject(remove)).statusCode).toBe(204)
  expect(asked).toEqual([
    {
      ...{ key: 'k3', subscriber: 'operator', address: '127.0.0.1', request: 'request-1' },
      ...{ what: 'discardQuarantined', name: '7', state: undefined },
    },
  ])
  isKept = false
  expect((await app.inject(remove)).statusCode).toBe(500)
  expect((await app.inject(post('/admin/ingests', { alias: 'plant', kind: 'series' }, admin))).statusCode).toBe(409)
  expect((await app.inject(post('/admin/ingests/plant/rejected/replay/preview', {}, admin))).statusCode).toBe(200)
})
