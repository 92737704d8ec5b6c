// Saved views through the whole service: who sees them, who changes them, and refused requests.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
let shift: string
let pumps: string

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  for (const alias of ['plant', 'pumps']) await makeIngest(service.url, adminKey, { alias })
  await makeIngest(service.url, adminKey, { alias: 'open', unknown: 'add' })
  shift = await makeReader(service.url, adminKey, ['plant', 'pumps', 'open'], 'shift')
  pumps = await makeReader(service.url, adminKey, ['pumps'], 'pump-house')
})
afterAll(() => service?.close())

const chart = (entity: string, more: object = {}) => ({ kind: 'chart', entity, tags: ['a'], ...more })
const put = (name: string, body: unknown, key = shift) =>
  call<Readonly<Record<string, unknown>>>(service.url, 'PUT', `/consumer/views/${encodeURIComponent(name)}`, {
    key,
    body,
  })
const names = async (key: string): Promise<string[]> => {
  const { Items } = await callOk<{ Items: { name: string }[] }>(service.url, 'GET', '/consumer/views', { key })
  return Items.map(({ name }) => name)
}

test('a view is visible to its owner and to readers of all its entities; its owner and operators change it', async () => {
  const view = { range: 'P1D', cells: [chart('plant'), { kind: 'text', text: 'Boilers 🌊' }] }
  expect(await put('Kessel 1 / Schicht', view)).toMatchObject({
    status: 201,
    body: { name: 'Kessel 1 / Schicht', subscriber: 'shift', may_change: true, view },
  })
  expect((await put('Pumps', { cells: [chart('pumps')] })).status).toBe(201)
  expect(await names(shift)).toEqual(['Kessel 1 / Schicht', 'Pumps'])
  expect(await names(adminKey)).toEqual(['Kessel 1 / Schicht', 'Pumps'])
  expect(await names(pumps)).toEqual(['Pumps'])
  const path = `/consumer/views/${encodeURIComponent('Kessel 1 / Schicht')}`
  expect((await call(service.url, 'GET', path, { key: pumps })).status).toBe(404)
  expect((await call(service.url, 'DELETE', path, { key: pumps })).status).toBe(404)
  expect((await call(service.url, 'DELETE', '/consumer/views/Pumps', { key: pumps })).status).toBe(403)
  expect((await put('Pumps', view, pumps)).status).toBe(409)
  expect(await call(service.url, 'GET', '/consumer/views/Pumps', { key: pumps })).toMatchObject({
    body: { may_change: false },
  })
  expect(await put('Pumps', { cells: [chart('pumps', { title: 'New' })] }, adminKey)).toMatchObject({
    status: 200,
    body: { subscriber: 'shift', may_change: true },
  })
  // A view's creator keeps it, even without access to the view's entity.
  expect((await put('Mine', { cells: [chart('plant')] }, pumps)).status).toBe(201)
  expect(await names(pumps)).toEqual(['Mine', 'Pumps'])
  expect((await call(service.url, 'DELETE', path, { key: shift })).status).toBe(204)
  expect((await call(service.url, 'DELETE', path, { key: shift })).status).toBe(404)
  for (const key of [undefined, `tidemark_${'x'.repeat(43)}`])
    expect((await call(service.url, 'GET', '/consumer/views', key === undefined ? {} : { key })).status).toBe(403)
})

test('the list continues at NextToken', async () => {
  const first = await callOk<{ Items: object[]; NextToken: string }>(service.url, 'GET', '/consumer/views?limit=1', {
    key: adminKey,
  })
  const rest = await callOk(service.url, 'GET', `/consumer/views?NextToken=${first.NextToken}`, { key: adminKey })
  expect([first.Items, rest]).toMatchObject([[{ name: 'Mine', cells: 1 }], { Items: [{ name: 'Pumps' }] }])
})

test('the entities of a view include the initial value of an entity variable', async () => {
  const variables = [
    { name: 'house', kind: 'entity', value: 'pumps' },
    { name: 'pump', kind: 'tag', entity: '$house', value: 'a' },
  ]
  await put('Varied', { variables, cells: [chart('$house', { tags: ['$pump'] })] })
  const { Items } = await callOk<{ Items: object[] }>(service.url, 'GET', '/consumer/views', { key: pumps })
  expect(Items).toContainEqual(expect.objectContaining({ name: 'Varied', entities: ['pumps'] }))
})

