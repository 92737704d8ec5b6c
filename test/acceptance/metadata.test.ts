// Metadata over HTTP: a table is created, filled, queried, and read again after a restart.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
let key: string
const admin = { key: adminKey }
const fields = [
  { name: 'id', source: 'Tag', type: 'string', role: 'index' },
  { name: 'unit', type: 'string', role: 'attribute' },
  { name: 'serial', type: 'long', role: 'attribute' },
  { name: 'since', type: 'timestamp', role: 'attribute' },
  { name: 'tree', type: 'json', role: 'attribute' },
]

interface Page {
  readonly Items: readonly { readonly id: string }[]
  readonly NextToken: string | null
}

function push(body: unknown, table = 'tags', pusher = key) {
  return callOk<{ stored: number; rejected: number; errors: { code: string; index: number }[] }>(
    service.url,
    'POST',
    `/ingests/${table}/data?wait=true`,
    { key: pusher, body },
  )
}

const list = (query: string, table = 'tags') => callOk<Page>(service.url, 'GET', `/consumer/metadata/${table}${query}`)

async function textOf(path: string): Promise<string> {
  return (await fetch(service.url + path)).text()
}

const ids = ({ Items }: Page) => Items.map(({ id }) => id)

beforeAll(async () => {
  service = await runService()
  key = await makeIngest(service.url, adminKey, { kind: 'metadata', alias: 'tags', fields })
  await push([
    { Tag: 'boiler.temp', unit: 'K', serial: 1, since: '2026-01-01', tree: { a: [1, 2] } },
    { Tag: 'boiler.flow', unit: 'l/s' },
    { Tag: 'a,b c+d/e?f' },
    { Tag: '～' },
    { Tag: '😀' },
  ])
})

afterAll(() => service?.close())

test('items are returned as pushed, digit for digit, in code point order', async () => {
  const text = '[{"Tag":"exact","serial":9007199254740993,"tree":{"x":1.10, "y":12345678901234567890}}]'
  const path = '/ingests/tags/data?wait=true'
  await callOk(service.url, 'POST', path, { key, text })
  const { Items, NextToken } = await list('')
  expect(ids({ Items, NextToken })).toEqual(['a,b c+d/e?f', 'boiler.flow', 'boiler.temp', 'exact', '～', '😀'])
  expect(NextToken).toBeNull()
  expect(Items[2]).toEqual({
    id: 'boiler.temp',
    unit: 'K',
    serial: 1,
    since: '2026-01-01T00:00:00.000Z',
    tree: { a: [1, 2] },
  })
  expect(await textOf('/consumer/metadata/tags?id=exact')).toBe(
    '{"Items":[{"id":"exact","unit":null,"serial":9007199254740993,"since":null,"tree":{"x":1.10,"y":12345678901234567890}}],"NextToken":null}',
  )
  await callOk(service.url, 'DELETE', '/admin/metadata/tags/items/exact', admin)
})

test('a push replaces the complete item', async () => {
  await push([{ Tag: 'again', unit: 'K', serial: 1 }])
  await push([
    { Tag: 'again', unit: 'C' },
    { Tag: 'again', serial: 2 },
  ])
  expect((await list('?id=again')).Items).toEqual([{ id: 'again', unit: null, serial: 2, since: null, tree: null }])
  await callOk(service.url, 'DELETE', '/admin/metadata/tags/items/again', admin)
})

test.each<[string, readonly string[]]>([
  ['?id[bw]=boiler.', ['boiler.flow', 'boiler.temp']],
  ['?id%5Bbw%5D=boiler.', ['boiler.flow', 'boiler.temp']],
  ['?id[gt]=boiler.flow&id[lt]=%F0%9F%98%80', ['boiler.temp', '～']],
  ['?id[gte]=boiler.flow&id[lte]=boiler.temp', ['boiler.flow', 'boiler.temp']],
  ['?id[be]=b,c', ['boiler.flow', 'boiler.temp']],
  ['?id[be]=a,b&id[be]=a,c', ['a,b c+d/e?f']],
  ['?id=a,b+c%2Bd/e?f', ['a,b c+d/e?f']],
  ['?id[gt]=b&id[gt]=c&id[lt]=d', []],
])('%s', async (query, expected) => {
  expect(ids(await list(query))).toEqual(expected)
})

