// The audit log: each operator endpoint that changes something writes a line; this list and the OpenAPI document name the same endpoints.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Line {
  readonly time: string
  readonly key: string | null
  readonly subscriber: string | null
  readonly address: string | null
  readonly request: string | null
  readonly what: string
  readonly name: string | null
  readonly before: unknown
  readonly after: unknown
}

interface Listed {
  readonly Items: readonly Line[]
  readonly NextToken: string | null
}

let service: RunningService
let pusher: string
const admin = { key: adminKey }
const secretText = 'a text of a row that nobody is told'
const hookSecret = 'what events are signed with'
const made: string[] = []

const list = (query = '') => callOk<Listed>(service.url, 'GET', `/admin/audit${query}`, admin)
const newest = async (): Promise<Line | undefined> => (await list('?limit=1')).Items[0]
const unknownKey = 'a-key-that-nobody-has-ever-had'

/** The clock of the service. */
let nowMs = Date.now

beforeAll(async () => {
  service = await runService({}, { nowMs: () => nowMs() })
  pusher = await makeIngest(service.url, adminKey, { alias: 'plant' })
  made.push(adminKey, pusher, unknownKey)
  const item = [{ name: 'id', type: 'string', role: 'index' }]
  await callOk(service.url, 'POST', '/admin/ingests', {
    ...admin,
    body: { alias: 'tags', kind: 'metadata', fields: item },
  })
  const subscriptions = { ...admin, body: [{ ingest: 'plant' }, { ingest: 'tags' }] }
  await callOk(service.url, 'PUT', '/admin/subscribers/pusher-of-plant/subscriptions', subscriptions)
})
afterAll(() => service?.close())

async function push(alias: string, body: unknown): Promise<void> {
  await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: pusher, body })
}
const rejectOne = (): Promise<void> => push('plant', [{ D: '2026-01-01', T: secretText, V: 'none' }])

interface Change {
  readonly method: string
  readonly path: string | (() => string)
  readonly body?: unknown
  readonly key?: 'pusher'
  readonly first?: () => Promise<unknown>
  readonly line: Partial<Line>
}

