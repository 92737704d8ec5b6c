// An unknown name: the response suggests the likely name only to callers who may see it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
/** May push to and read `plant`, and push to `plnat`, which does not exist. */
let one: string
/** May push to and read everything. */
let all: string

const admin = { key: adminKey }
const keyOf = async (subscriber: string): Promise<string> => {
  const made = { key: adminKey, body: { rights: ['ingest', 'consume'] } }
  return (await callOk<{ key: string }>(service.url, 'POST', `/admin/subscribers/${subscriber}/keys`, made)).key
}

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  const tags = [
    { name: 'tag', type: 'string', role: 'index' },
    { name: 'area', type: 'string', role: 'attribute' },
  ]
  for (const alias of ['plant', 'boiler']) await makeIngest(service.url, adminKey, { alias })
  await makeIngest(service.url, adminKey, { alias: 'sensors', kind: 'metadata', fields: tags })
  for (const [name, subscriptions] of [
    ['one', ['plant', 'plnat', 'boilre', 'senors'].map((name) => ({ ingest: name, entity: name }))],
    ['all', [{ ingest: '*', entity: '*' }]],
  ] as const) {
    await callOk(service.url, 'POST', '/admin/subscribers', { key: adminKey, body: { name } })
    const body = { key: adminKey, body: subscriptions }
    await callOk(service.url, 'PUT', `/admin/subscribers/${name}/subscriptions`, body)
  }
  one = await keyOf('one')
  all = await keyOf('all')
}, 60_000)

afterAll(() => service?.close())

const row = { D: '2026-01-01T00:00:00Z', T: 'a', V: 1 }

interface Asked {
  readonly key: 'admin' | 'one' | 'all'
  readonly request: string
  readonly body?: unknown
  readonly status: number
  /** Null if no name is suggested. */
  readonly likely: string | null
}

const asked: readonly Asked[] = [
  { key: 'admin', request: 'GET /admin/ingests/plnat', status: 404, likely: 'plant' },
  { key: 'admin', request: 'GET /admin/ingests/nothing', status: 404, likely: null },
  { key: 'admin', request: 'PATCH /admin/ingests/Boiler', body: { state: 'active' }, status: 404, likely: 'boiler' },
  { key: 'admin', request: 'DELETE /admin/ingests/boilre', status: 404, likely: 'boiler' },
  { key: 'admin', request: 'GET /admin/ingests/boilre/rejected', status: 404, likely: 'boiler' },
  {
    key: 'admin',
    request: 'POST /admin/ingests/plant/rejected/replay',
    body: { into: 'boilre' },
    status: 400,
    likely: 'boiler',
  },
  { key: 'admin', request: 'PATCH /admin/entities/plnat', body: { retention: 'P1D' }, status: 404, likely: 'plant' },
  { key: 'admin', request: 'GET /admin/subscribers/onne/subscriptions', status: 404, likely: 'one' },
  { key: 'admin', request: 'DELETE /admin/subscribers/onne', status: 404, likely: 'one' },
  { key: 'admin', request: 'DELETE /admin/metadata/senors/items/a', status: 404, likely: 'sensors' },
  // Pushers: only ingests that the key may push to are suggested.
  { key: 'one', request: 'POST /ingests/plnat/data', body: row, status: 404, likely: 'plant' },
  { key: 'one', request: 'POST /ingests/plnat/check', body: row, status: 404, likely: 'plant' },
  { key: 'one', request: 'GET /ingests/plnat', status: 404, likely: 'plant' },
  { key: 'one', request: 'POST /ingests/boilre/data', body: row, status: 404, likely: null },
  { key: 'one', request: 'POST /ingests/plannt/data', body: row, status: 403, likely: 'plant' },
  { key: 'one', request: 'GET /ingests/plannt/rejected', status: 403, likely: 'plant' },
  { key: 'one', request: 'POST /ingests/boiler/data', body: row, status: 403, likely: 'boilre' },
  { key: 'all', request: 'POST /ingests/boilre/data', body: row, status: 404, likely: 'boiler' },
  // Readers: only entities that the key may read are suggested.
  { key: 'one', request: 'POST /consumer/data/latest', body: { entity: 'plnat' }, status: 400, likely: 'plant' },
  { key: 'one', request: 'POST /consumer/data/latest', body: { entity: 'plannt' }, status: 403, likely: 'plant' },
  { key: 'one', request: 'POST /consumer/data/latest', body: { entity: 'boilre' }, status: 400, likely: null },
  { key: 'all', request: 'POST /consumer/data/latest', body: { entity: 'boilre' }, status: 400, likely: 'boiler' },
  // The entity exists, but is of another kind.
  { key: 'all', request: 'POST /consumer/data/latest', body: { entity: 'sensors' }, status: 400, likely: null },
  { key: 'one', request: 'GET /consumer/metadata/senors', status: 404, likely: null },
  { key: 'all', request: 'GET /consumer/metadata/senors', status: 404, likely: 'sensors' },
  { key: 'all', request: 'POST /consumer/metadata/senors', body: { itemsId: ['a'] }, status: 404, likely: 'sensors' },
  {
    key: 'all',
    request: 'POST /consumer/data/sql-query',
    body: { sql_query: 'SELECT * FROM boilre' },
    status: 400,
    likely: 'boiler',
  },
  {
    key: 'one',
    request: 'POST /consumer/data/sql-query',
    body: { sql_query: 'SELECT * FROM boilre' },
    status: 400,
    likely: null,
  },
]

test.each(asked)('with the key $key, $request suggests $likely', async ({ key, request, body, status, likely }) => {
  const [method, path] = request.split(' ') as [string, string]
  const answer = await call<{ detail: string }>(service.url, method, path, {
    key: { admin: admin.key, one, all }[key],
    body,
  })
  const { detail } = answer.body
  expect([answer.status, /["'](\w+)["'] may be meant/.exec(detail)?.[1] ?? null]).toEqual([status, likely])
  const hidden = ['boiler', 'sensors'].filter((name) => key === 'one' && !request.includes(`/${name}/`))
  for (const name of hidden) expect(detail).not.toContain(name)
})
