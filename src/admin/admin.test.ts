import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Catalog, RejectedRow } from '../catalog/catalog.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { NextTokens } from '../model/next-token.ts'
import { EntityAdmin } from './entities.ts'
import { IngestAdmin } from './ingests.ts'
import type { Page, PageRequest } from './page.ts'
import { RejectedAdmin } from './rejected.ts'
import type { PutSubscriptions } from './subscriber-schemas.ts'
import { SubscriberAdmin } from './subscribers.ts'

const nowMs = () => Date.UTC(2026, 0, 1)
const now = '2026-01-01T00:00:00.000Z'

let directory: string
let catalog: Catalog
let changes: number
let ingests: IngestAdmin
let entities: EntityAdmin
let subscribers: SubscriberAdmin
let rejected: RejectedAdmin
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-catalog-'))
  catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') })
  changes = 0
  let keys = 0
  const tokens = new NextTokens(await catalog.secrets.secret('next-token'))
  const changed = async (): Promise<void> => {
    changes += 1
  }
  const counters = (id: number) => ({ received: id, stored: 0, rejected: 0, pending: id })
  ingests = new IngestAdmin({ ingests: catalog.ingests, tokens, counters, changed, nowMs })
  entities = new EntityAdmin({ ingests: catalog.ingests, tokens })
  subscribers = new SubscriberAdmin({
    access: catalog.access,
    tokens,
    newKey: () => ({ key: `key ${++keys}`, hash: `hash ${keys}` }),
    newKeyId: () => `id${keys}`,
    changed,
    nowMs,
  })
  const batchIds = {
    encode: (key: object) => JSON.stringify(key),
    decode: (text: string) => (text.startsWith('{') ? JSON.parse(text) : null),
  }
  rejected = new RejectedAdmin({
    discarded: async () => {},
    ingests: catalog.ingests,
    rejected: catalog.rejected,
    batchIds,
    tokens,
    pageBytes: 1_000_000,
  })
})
afterEach(async () => {
  await catalog.close()
  await rm(directory, { recursive: true })
})

/** All pages of a list, one after the other. */
async function pages<Item>(list: (request: PageRequest) => Promise<Page<Item>>, limit: number): Promise<Item[][]> {
  const all: Item[][] = []
  for (let token: string | undefined; ; ) {
    const { Items, NextToken } = await list({ limit, token })
    all.push(Items)
    if (NextToken === null) return all
    token = NextToken
  }
}

const refusal = (code: string, path?: string) =>
  expect.objectContaining(path === undefined ? { code } : { code, errors: [expect.objectContaining({ path })] })

