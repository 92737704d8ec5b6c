// i3X 1.0: objects, their values, and writing them. Each test covers a "must" of the implementation guide, or a property of our implementation.

import { request as httpRequest } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest, makeReader, makeSubscriber } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const equipment = [
  { name: 'id', type: 'string', role: 'index' },
  { name: 'parent', type: 'string', role: 'attribute' },
  { name: 'name', type: 'string', role: 'attribute' },
  { name: 'power', type: 'double', role: 'attribute' },
]
const wide = [
  { name: 'time', source: 'at', type: 'timestamp', role: 'time' },
  { name: 'T', source: 'machine', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'tag' },
  { name: 'note', type: 'string', role: 'dimension' },
  { name: 'since', type: 'timestamp', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'count', type: 'long', role: 'metric' },
  { name: 'on', type: 'boolean', role: 'metric' },
]
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const range = { startTime: at(0), endTime: at(60) }

interface Result {
  readonly success: boolean
  readonly elementId: string
  readonly result: unknown
  readonly responseDetail?: { readonly status: number; readonly detail: string; readonly code: string }
}
interface Body {
  readonly success: boolean
  readonly result?: unknown
  readonly results?: readonly Result[]
  readonly responseDetail?: { readonly status: number; readonly detail: string }
}

let service: RunningService
/** May read everything, and push to `wide` and `equipment`. */
let key: string

beforeAll(async () => {
  const settings = { 'access.consumption': 'key', 'i3x.hierarchy': 'equipment,parent,name', 'i3x.values': '6' }
  service = await runService(settings)
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const wideKey = await makeIngest(service.url, adminKey, { alias: 'wide', fields: wide })
  const equipmentKey = await makeIngest(service.url, adminKey, {
    alias: 'equipment',
    kind: 'metadata',
    fields: equipment,
  })
  await makeIngest(service.url, adminKey, { alias: 'parts', kind: 'metadata', fields: equipment.slice(0, 1) })
  const rights = [{ entity: '*' }, { ingest: 'wide' }, { ingest: 'equipment' }]
  key = await makeSubscriber(service.url, adminKey, 'factory', rights, ['consume', 'ingest'])
  await push('plant', plantKey, [
    { D: at(0), T: 'boiler.temp', V: 1.5 },
    { D: at(1), T: 'boiler.temp', V: 2.5 },
    { D: at(1), T: 'boiler.flow/min', V: 7 },
    { D: at(3), T: 'pump', V: 9 },
    { D: at(2), T: 'boiler.', V: 3 },
    { D: at(2), T: ' 5 %\n', V: 4 },
  ])
  await push('wide', wideKey, [
    { at: at(0), machine: 'press', site: 'x', note: 'hi', since: at(5), V: 1, count: 5, on: true },
    { at: at(1), machine: 'press', site: 'y', on: false },
  ])
  await push('equipment', equipmentKey, [
    { id: 'site', name: 'Site' },
    { id: 'line', parent: 'site', name: 'Line', power: 5 },
    { id: 'pump', parent: 'line', name: 'Pump' },
    { id: 'lost', parent: 'gone' },
    { id: 'self', parent: 'self' },
  ])
})
afterAll(() => service?.close())

const push = (alias: string, pusher: string, body: readonly object[]) =>
  callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: pusher, body })
const ask = (method: string, path: string, body?: unknown, asker = key) =>
  call<Body>(service.url, method, `/i3x/v1${path}`, { key: asker, ...(body === undefined ? {} : { body }) })
const good = async (method: string, path: string, body?: unknown) => {
  const { status, body: answer } = await ask(method, path, body)
  expect([status, answer.success]).toEqual([200, true])
  return answer
}
const listed = async (path: string) => (await good('GET', path)).result as readonly Record<string, unknown>[]
const resultsOf = async (path: string, body: object) => (await ask('POST', path, body)).body.results!
const idsOf = (all: readonly Record<string, unknown>[]) => all.map((one) => one['elementId'])