test('pages neither repeat nor skip items while others are pushed', async () => {
  const first = await list('?limit=2')
  // One item sorts before the next page, the other belongs on it.
  await push([{ Tag: 'aa' }, { Tag: 'zz' }])
  const second = await list(`?limit=9&NextToken=${encodeURIComponent(first.NextToken ?? '')}`)
  expect(ids(first)).toEqual(['a,b c+d/e?f', 'boiler.flow'])
  expect(ids(second)).toEqual(['boiler.temp', 'zz', '～', '😀'])
  for (const id of ['aa', 'zz']) await callOk(service.url, 'DELETE', `/admin/metadata/tags/items/${id}`, admin)
})

test.each<[string, string, number, string]>([
  ['GET', '/consumer/metadata/nope', 404, 'table_not_found'],
  ['GET', '/consumer/metadata/tags?unit=K', 400, 'invalid_request'],
  ['GET', '/consumer/metadata/tags?id[like]=K', 400, 'invalid_request'],
  ['GET', '/consumer/metadata/tags?id[be]=b,a', 400, 'invalid_request'],
  ['GET', '/consumer/metadata/tags?limit=0', 400, 'invalid_request'],
  ['GET', '/consumer/metadata/tags?NextToken=AQ', 400, 'invalid_token'],
  ['GET', '/consumer/metadata/tags?id=%ff', 400, 'invalid_request'],
  ['GET', '/consumer/metadata/', 404, 'table_not_found'],
  ['POST', '/consumer/metadata/', 404, 'table_not_found'],
  ['POST', '/consumer/metadata/nope', 404, 'table_not_found'],
  ['PUT', '/consumer/metadata/tags', 405, 'method_not_allowed'],
  ['DELETE', '/admin/metadata/nope/items/a', 404, 'table_not_found'],
  ['DELETE', '/admin/metadata/tags/items/nope', 404, 'not_found'],
])('%s %s is a %i', async (method, path, status, code) => {
  const answer = await call<{ code: string }>(service.url, method, path, admin)
  expect([answer.status, answer.body.code]).toEqual([status, code])
})

test.each<[string, unknown, number, string | null]>([
  ['/consumer/metadata/tags', { itemsId: ['boiler.temp', 'nope', 'boiler.flow'] }, 200, null],
  ['/consumer/metadata/tags', { itemsId: [] }, 200, null],
  ['/consumer/metadata/tags', {}, 400, 'itemsId'],
  ['/consumer/metadata/tags', { itemsId: 'a' }, 400, 'itemsId'],
  ['/consumer/metadata/tags', { itemsId: [1] }, 400, 'itemsId[0]'],
  ['/consumer/metadata/tags', { itemsId: ['\ud800'] }, 400, 'itemsId[0]'],
  ['/consumer/metadata/tags', { itemsId: ['a'], limit: 1 }, 400, 'limit'],
  ['/consumer/metadata/tags', { itemsId: Array.from({ length: 10_001 }, String) }, 400, 'itemsId'],
  ['/consumer/metadata', {}, 200, null],
  ['/consumer/metadata', { entities: null }, 200, null],
  ['/consumer/metadata', { entities: ['tags', 'nope'] }, 400, 'entities[1]'],
  ['/consumer/metadata', { entities: 'tags' }, 400, 'entities'],
  ['/consumer/metadata', { entity: [] }, 400, 'entity'],
])('POST %s %j is a %i', async (path, body, status, at) => {
  const answer = await call<{ errors?: { path: string }[] }>(service.url, 'POST', path, { body })
  expect(answer.status).toBe(status)
  if (at !== null) expect(answer.body.errors?.map((error) => error.path)).toContain(at)
})

test('bodies over 1 MiB are a 400', async () => {
  const answer = await call(service.url, 'POST', '/consumer/metadata/tags', {
    body: { itemsId: ['x'.repeat(1 << 20)] },
  })
  expect(answer.status).toBe(400)
})

describe('rows that are not valid items', () => {
  test('are rejected, and the other rows of the push are stored', async () => {
    const receipt = await push([{ Tag: '' }, { Tag: 'good' }, { Tag: 'x', serial: '1' }, { Tag: 'x', colour: 1 }, 7])
    expect([receipt.stored, receipt.rejected]).toEqual([1, 4])
    expect(receipt.errors.map(({ index, code }) => `${index} ${code}`)).toEqual([
      '0 missing_index',
      '2 wrong_type',
      '3 unknown_field',
      '4 not_an_object',
    ])
    const page = await callOk<Page>(service.url, 'GET', '/admin/ingests/tags/rejected', admin)
    expect(page.Items).toMatchObject([{ row: '{"Tag":""}' }, {}, {}, { row: '7' }])
    await callOk(service.url, 'DELETE', '/admin/metadata/tags/items/good', admin)
  })
})

