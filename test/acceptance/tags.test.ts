// Searching the tags of an entity.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const awkward = ['', 'a', 'a.b', 'a.c', 'a%b', 'b', 'é', '～', '😀', '"', '\u0000']

interface Page {
  readonly Items: readonly string[]
  readonly NextToken: string | null
}

const path = (query: Readonly<Record<string, string>>, entity = 'plant'): string =>
  `/consumer/data/entities/${entity}/tags?${new URLSearchParams(query)}`
const tags = (query: Readonly<Record<string, string>>): Promise<Page> =>
  callOk<Page>(service.url, 'GET', path(query), { key: adminKey })

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'site', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ]
  const key = await makeIngest(service.url, adminKey, { alias: 'plant', fields })
  const rows = awkward.map((T, index) => ({ D: '2026-01-01T00:00:00Z', T, site: `s${index % 2}`, V: index }))
  const old = { D: '2001-01-01T00:00:00Z', T: 'long ago', site: 's0', V: 1 }
  const none = { D: '2026-01-01T00:00:00Z', T: 'no item', site: 's3', V: null }
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body: [...rows, old, none] })
}, 120_000)

afterAll(() => service?.close())

test('tags with an item are listed in code point order', async () => {
  const expected = ['', '\u0000', '"', 'a', 'a%b', 'a.b', 'a.c', 'b', 'long ago', 'é', '～', '😀']
  expect(await tags({})).toEqual({ Items: expected, NextToken: null })
  const paged: string[] = []
  for (let token: string | null = ''; token !== null; ) {
    const page: Page = await tags({ limit: '2', ...(token === '' ? {} : { NextToken: token }) })
    paged.push(...page.Items)
    token = page.NextToken
  }
  expect(paged).toEqual(expected)
})

test('tags are searched by prefix, and by another tag field', async () => {
  expect((await tags({ prefix: 'a' })).Items).toEqual(['a', 'a%b', 'a.b', 'a.c'])
  expect((await tags({ prefix: 'a%' })).Items).toEqual(['a%b'])
  expect((await tags({ prefix: 'nothing' })).Items).toEqual([])
  expect((await tags({ id_name_field: 'site' })).Items).toEqual(['s0', 's1'])
})

test('tags of expired rows are not listed', async () => {
  await callOk(service.url, 'PATCH', '/admin/entities/plant', { key: adminKey, body: { retention: 'P3650D' } })
  expect((await tags({ prefix: 'long' })).Items).toEqual([])
})

test('tags are listed only to keys that may read the entity', async () => {
  const pusher = { key: adminKey, body: { rights: ['ingest', 'consume'] } }
  const { key } = await callOk<{ key: string }>(service.url, 'POST', '/admin/subscribers/pusher-of-plant/keys', pusher)
  const statusOf = async (entity: string): Promise<number> =>
    (await call(service.url, 'GET', path({}, entity), { key })).status
  expect([await statusOf('plant'), await statusOf('nobody')]).toEqual([403, 403])
  expect((await call(service.url, 'GET', path({}))).status).toBe(403)
  const subscriptions = [{ entity: 'plant' }]
  await callOk(service.url, 'PUT', '/admin/subscribers/pusher-of-plant/subscriptions', {
    key: adminKey,
    body: subscriptions,
  })
  expect([await statusOf('plant'), await statusOf('nobody')]).toEqual([200, 403])
  const unknown = await call(service.url, 'GET', path({}, 'nobody'), { key: adminKey })
  expect(unknown).toMatchObject({ status: 400, body: { code: 'unknown_entity' } })
})

test('invalid requests are a 400', async () => {
  const { NextToken } = await tags({ limit: '1' })
  const odd: Readonly<Record<string, string>>[] = [
    { limit: '0' },
    { limit: '10001' },
    { limit: 'x' },
    { id_name_field: 'V' },
    { id_name_field: 'nothing' },
    { NextToken: 'x' },
    { NextToken: NextToken!, prefix: 'a' },
    { NextToken: NextToken!, id_name_field: 'site' },
    { ids: 'a' },
  ]
  for (const query of odd) {
    const { status } = await call(service.url, 'GET', path(query), { key: adminKey })
    expect([query, status]).toEqual([query, 400])
  }
})