describe('an invalid view is a 400 that names the property', () => {
  const text = { kind: 'text', text: 'a' }
  const unit = { name: 'unit', kind: 'entity', value: 'plant' }
  test.each<[name: string, body: unknown, path: string]>([
    ['a', {}, 'cells'],
    ['a', { cells: [] }, 'cells'],
    ['a', { cells: [text], more: 1 }, 'more'],
    ['a', { cells: [{ kind: 'chart', tags: ['a'] }] }, 'cells[0].entity'],
    ['a', { cells: [text, { kind: 'value', entity: 'plant', tags: [] }] }, 'cells[1].tags'],
    ['a', { cells: [{ kind: 'text' }] }, 'cells[0]'],
    ['a', { cells: [chart('plant', { text: 'a' })] }, 'cells[0].text'],
    ['a', { cells: [{ kind: 'table', entity: 'plant', tags: ['a'], how: 'auto' }] }, 'cells[0].how'],
    ['a', { cells: Array.from({ length: 25 }, () => text) }, 'cells'],
    ['a', { cells: Array.from({ length: 20 }, () => ({ kind: 'text', text: 'x'.repeat(4000) })) }, ''],
    [' a', { cells: [text] }, 'name'],
    ['a\nb', { cells: [text] }, 'name'],
    ['x'.repeat(129), { cells: [text] }, 'name'],
    ['a', { range: 'a day', cells: [text] }, 'range'],
    ['a', { zone: 'Mars/Olympus', cells: [text] }, 'zone'],
    ['a', { range: 'P99999Y', cells: [text] }, 'range'],
    ['a', { range: 'PT0S', cells: [text] }, 'range'],
    ['a', { range: 'PT1H', from: '-6h', cells: [text] }, 'from'],
    ['a', { range: 'PT1H', to: 'now', cells: [text] }, 'to'],
    ['a', { from: 'soon', to: 'now', cells: [text] }, 'from'],
    ['a', { from: '2026-01-01', to: '2026-02-30', cells: [text] }, 'to'],
    ['a', { from: '-6h', cells: [text] }, 'to'],
    ['a', { from: '-99999999w', to: 'now', cells: [text] }, 'from'],
    ['a', { from: '2.1.2026', to: '2026-01-01 08:00', cells: [text] }, 'from'],
    ['a', { from: '-6h', to: '-12h', cells: [text] }, 'from'],
    ['a', { from: 'today', to: 'yesterday', cells: [text] }, 'from'],
    ['a', { variables: [unit, unit], cells: [text] }, 'variables[1].name'],
    ['a', { variables: [{ ...unit, kind: 'tag', entity: '$unit' }], cells: [text] }, 'variables[0].entity'],
    ['a', { variables: [unit], cells: [text, chart('$nope')] }, 'cells[1].entity'],
    ['a', { cells: [chart('plant', { tags: ['a', '$nope'] })] }, 'cells[0].tags[1]'],
    ['a', { cells: [chart('plant', { right: ['$nope'] })] }, 'cells[0].right[0]'],
    ['a', { cells: [chart('plant', { granularity: 'fortnight' })] }, 'cells[0].granularity'],
    ['a', { cells: [chart('plant', { granularity: 'none', how: 'snap' })] }, 'cells[0].granularity'],
    ['a', { cells: [chart('plant', { shift: 'a week' })] }, 'cells[0].shift'],
    ['a', { cells: [chart('plant', { shift: 'P99999Y' })] }, 'cells[0].shift'],
    ['a', { cells: [chart('plant', { shift: 'P0D' })] }, 'cells[0].shift'],
    ['a', { cells: [chart('plant', { least: 5, greatest: 5 })] }, 'cells[0].least'],
    ['a', { cells: [chart('plant', { log: true, least: -1 })] }, 'cells[0].least'],
    ['a', { cells: [chart('plant', { log: true, greatest: 0 })] }, 'cells[0].greatest'],
    ['a', { cells: [chart('plant', { fields: ['V', 'W'] })] }, 'cells[0].fields[1]'],
    ['a', { cells: [chart('plant', { fields: ['T'] })] }, 'cells[0].fields[0]'],
    ['a', { cells: [chart('plant', { by: 'V' })] }, 'cells[0].by'],
    ['a', { cells: [chart('open', { fields: ['T'] })] }, 'cells[0].fields[0]'],
  ])('%j %#', async (name, body, path) => {
    expect(await put(name, body)).toMatchObject({ status: 400, body: { errors: [{ path }] } })
  })

  test('the message names the allowed values', async () => {
    const variables = [unit, { name: 'pump', kind: 'tag', entity: '$unit', value: 'a' }]
    const detailOf = async (more: object): Promise<unknown> =>
      (await put('a', { variables, cells: [chart('plant', more)] })).body['detail']
    expect(await detailOf({ tags: ['$pmp'] })).toMatch(/cells\[0\]\.tags\[0\]: .*\$pmp.*\$unit, \$pump/)
    expect(await detailOf({ granularity: 'fortnight' })).toMatch(/five_minute.*P1D/)
    expect(await detailOf({ fields: ['v'] })).toMatch(/must be a metric of plant, which has V\. "V" may be meant\./)
  })
})