test('a series entity is not a metadata table, nor the reverse', async () => {
  await makeIngest(service.url, adminKey, { alias: 'series' })
  expect((await call(service.url, 'GET', '/consumer/metadata/series')).status).toBe(404)
  const described = await call(service.url, 'POST', '/consumer/metadata', { body: { entities: ['series'] } })
  expect(described.status).toBe(400)
  const queried = await call(service.url, 'POST', '/consumer/data/select', { body: { entity: 'tags' } })
  expect(queried.status).toBe(400)
})

test('a deleted item disappears immediately, also just after its push, and can be pushed again', async () => {
  const path = '/admin/metadata/tags/items/odd%2F%20id%3F'
  for (let round = 0; round < 5; round++) {
    await callOk(service.url, 'POST', '/ingests/tags/data', { key, body: { Tag: 'odd/ id?' } })
    expect((await call(service.url, 'DELETE', path, admin)).status).toBe(204)
    expect(ids(await list('?id=odd/+id?'))).toEqual([])
  }
  expect((await call(service.url, 'DELETE', path, admin)).status).toBe(404)
  expect((await call(service.url, 'DELETE', path, { key })).status).toBe(403)
  await push([{ Tag: 'odd/ id?' }])
  expect(ids(await list('?id=odd/+id?'))).toEqual(['odd/ id?'])
  await callOk(service.url, 'DELETE', path, admin)
})

test('with `access.consumption: key` an unreadable table is reported like an unknown one', async () => {
  const closed = await runService({ 'access.consumption': 'key' })
  try {
    const pusher = await makeIngest(closed.url, adminKey, { kind: 'metadata', alias: 'tags', fields })
    const status = async (path: string, options: Parameters<typeof call>[3]): Promise<number> =>
      (await call(closed.url, options?.body === undefined ? 'GET' : 'POST', path, options)).status
    const body = { itemsId: ['a'] }
    expect(await status('/consumer/metadata/tags', {})).toBe(403)
    expect(await status('/consumer/metadata/tags', { key: pusher })).toBe(403)
    expect(await status('/consumer/metadata', { key: pusher, body: {} })).toBe(403)
    const subscriber = '/admin/subscribers/pusher-of-tags'
    const made = { key: adminKey, body: { rights: ['consume'] } }
    const reader = (await callOk<{ key: string }>(closed.url, 'POST', `${subscriber}/keys`, made)).key
    expect(await status('/consumer/metadata/tags', { key: reader })).toBe(404)
    expect(await status('/consumer/metadata/tags', { key: reader, body })).toBe(404)
    expect(await status('/consumer/metadata', { key: reader, body: { entities: ['tags'] } })).toBe(400)
    expect(await callOk(closed.url, 'POST', '/consumer/metadata', { key: reader, body: {} })).toEqual([])
    expect(await status('/consumer/metadata/tags', { key: adminKey })).toBe(200)
    await callOk(closed.url, 'PUT', `${subscriber}/subscriptions`, { key: adminKey, body: [{ entity: 'tags' }] })
    expect(await status('/consumer/metadata/tags', { key: reader })).toBe(200)
    expect(await callOk(closed.url, 'POST', '/consumer/metadata', { key: reader, body: {} })).toHaveLength(1)
  } finally {
    await closed.close()
  }
})

test('items, their number, deletions and page tokens survive a restart', async () => {
  await push([{ Tag: 'gone' }])
  await callOk(service.url, 'DELETE', '/admin/metadata/tags/items/gone', admin)
  const before = await list('')
  const { NextToken } = await list('?limit=1')
  const described = await callOk(service.url, 'POST', '/consumer/metadata', { body: {} })
  service = await service.restart()
  expect(await list('')).toEqual(before)
  expect(ids(await list(`?NextToken=${encodeURIComponent(NextToken ?? '')}`))).toEqual(ids(before).slice(1))
  expect(await callOk(service.url, 'POST', '/consumer/metadata', { body: {} })).toEqual(described)
  expect(described).toMatchObject([{ entity: 'tags', index_field: 'id', items: before.Items.length }])
})