describe('ingests', () => {
  test('are created, shown and changed', async () => {
    const fields = [
      { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', source: 'T', type: 'string', role: 'tag' },
      { name: 'V', source: 'V', type: 'double', role: 'metric' },
    ]
    const answer = {
      alias: 'a',
      kind: 'series',
      entity: 'a',
      fields,
      duplicates: 'keep',
      state: 'active',
      reason: null,
      created: now,
      counters: { received: 1, stored: 0, rejected: 0, pending: 1 },
    }
    expect(await ingests.create({ alias: 'a', kind: 'series' })).toEqual(answer)
    expect(await ingests.show('a')).toEqual(answer)
    expect(changes).toBe(1)
    const added = { name: 'W', type: 'long', role: 'metric' } as const
    expect(await ingests.change('a', { state: 'blocked', reason: 'repairs', add_fields: [added] })).toEqual({
      ...answer,
      fields: [...fields, { ...added, source: 'W' }],
      state: 'blocked',
      reason: 'repairs',
    })
    expect(await ingests.change('a', { state: 'active' })).toMatchObject({ state: 'active', reason: null })
    expect(changes).toBe(3)
  })

  test('of metadata feed no entity', async () => {
    const request = { alias: 'm', kind: 'metadata', fields: [{ name: 'id', type: 'long', role: 'index' }] } as const
    const answer = await ingests.create({ ...request, fields: [...request.fields] })
    expect(Object.keys(answer)).toEqual(['alias', 'kind', 'fields', 'state', 'reason', 'created', 'counters'])
    expect((await entities.list({})).Items).toEqual([])
  })

  test('that do not exist are a 404', async () => {
    await expect(ingests.show('a')).rejects.toEqual(refusal('ingest_not_found'))
    await expect(ingests.change('a', { state: 'active' })).rejects.toEqual(refusal('ingest_not_found'))
    await expect(rejected.list('a', {})).rejects.toEqual(refusal('ingest_not_found'))
  })

  test('that are refused change nothing', async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    await expect(ingests.create({ alias: 'a', kind: 'series' })).rejects.toEqual(refusal('conflict', 'alias'))
    await expect(ingests.create({ alias: '?', kind: 'series' })).rejects.toEqual(refusal('invalid_request', 'alias'))
    const time = { name: 'E', type: 'timestamp', role: 'time' } as const
    await expect(ingests.change('a', { add_fields: [time] })).rejects.toEqual(
      refusal('invalid_request', 'add_fields[0].role'),
    )
    expect(changes).toBe(1)
  })

  test('and entities are listed page by page', async () => {
    for (const alias of ['c', 'a', 'b', 'B']) await ingests.create({ alias, kind: 'series' })
    const aliases = (await pages((request) => ingests.list(request), 3)).map((page) => page.map(({ alias }) => alias))
    expect(aliases).toEqual([['B', 'a', 'b'], ['c']])
    const names = (await pages((request) => entities.list(request), 2)).map((page) => page.map(({ entity }) => entity))
    expect(names).toEqual([
      ['B', 'a'],
      ['b', 'c'],
    ])
    expect((await entities.list({ limit: 1 })).Items[0]).toMatchObject({ ingests: ['B'], time_field: 'D' })
  })

  test.each([0, -1, 1.5, 10_001, Number.NaN])('are not listed by a limit of %j', async (limit) => {
    await expect(ingests.list({ limit })).rejects.toEqual(refusal('invalid_request', 'limit'))
    await expect(rejected.list('a', { limit })).rejects.toEqual(refusal('invalid_request', 'limit'))
  })

  test('take no token of another list', async () => {
    for (const alias of ['a', 'b']) await ingests.create({ alias, kind: 'series' })
    const { NextToken } = await ingests.list({ limit: 1 })
    await expect(entities.list({ token: NextToken ?? '' })).rejects.toEqual(refusal('invalid_token', 'NextToken'))
  })
})

describe('subscribers', () => {
  test('are created, listed by code point and deleted', async () => {
    const names = ['a', 'plant 7', '～', '😀']
    for (const name of names.toReversed()) {
      expect(await subscribers.create({ name })).toEqual({ name, created: now, keys: [] })
    }
    const list = await pages((request) => subscribers.list(request), 3)
    expect(list.map((page) => page.map(({ name }) => name))).toEqual([names.slice(0, 3), names.slice(3)])
    await subscribers.delete('a')
    await expect(subscribers.delete('a')).rejects.toEqual(refusal('not_found'))
    expect(changes).toBe(5)
  })

  test.each(['', '.', '..', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(129)])('are not called %j', async (name) => {
    await expect(subscribers.create({ name })).rejects.toEqual(refusal('invalid_request', 'name'))
  })

  test('of a taken name are a conflict', async () => {
    await subscribers.create({ name: 'a' })
    await expect(subscribers.create({ name: 'a' })).rejects.toEqual(refusal('conflict', 'name'))
  })

  test('hold keys', async () => {
    await subscribers.create({ name: 'a' })
    const expires = '2026-01-01T00:00:00.001Z'
    expect(await subscribers.createKey('a', { rights: ['ingest', 'ingest'] })).toEqual({ id: 'id1', key: 'key 1' })
    expect(await subscribers.createKey('a', { rights: ['consume', 'admin'], expires })).toMatchObject({ id: 'id2' })
    expect((await subscribers.list({})).Items[0]!.keys).toEqual([
      { id: 'id1', rights: ['ingest'], created: now, expires: null },
      { id: 'id2', rights: ['consume', 'admin'], created: now, expires },
    ])
    await subscribers.deleteKey('id1')
    await expect(subscribers.deleteKey('id1')).rejects.toEqual(refusal('not_found'))
    await expect(subscribers.createKey('b', { rights: ['ingest'] })).rejects.toEqual(refusal('not_found'))
    expect(changes).toBe(4)
  })

  test.each(['2026-01-01T00:00:00Z', '2025-01-01', 'never', 'P1D', ''])('get no key until %j', async (expires) => {
    await subscribers.create({ name: 'a' })
    await expect(subscribers.createKey('a', { rights: ['ingest'], expires })).rejects.toEqual(
      refusal('invalid_request', 'expires'),
    )
  })
})