test('fields of an entity that the key may not read are not checked', async () => {
  expect((await put('Unread', { cells: [chart('plant', { fields: ['W'] })] }, pumps)).status).toBe(201)
  expect((await call(service.url, 'DELETE', '/consumer/views/Unread', { key: pumps })).status).toBe(204)
})

test.each<[what: string, view: object]>([
  ['empty strings', { range: '', from: '', to: '', zone: '' }],
  ['times in the formats of Explore', { from: 'yesterday', to: '31.12.2026 8:00', zone: 'Europe/Berlin' }],
  ['a range with empty from and to', { range: 'PT1H', from: '', to: '' }],
  ['an axis that begins below zero', { cells: [chart('plant', { least: -5, fields: ['V'], by: 'T' })] }],
  ['an unknown metric of an open ingest', { cells: [chart('open', { fields: ['W'] })] }],
  ['a metric of an unknown entity', { cells: [chart('nowhere', { fields: ['W'] })] }],
  [
    'dollar signs in tags and titles',
    { cells: [chart('plant', { tags: ['$SYS/load', 'a.$b'], title: 'US$ or $EUR' })] },
  ],
  ['a granularity and a shift', { cells: [chart('plant', { granularity: '5m', shift: 'P1Y', how: 'average' })] }],
])('a view accepts %s', async (_, view) => {
  expect((await put('Read', { cells: [chart('plant')], ...view })).status).toBeLessThan(300)
})

test.each(['.', '..'])('a view cannot be named %s, which browsers and curl resolve as a path', async (name) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${shift}` }
  // `fetch` would normalize the path.
  const status = await new Promise<number | undefined>((resolve, reject) =>
    request(service.url, { method: 'PUT', path: `/consumer/views/${name}`, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end(JSON.stringify({ cells: [{ kind: 'text', text: 'a' }] })),
  )
  expect(status).toBe(400)
})

test('saving with an outdated `changed` is a 409', async () => {
  const cells = [{ kind: 'text', text: 'a' }]
  const known = (changed: string) =>
    call<{ changed: string }>(service.url, 'PUT', `/consumer/views/Two?changed=${changed}`, {
      key: shift,
      body: { cells },
    })
  const { changed } = (await known('never')).body
  expect((await known('never')).status).toBe(409)
  expect((await known(changed)).status).toBe(200)
  expect((await known(changed)).status).toBe(409)
  expect((await known('yesterday')).status).toBe(400)
})

test('with public access, a caller without a key reads views but cannot save or delete them', async () => {
  service = await service.restart({ settings: { 'access.consumption': 'public' } })
  expect((await call(service.url, 'GET', '/consumer/views/Pumps')).body).toMatchObject({ may_change: false })
  for (const method of ['PUT', 'DELETE'])
    expect((await call(service.url, method, '/consumer/views/Pumps', { body: { cells: [] } })).status).toBe(403)
})

test('views survive a restart', async () => {
  const before = await names(adminKey)
  service = await service.restart()
  expect(await names(adminKey)).toEqual(before)
})