let keyId = ''
const definition = { alias: 'other', kind: 'series', state: 'active' }
const changes: Readonly<Record<string, Change>> = {
  createIngest: {
    method: 'POST',
    path: '/admin/ingests',
    body: { alias: 'other', kind: 'series' },
    line: { name: 'other', before: null, after: expect.objectContaining(definition) },
  },
  changeIngest: {
    method: 'PATCH',
    path: '/admin/ingests/other',
    body: { state: 'blocked', reason: 'broken' },
    line: {
      name: 'other',
      before: expect.objectContaining({ state: 'active', reason: null }),
      after: expect.objectContaining({ state: 'blocked', reason: 'broken' }),
    },
  },
  changeEntity: {
    method: 'PATCH',
    path: '/admin/entities/other',
    body: { time_zone: 'Europe/Madrid' },
    line: {
      name: 'other',
      before: expect.objectContaining({ time_zone: null }),
      after: expect.objectContaining({ time_zone: 'Europe/Madrid' }),
    },
  },
  deleteIngest: {
    method: 'DELETE',
    path: '/admin/ingests/other?data=drop',
    line: { name: 'other', before: expect.objectContaining({ alias: 'other' }), after: { data: 'drop' } },
  },
  createSubscriber: {
    method: 'POST',
    path: '/admin/subscribers',
    body: { name: 'meter' },
    line: { name: 'meter', before: null, after: expect.objectContaining({ name: 'meter', keys: [] }) },
  },
  putSubscriptions: {
    method: 'PUT',
    path: '/admin/subscribers/meter/subscriptions',
    body: [{ entity: 'plant' }],
    line: { name: 'meter', before: [], after: [expect.objectContaining({ entity: 'plant' })] },
  },
  createKey: {
    method: 'POST',
    path: '/admin/subscribers/meter/keys',
    body: { rights: ['consume'] },
    line: {
      name: 'meter',
      before: expect.objectContaining({ keys: [] }),
      after: expect.objectContaining({ keys: [expect.objectContaining({ rights: ['consume'] })] }),
    },
  },
  deleteKey: {
    method: 'DELETE',
    path: () => `/admin/keys/${keyId}`,
    line: { before: expect.objectContaining({ subscriber: 'meter', rights: ['consume'] }), after: null },
  },
  deleteSubscriber: {
    method: 'DELETE',
    path: '/admin/subscribers/meter',
    line: { name: 'meter', before: expect.objectContaining({ name: 'meter' }), after: null },
  },
  replayRejected: {
    method: 'POST',
    path: '/admin/ingests/plant/rejected/replay',
    first: rejectOne,
    line: { name: 'plant', before: null, after: { replayed: 1, stored: 0, rejected: 1 } },
  },
  discardRejected: {
    method: 'DELETE',
    path: '/admin/ingests/plant/rejected',
    line: { name: 'plant', before: null, after: { discarded: 1 } },
  },
  discardOwnRejected: {
    method: 'DELETE',
    path: '/ingests/plant/rejected',
    key: 'pusher',
    first: rejectOne,
    line: { name: 'plant', subscriber: 'pusher-of-plant', before: null, after: { discarded: 1 } },
  },
  deleteRows: {
    method: 'POST',
    path: '/admin/entities/plant/deletions',
    first: () => push('plant', [{ D: '2026-01-01', T: 'boiler', V: 1 }]),
    body: { ids: ['boiler'], reason: 'wrong unit' },
    line: {
      name: 'plant',
      before: null,
      after: expect.objectContaining({ id: 1, rows: 1, reason: 'wrong unit' }),
    },
  },
  takeBackDeletion: {
    method: 'DELETE',
    path: '/admin/entities/plant/deletions/1',
    line: { name: 'plant/1', before: null, after: { rows: 1 } },
  },
  deleteMetadataItem: {
    method: 'DELETE',
    path: '/admin/metadata/tags/items/boiler',
    first: () => push('tags', [{ id: 'boiler' }]),
    line: { name: 'tags/boiler', before: null, after: null },
  },
  putHook: {
    method: 'PUT',
    path: '/admin/hooks/alarm',
    body: { url: 'https://alarms.example/', kinds: ['disk_low'], secret: hookSecret },
    line: {
      name: 'alarm',
      before: null,
      after: expect.objectContaining({ name: 'alarm', secret_set: expect.any(String) }),
    },
  },
  deleteHook: {
    method: 'DELETE',
    path: '/admin/hooks/alarm',
    line: { name: 'alarm', before: expect.objectContaining({ name: 'alarm' }), after: null },
  },
  putView: {
    method: 'PUT',
    path: '/consumer/views/a%2Fb',
    body: { cells: [{ kind: 'text', text: 'Boilers' }] },
    line: {
      name: 'a/b',
      before: null,
      after: { subscriber: 'admin', view: { cells: [{ kind: 'text', text: 'Boilers' }] } },
    },
  },
  deleteView: {
    method: 'DELETE',
    path: '/consumer/views/a%2Fb',
    line: { name: 'a/b', before: expect.objectContaining({ subscriber: 'admin' }), after: null },
  },
  makeBackup: {
    method: 'POST',
    path: '/admin/backups',
    line: { name: null, before: null, after: { path: expect.any(String), bytes: expect.any(Number) } },
  },
}

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

/** One endpoint changes nothing, the other needs a push that crashes the validator: src/http/audited-routes.test.ts tests its line. */
const notHere = ['previewReplay', 'discardQuarantined']

test('the table of changes covers each operation of the OpenAPI document that changes something', () => {
  const { paths }: Documented = JSON.parse(readFileSync('test/openapi.json', 'utf8'))
  const changing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => path.startsWith('/admin/') && method !== 'get')
      .map(([, { operationId }]) => operationId),
  )
  expect([...changing, 'discardOwnRejected', 'putView', 'deleteView'].sort()).toEqual(
    [...Object.keys(changes), ...notHere].sort(),
  )
})