describe('requirements of the implementation guide', () => {
  test('GET /info needs no key; without a valid key everything else is a 401', async () => {
    const { status, body } = await call<Body>(service.url, 'GET', '/i3x/v1/info')
    expect(status).toBe(200)
    expect(body.result).toMatchObject({ specVersion: '1.0', capabilities: { query: { history: true } } })
    const refused = await call<Body>(service.url, 'GET', '/i3x/v1/namespaces')
    expect([refused.status, refused.body.success, refused.body.responseDetail?.status]).toEqual([401, false, 401])
    const wrong = await ask('GET', '/namespaces', undefined, 'nobodys-key')
    expect(wrong.status).toBe(401)
  })

  test.each([
    ['GET', '/namespaces', ''],
    ['GET', '/nothing', ''],
    ['POST', '/objects/list', '{}'],
  ])(
    '%s %s is compressed with gzip if the client accepts it, however short the response is',
    async (method, path, body) => {
      const answered = await new Promise<{ encoding: unknown; bytes: Buffer }>((resolve, reject) => {
        const headers = { 'accept-encoding': 'gzip', authorization: `Bearer ${key}` }
        const asked = httpRequest(`${service.url}/i3x/v1${path}`, { method, headers }, async (response) => {
          const chunks: Buffer[] = []
          for await (const chunk of response) chunks.push(chunk)
          resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) })
        })
        asked.on('error', reject).end(body)
      })
      expect(answered.encoding).toBe('gzip')
      expect(JSON.parse(gunzipSync(answered.bytes).toString())).toHaveProperty('success')
    },
  )

  test.each<[method: string, path: string, body: unknown, status: number, code: string]>([
    ['GET', '/nothing', undefined, 404, 'path_not_found'],
    ['POST', '/namespaces', undefined, 405, 'method_not_allowed'],
    ['POST', '/objects/list', {}, 400, 'invalid_request'],
    ['POST', '/objects/value', { elementIds: [], maxDepth: -1 }, 400, 'invalid_request'],
    ['POST', '/objects/history', { elementIds: [], startTime: 'x', endTime: at(1) }, 400, 'invalid_request'],
    ['POST', '/objects/history', { elementIds: [], startTime: at(1), endTime: at(0) }, 400, 'invalid_request'],
    ['POST', '/objects/related', { elementIds: [], relationshipType: 'Likes' }, 404, 'not_found'],
    ['PUT', '/objects/value', { updates: [{ elementId: 'x' }] }, 400, 'invalid_request'],
  ])('%s %s returns the error format of i3X', async (method, path, body, status, code) => {
    const answer = await ask(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({
      success: false,
      responseDetail: { title: expect.any(String), status, detail: expect.any(String), code },
    })
  })

  test('the detail of an error names all faults, without a separate list', async () => {
    const { body } = await ask('POST', '/objects/history', {})
    expect(body).toMatchObject({ responseDetail: { detail: expect.stringMatching(/startTime: .*; endTime: /) } })
    expect(JSON.stringify(body)).not.toContain('see errors')
  })

  test.each([
    ...['/objecttypes/query', '/relationshiptypes/query', '/objects/list', '/objects/related', '/objects/value'],
    '/objects/history',
  ])('POST %s returns a result for each element, in order, and each fails separately', async (path) => {
    const known = { '/objecttypes/query': 'type:tag:plant', '/relationshiptypes/query': 'HasParent' }
    const id = Reflect.get(known, path) ?? 'tag:plant:pump'
    const asked = [id, 'nothing', id]
    const times = path.endsWith('history') ? range : {}
    const { status, body } = await ask('POST', path, { elementIds: asked, ...times })
    expect([status, body.success]).toEqual([200, false])
    expect(body.results!.map(({ elementId, success }) => [elementId, success])).toEqual([
      [id, true],
      ['nothing', false],
      [id, true],
    ])
    expect(body.results![1]!.responseDetail).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('namespaces are unique, and each type belongs to one of them', async () => {
    const uris = (await listed('/namespaces')).map(({ uri }) => uri)
    expect(new Set(uris).size).toBe(uris.length)
    for (const path of ['/objecttypes', '/relationshiptypes']) {
      const types = await listed(path)
      expect(types.length).toBeGreaterThan(0)
      for (const { namespaceUri } of types) expect(uris).toContain(namespaceUri)
      for (const uri of uris)
        expect(await listed(`${path}?namespaceUri=${uri}`)).toEqual(
          types.filter(({ namespaceUri }) => namespaceUri === uri),
        )
    }
  })

  test('each relationship has a reverse, and each edge exists in both directions', async () => {
    const types = await listed('/relationshiptypes')
    const reverse = new Map(types.map(({ elementId, reverseOf }) => [elementId, reverseOf]))
    for (const [one, other] of reverse) expect(reverse.get(other)).toBe(one)
    const objects = await listed('/objects')
    const edges = (await resultsOf('/objects/related', { elementIds: idsOf(objects) })).flatMap(
      ({ elementId, result }) =>
        (result as { sourceRelationship: string; object: { elementId: string } }[]).map(
          ({ sourceRelationship, object }) => [elementId, sourceRelationship, object.elementId],
        ),
    )
    for (const [from, kind, to] of edges) expect(edges).toContainEqual([to, reverse.get(kind!), from])
    for (const { elementId, parentId } of objects)
      expect(edges.filter(([from, kind]) => from === elementId && kind === 'HasParent')).toEqual(
        parentId === null ? [] : [[elementId, 'HasParent', parentId]],
      )
    const some = await resultsOf('/objects/related', {
      elementIds: ['folder:plant:boiler.'],
      relationshipType: 'HasParent',
    })
    expect(some[0]!.result).toMatchObject([{ sourceRelationship: 'HasParent', object: { elementId: 'entity:plant' } }])
  })

  test('each object has an existing type and a unique id', async () => {
    const objects = await listed('/objects')
    const types = idsOf(await listed('/objecttypes'))
    const all = [...idsOf(objects), ...types, ...idsOf(await listed('/relationshiptypes'))]
    expect(new Set(all).size).toBe(all.length)
    for (const { typeElementId } of objects) expect(types).toContain(typeElementId)
    for (const type of types)
      expect(await listed(`/objects?typeElementId=${type}`)).toEqual(
        objects.filter(({ typeElementId }) => typeElementId === type),
      )
  })

  test('root=true lists the objects without a parent', async () => {
    const roots = await listed('/objects?root=true')
    expect(idsOf(roots)).toEqual(
      ['entity:plant', 'entity:wide', 'table:parts'].concat(
        ['lost', 'self', 'site'].map((id) => `item:equipment:${id}`),
      ),
    )
    const objects = await listed('/objects')
    expect(idsOf(objects.filter(({ parentId }) => parentId === null)).sort()).toEqual(idsOf(roots).sort())
  })

  test('metadata is included only if it is requested', async () => {
    const metadata = { typeNamespaceUri: 'urn:tidemark', sourceTypeId: 'plant.tag' }
    expect(await listed('/objects?includeMetadata=true')).toContainEqual(expect.objectContaining({ metadata }))
    const [one] = await resultsOf('/objects/list', { elementIds: ['tag:plant:pump'], includeMetadata: true })
    expect(one!.result).toMatchObject({ metadata })
    expect((await listed('/objects'))[0]).not.toHaveProperty('metadata')
  })

  test('null has the quality GoodNoData, never Good', async () => {
    const elementIds = idsOf(await listed('/objects'))
    for (const { result } of await resultsOf('/objects/value', { elementIds })) {
      const { value, quality, timestamp } = result as Record<string, unknown>
      expect(quality).toBe(value === null ? 'GoodNoData' : 'Good')
      expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    const [history] = await resultsOf('/objects/history', {
      elementIds: ['entity:plant'],
      startTime: at(50),
      endTime: at(60),
    })
    expect(history!.result).toEqual({
      isComposition: false,
      values: [{ value: null, quality: 'GoodNoData', timestamp: at(50) }],
    })
  })

  test('maxDepth follows components only', async () => {
    const elementIds = ['item:equipment:pump', 'item:equipment:line']
    const component = { 'tag:plant:pump': { value: 9, quality: 'Good', timestamp: at(3) } }
    for (const maxDepth of [0, 2]) {
      const [pump, line] = await resultsOf('/objects/value', { elementIds, maxDepth })
      expect(pump!.result).toMatchObject({ isComposition: true, components: component })
      expect(line!.result).not.toHaveProperty('components')
    }
    const [pump] = await resultsOf('/objects/value', { elementIds })
    expect(pump!.result).not.toHaveProperty('components')
    const [history] = await resultsOf('/objects/history', { elementIds, ...range, maxDepth: 0 })
    expect(history!.result).toMatchObject({
      components: { 'tag:plant:pump': { values: [component['tag:plant:pump']] } },
    })
  })

  test('a history that does not fit is a 206 with the startTime at which to continue', async () => {
    const told: unknown[] = []
    let startTime = at(0)
    for (let answers = 1; ; answers++) {
      const { status, body } = await ask('POST', '/objects/history', {
        elementIds: ['entity:plant', 'entity:wide'],
        ...range,
        startTime,
      })
      for (const { result } of body.results!) told.push(...(result as { values: { value: unknown }[] }).values)
      if (status === 200) {
        expect(answers).toBeGreaterThan(1)
        break
      }
      expect([status, body.success, body.responseDetail?.status]).toEqual([206, true, 206])
      startTime = /startTime (\S+),/.exec(body.responseDetail!.detail)![1]!
    }
    expect(told.filter((one) => Reflect.get(Object(one), 'value') !== null)).toHaveLength(8)
  })
})

test('the object tree follows the metadata table and the parts of tags', async () => {
  const objects = await listed('/objects')
  expect(
    objects.map(({ elementId, parentId, displayName, isComposition }) => [
      parentId,
      elementId,
      displayName,
      isComposition,
    ]),
  ).toEqual([
    [null, 'entity:plant', 'plant', false],
    ['entity:plant', 'tag:plant: 5 %25%0A', ' 5 %\n', false],
    ['entity:plant', 'tag:plant:boiler.', 'boiler', false],
    ['entity:plant', 'folder:plant:boiler.', 'boiler', false],
    ['folder:plant:boiler.', 'folder:plant:boiler.flow/', 'flow', false],
    ['folder:plant:boiler.flow/', 'tag:plant:boiler.flow/min', 'min', false],
    ['folder:plant:boiler.', 'tag:plant:boiler.temp', 'temp', false],
    ['entity:plant', 'tag:plant:pump', 'pump', false],
    [null, 'entity:wide', 'wide', false],
    ['entity:wide', 'tag:wide:press', 'press', false],
    ['item:equipment:site', 'item:equipment:line', 'Line', false],
    [null, 'item:equipment:lost', 'lost', false],
    ['item:equipment:line', 'item:equipment:pump', 'Pump', true],
    [null, 'item:equipment:self', 'self', false],
    [null, 'item:equipment:site', 'Site', false],
    [null, 'table:parts', 'parts', false],
  ])
  const elementIds = idsOf(objects)
  const children = await resultsOf('/objects/related', { elementIds, relationshipType: 'HasChildren' })
  expect(
    children
      .flatMap(({ elementId, result }) =>
        (result as { object: Record<string, unknown> }[]).map(({ object }) => [elementId, object['elementId']]),
      )
      .sort(),
  ).toEqual(
    objects
      .filter(({ parentId }) => parentId !== null)
      .map(({ elementId, parentId }) => [parentId, elementId])
      .sort(),
  )
})

test('schemas match the fields, and values match the schemas', async () => {
  const schemas = new Map((await listed('/objecttypes')).map(({ elementId, schema }) => [elementId, schema]))
  expect(schemas.get('type:tag:plant')).toEqual({ type: 'number' })
  const properties = {
    site: { type: 'string' },
    note: { type: ['string', 'null'] },
    since: { type: ['string', 'null'], format: 'date-time' },
    V: { type: ['number', 'null'] },
    count: { type: ['integer', 'null'] },
    on: { type: ['boolean', 'null'] },
  }
  expect(schemas.get('type:tag:wide')).toEqual({ type: 'object', properties, required: ['site'] })
  const elementIds = ['entity:plant', 'tag:plant:boiler.temp', 'entity:wide', 'tag:wide:press', 'item:equipment:line']
  const values = await resultsOf('/objects/value', { elementIds })
  const press = { site: 'y', note: null, since: null, V: null, count: null, on: false }
  expect(values.map(({ result }) => Reflect.get(Object(result), 'value'))).toEqual([
    { T: 'pump', V: 9 },
    2.5,
    { T: 'press', ...press },
    press,
    { id: 'line', parent: 'site', name: 'Line', power: 5 },
  ])
  const [history] = await resultsOf('/objects/history', { elementIds: ['tag:wide:press'], ...range })
  expect(history!.result).toMatchObject({
    values: [
      { value: { site: 'x', note: 'hi', since: at(5), V: 1, count: 5, on: true }, timestamp: at(0) },
      { value: press, timestamp: at(1) },
    ],
  })
})

test('objects that a key may not read are reported as not found', async () => {
  const reader = await makeReader(service.url, adminKey, ['wide', 'parts'])
  const { body } = await ask('GET', '/objects', undefined, reader)
  expect(idsOf(body.result as Record<string, unknown>[])).toEqual(['entity:wide', 'tag:wide:press', 'table:parts'])
  const types = await ask('GET', '/objecttypes', undefined, reader)
  expect(JSON.stringify(types.body)).not.toMatch(/plant|equipment/)
  const elementIds = ['entity:plant', 'tag:plant:pump', 'folder:plant:boiler.', 'item:equipment:line', 'tag:none:x']
  const told = await Promise.all(
    ['/objects/list', '/objects/value', '/objects/related'].map((path) => ask('POST', path, { elementIds }, reader)),
  )
  for (const { body: answer } of told)
    expect(answer.results!.map(({ responseDetail }) => responseDetail?.status)).toEqual(elementIds.map(() => 404))
})

test('a request that names one element too often is refused', async () => {
  const parts = await runService({ 'limits.resultBytes': '5000', 'i3x.objects': '100' })
  try {
    const url = `${parts.url}/i3x/v1/relationshiptypes/query`
    const headers = { 'content-type': 'application/json' }
    const named = (elementIds: readonly string[]) =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify({ elementIds }) })
    for (const [count, status, detail] of [
      [10, 200, /HasParent/],
      [100, 413, /limits.resultBytes/],
      [101, 400, /i3x.objects/],
    ] as const) {
      const answer = await named(new Array<string>(count).fill('HasParent'))
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(detail)])
    }
  } finally {
    await parts.close()
  }
})