describe('subscriptions', () => {
  beforeEach(async () => {
    await subscribers.create({ name: 'a' })
  })

  test('are put and got', async () => {
    const put: PutSubscriptions = [
      { ingest: 'not-yet', entity: '*', from: '2026-01-01', until: '2026-01-01T02:00:00+02:00', suspended: true },
      { ingest: '*', entity: null, from: null },
    ]
    const got = {
      Items: [
        { ingest: 'not-yet', entity: '*', from: now, until: now, suspended: true },
        { ingest: '*', from: null, until: null, suspended: false },
      ],
      NextToken: null,
    }
    expect(await subscribers.putSubscriptions('a', put)).toEqual(got)
    expect(await subscribers.getSubscriptions('a')).toEqual(got)
    expect(await subscribers.putSubscriptions('a', got.Items)).toEqual(got)
    expect(await subscribers.putSubscriptions('a', [])).toEqual({ Items: [], NextToken: null })
    expect(changes).toBe(4)
  })

  test.each<[PutSubscriptions[number], string]>([
    [{}, '[1]'],
    [{ ingest: null, suspended: true }, '[1]'],
    [{ ingest: 'a b' }, '[1].ingest'],
    [{ entity: '' }, '[1].entity'],
    [{ entity: '**' }, '[1].entity'],
    [{ ingest: 'a', from: 'PT1H' }, '[1].from'],
    [{ ingest: 'a', until: 'tomorrow' }, '[1].until'],
    [{ ingest: 'a', from: '2026-01-02', until: '2026-01-01' }, '[1].until'],
  ])('are not %j', async (entry, path) => {
    await expect(subscribers.putSubscriptions('a', [{ ingest: '*' }, entry])).rejects.toEqual(
      refusal('invalid_request', path),
    )
    expect((await subscribers.getSubscriptions('a')).Items).toEqual([])
  })

  test('of nobody are a 404', async () => {
    await expect(subscribers.putSubscriptions('b', [])).rejects.toEqual(refusal('not_found'))
    await expect(subscribers.getSubscriptions('b')).rejects.toEqual(refusal('not_found'))
  })
})

describe('rejected rows', () => {
  const row = (position: number, change: Partial<RejectedRow> = {}): RejectedRow => ({
    ingestId: 1,
    position,
    batchPosition: 4,
    batchRows: 9,
    subscriberId: 7,
    index: position - 4,
    row: '{"D": 5}',
    field: null,
    code: 'missing_tag',
    message: 'T is missing',
    receivedMs: nowMs(),
    ...change,
  })
  const batch = '{"position":4,"rows":9,"ingestId":1,"subscriberId":7}'
  beforeEach(async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    await ingests.create({ alias: 'b', kind: 'series' })
    const rows = [row(5), row(6, { code: 'wrong_type' }), row(20, { batchPosition: 20, index: 0 })]
    await catalog.outcomes.add({ rejected: [...rows, row(30, { ingestId: 2 })], items: [] }, 40)
  })

  test('are shown as they were pushed', async () => {
    expect((await rejected.list('a', { limit: 1 })).Items).toEqual([
      {
        id: '5',
        batch,
        index: 1,
        row: '{"D": 5}',
        field: null,
        code: 'missing_tag',
        message: 'T is missing',
        received: now,
      },
    ])
  })

  test('are filtered and paged', async () => {
    const ids = async (request: Parameters<typeof rejected.list>[1]) =>
      (await pages((page) => rejected.list('a', { ...request, ...page }), 1)).map((page) => page.map(({ id }) => id))
    expect(await ids({})).toEqual([['5'], ['6'], ['20']])
    expect(await ids({ batch })).toEqual([['5'], ['6']])
    expect(await ids({ code: 'missing_tag' })).toEqual([['5'], ['20']])
    expect(await ids({ batch, code: 'missing_tag' })).toEqual([['5']])
    expect(await ids({ code: 'too_large' })).toEqual([[]])
  })

  test('are not found by the batch of another ingest, nor with a token for another filter', async () => {
    for (const other of [batch.replace('"ingestId":1', '"ingestId":2'), 'nonsense']) {
      await expect(rejected.list('a', { batch: other })).rejects.toEqual(refusal('invalid_request', 'batch'))
    }
    const token = (await rejected.list('a', { limit: 1 })).NextToken ?? ''
    expect((await rejected.list('a', { token })).Items.map(({ id }) => id)).toEqual(['6', '20'])
    await expect(rejected.list('a', { token, code: 'missing_tag' })).rejects.toEqual(refusal('invalid_token'))
    await expect(rejected.list('b', { token })).rejects.toEqual(refusal('invalid_token'))
  })
})