describe('each change writes an audit line', () => {
  test.each(Object.entries(changes))('%s', async (what, { method, path, body, key, first, line }) => {
    await first?.()
    const asked = { key: key === 'pusher' ? pusher : adminKey, ...(body === undefined ? {} : { body }) }
    const answer = await call<{ id?: string; key?: string }>(
      service.url,
      method,
      typeof path === 'string' ? path : path(),
      asked,
    )
    expect(answer.status).toBeLessThan(300)
    if (answer.body?.key !== undefined) {
      made.push(answer.body.key)
      keyId = answer.body.id!
    }
    const who = { key: expect.any(String), subscriber: 'admin', address: expect.stringMatching(/^(127|::1)/) }
    expect(await newest()).toMatchObject({ ...who, request: expect.any(String), what, ...line })
  })

  test('refused and read-only requests write no line', async () => {
    const before = await newest()
    for (const [method, path, body] of [
      ['POST', '/admin/ingests', { alias: 'plant', kind: 'series' }],
      ['PATCH', '/admin/ingests/nowhere', { state: 'blocked' }],
      ['PATCH', '/admin/ingests/plant', { state: 'no' }],
      ['DELETE', '/admin/keys/nothing', undefined],
      ['DELETE', '/admin/metadata/tags/items/nothing', undefined],
      ['DELETE', '/admin/subscribers/nobody', undefined],
      ['POST', '/admin/ingests/plant/rejected/replay/preview', undefined],
    ] as const)
      await call(service.url, method, path, { ...admin, ...(body === undefined ? {} : { body }) })
    expect(await newest()).toEqual(before)
  })
})

test('requests with unknown keys are added up in one line a minute', async () => {
  const startMs = Date.now()
  const refused = async (atMs: number, count: number): Promise<readonly Line[]> => {
    nowMs = () => startMs + atMs
    for (let asked = 0; asked < count; asked++) await call(service.url, 'GET', '/admin/ingests', { key: unknownKey })
    return (await list('?what=refuseKeys')).Items
  }
  const of = (requests: number): object => {
    const line = { key: null, subscriber: null, request: null, address: expect.any(String), name: null, before: null }
    return { ...line, after: expect.objectContaining({ requests }) }
  }
  expect(await refused(0, 3)).toMatchObject([of(3)])
  expect(await refused(59_999, 2)).toMatchObject([of(5)])
  expect(await refused(60_000, 1)).toMatchObject([of(1), of(5)])
  nowMs = () => Date.now() + 60_000
})

test('lines are filtered by who, what and when, and listed newest first, page by page', async () => {
  const all = (await list()).Items
  const times = all.map(({ time }) => time)
  expect(times).toEqual([...times].sort().reverse())
  const pages: Line[] = []
  for (let token: string | null = ''; token !== null; ) {
    const page: Listed = await list(`?limit=4${token === '' ? '' : `&NextToken=${token}`}`)
    pages.push(...page.Items)
    token = page.NextToken
  }
  expect(pages).toEqual(all)
  const [ownKey] = all.filter(({ subscriber }) => subscriber === 'pusher-of-plant').map(({ key }) => key)
  expect((await list(`?who=${ownKey}`)).Items.map(({ what }) => what)).toEqual(['discardOwnRejected'])
  expect((await list('?who=pusher-of-plant')).Items).toHaveLength(1)
  expect((await list('?who=nobody%00')).Items).toEqual([])
  expect((await list('?what=createKey')).Items.every(({ what }) => what === 'createKey')).toBe(true)
  const { time } = all[3]!
  const since = (await list(`?from=${time}`)).Items
  expect([...since, ...(await list(`?until=${time}`)).Items]).toEqual(all)
  for (const query of ['?from=yesterday', '?what=%00', '?where=x', '?NextToken=x', '?limit=0'])
    expect((await call(service.url, 'GET', `/admin/audit${query}`, admin)).status).toBe(400)
  expect((await call(service.url, 'GET', '/admin/audit', { key: pusher })).status).toBe(403)
})

test('lines contain no secrets and survive a restart, which writes its own line with the settings', async () => {
  const before = (await list()).Items
  const text = JSON.stringify(before)
  for (const secret of [...made, secretText, hookSecret]) expect(text).not.toContain(secret)
  service = await service.restart({ settings: { 'limits.resultRows': '1234' } })
  const after = (await list()).Items
  expect(after.slice(1)).toEqual(before)
  expect(after[0]).toMatchObject({
    ...{ key: null, subscriber: null, request: null, what: 'start', name: null },
    before: expect.not.objectContaining({ 'limits.resultRows': 1234 }),
    after: expect.objectContaining({ adminKey: 'set', 'limits.resultRows': 1234 }),
  })
  expect(JSON.stringify(after)).not.toContain(adminKey)
})