describe('writing', () => {
  const write = (what: string, updates: readonly object[], asker = key) =>
    ask('PUT', `/objects/${what}`, { updates }, asker).then(({ body }) => body.results!)
  const press = { site: 'z', note: null, since: null, V: 8, count: 9_007_199_254_740_993n, on: true }

  test('pushes to the ingest of the entity, with all digits', async () => {
    const text = JSON.stringify(
      { updates: [{ elementId: 'tag:wide:press', value: { value: press, timestamp: at(10) } }] },
      (_, one) => (typeof one === 'bigint' ? `<${one}>` : one),
    ).replace(/"<(\d+)>"/, '$1')
    const { body } = await call<Body>(service.url, 'PUT', '/i3x/v1/objects/value', { key, text })
    expect(body).toEqual({ success: true, results: [{ success: true, elementId: 'tag:wide:press', result: null }] })
    const answer = await fetch(`${service.url}/i3x/v1/objects/value`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ elementIds: ['tag:wide:press'] }),
    })
    expect(await answer.text()).toContain(
      '"site":"z","note":null,"since":null,"V":8,"count":9007199254740993,"on":true',
    )
  })

  test('accepts a row, a past value, and an item', async () => {
    const row = { T: 'mill', site: 'x', V: 1, on: null }
    const [written] = await write('history', [
      { elementId: 'entity:wide', value: { value: row, quality: 'Good', timestamp: at(20) } },
    ])
    expect(written).toMatchObject({ success: true, result: null })
    const [item] = await write('value', [
      { elementId: 'item:equipment:line', value: { value: { parent: 'site', power: 6 } } },
    ])
    expect(item).toMatchObject({ success: true })
    const values = await resultsOf('/objects/value', { elementIds: ['tag:wide:mill', 'item:equipment:line'] })
    expect(values).toMatchObject([
      { result: { value: { site: 'x', V: 1 }, timestamp: at(20) } },
      { result: { value: { id: 'line', parent: 'site', name: null, power: 6 } } },
    ])
  })

  test.each([
    ['a deeply nested array', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nested/],
    ['a number beyond the doubles', '1e999', /doubles/],
    ['a number of 5000 digits', '9'.repeat(5000), /doubles/],
  ])('rejects %s, which cannot be stored as it is', async (_what, value, detail) => {
    const text = `{"updates":[{"elementId":"tag:wide:press","value":{"value":{"site":"x","V":${value}}}}]}`
    const { status, body } = await call<Body>(service.url, 'PUT', '/i3x/v1/objects/value', { key, text })
    expect(status).toBe(200)
    expect(body.results![0]!.responseDetail).toMatchObject({ status: 400, detail: expect.stringMatching(detail) })
  })

  test.each<[why: string, what: 'value' | 'history', elementId: string, value: object, status: number]>([
    ['an unknown object', 'value', 'tag:wide:none', { value: 1 }, 404],
    ['no value', 'value', 'tag:wide:press', {}, 400],
    ['a value of the wrong type', 'value', 'tag:wide:press', { value: { ...press, count: 'many' } }, 400],
    ['not an object', 'value', 'tag:wide:press', { value: 5 }, 400],
    ['an unknown field', 'value', 'tag:wide:press', { value: { ...press, count: 1, speed: 1 } }, 400],
    ['a missing tag', 'value', 'tag:wide:press', { value: { V: 1 } }, 400],
    ['all metrics null', 'value', 'tag:wide:press', { value: { site: 'x', V: null } }, 400],
    ['a quality for an ingest without one', 'value', 'tag:wide:press', { value: press, quality: 'Bad' }, 400],
    ['an invalid timestamp', 'value', 'tag:wide:press', { value: press, timestamp: 'then' }, 400],
    ['a past value without a timestamp', 'history', 'tag:wide:press', { value: press }, 400],
    ['a past value of an item', 'history', 'item:equipment:line', { value: {}, timestamp: at(1) }, 400],
    ['an object without a value', 'value', 'entity:wide:x', { value: 1 }, 404],
    ['a folder', 'value', 'folder:plant:boiler.', { value: 1 }, 400],
    ['an ingest that the key may not push to', 'value', 'tag:plant:pump', { value: 1 }, 403],
  ])('fails without affecting the other updates: %s', async (_why, what, elementId, value, status) => {
    const fine = { elementId: 'tag:wide:press', value: { value: { site: 'x', V: 1 }, timestamp: at(0) } }
    const body = JSON.parse(
      JSON.stringify({ updates: [{ elementId, value }, fine] }, (_, one) => (typeof one === 'bigint' ? 1 : one)),
    )
    const [refused, written] = await write(what, body.updates)
    expect(refused).toMatchObject({
      success: false,
      elementId,
      responseDetail: { status, detail: expect.stringMatching(/./) },
    })
    expect(written).toMatchObject({ success: true })
  })
})
