import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Catalog } from '../catalog/catalog.ts'
import type { RejectedRow } from '../catalog/rejected.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { EntityAdmin } from './entities.ts'
import { IngestAdmin } from './ingests.ts'
import { RejectedAdmin } from './rejected.ts'
import { RejectedRows } from './rejected-rows.ts'
import { Retentions } from './retentions.ts'
import type { PutSubscriptions } from './subscriber-schemas.ts'
import { SubscriberAdmin } from './subscribers.ts'

const nowMs = () => Date.UTC(2026, 0, 1)
const now = '2026-01-01T00:00:00.000Z'

let directory: string
let catalog: Catalog
let changes: number
/** Whether what was changed cannot be read. */
let unread: boolean
let drops: number
let waitingSinceMs: number | null
let retentions: Retentions
let purged: number[]
/** What each purge waits for. */
let purging: Promise<void>
let currentMs: number
let ingests: IngestAdmin
let entities: EntityAdmin
let subscribers: SubscriberAdmin
let rejected: RejectedAdmin
let rows: RejectedRows
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-catalog-'))
  catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') })
  changes = 0
  drops = 0
  waitingSinceMs = null
  purged = []
  purging = Promise.resolve()
  currentMs = nowMs()
  let keys = 0
  const tokens = new NextTokens(await catalog.secrets.secret('next-token'))
  unread = false
  const changed = async (): Promise<void> => {
    changes += 1
    if (unread) throw new Error('away')
  }
  const counters = (id: number) => ({ received: id, stored: 0, rejected: 0, pending: id })
  ingests = new IngestAdmin({
    ingests: catalog.ingests,
    tokens,
    counters,
    requireCounters: () => undefined,
    changed,
    dropped: () => {
      drops += 1
    },
    waitingSinceMs: () => waitingSinceMs,
    reach: () => {},
    nowMs,
  })
  retentions = new Retentions({
    ingests: catalog.ingests,
    store: { changed: () => {}, purge: (entityId) => purging.then(() => void purged.push(entityId)) },
    changed,
    nowMs: () => currentMs,
    reach: () => {},
  })
  entities = new EntityAdmin({ ingests: catalog.ingests, retentions, tokens })
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
  const discarded = async (): Promise<void> => {}
  rows = new RejectedRows({
    discarded,
    rejected: catalog.rejected,
    batchIds,
    outcome: async ({ rows: all }) => ({ stored: all - 2, rejected: 2, pending: 0 }),
    tokens,
    pageBytes: 1_000_000,
  })
  rejected = new RejectedAdmin({
    discarded,
    replays: { replay: async (_, positions) => ({ replayed: positions?.length ?? 100, stored: 0, rejected: 0 }) },
    ingests: catalog.ingests,
    rows,
  })
})
afterEach(async () => {
  await catalog.close()
  await rm(directory, { recursive: true })
})

/** All pages of a list, one after the other. */
async function pages<Item>(
  list: (request: PageRequest) => Promise<Page<Item>>,
  limit: number,
): Promise<(readonly Item[])[]> {
  const all: (readonly Item[])[] = []
  for (let token: string | undefined; ; ) {
    const { Items, NextToken } = await list({ limit, token })
    all.push(Items)
    if (NextToken === null) return all
    token = NextToken
  }
}

const refusal = (code: string, path?: string) =>
  expect.objectContaining(path === undefined ? { code } : { code, errors: [expect.objectContaining({ path })] })

test('an ingest tells since when its entity waits for slots, while it does', async () => {
  expect(await ingests.create({ alias: 'a', kind: 'series' })).not.toHaveProperty('waits_for_slots_since')
  waitingSinceMs = nowMs()
  expect(await ingests.show('a')).toMatchObject({ waits_for_slots_since: now })
})

describe('deleting an ingest', () => {
  test('keeps its entity, or drops it where no other ingest feeds it', async () => {
    for (const alias of ['a', 'b', 'c']) await ingests.create({ alias, kind: 'series', entity: 'e' })
    await expect(ingests.delete('a', 'drop')).rejects.toEqual(refusal('conflict', 'data'))
    await ingests.delete('a', 'keep')
    await expect(ingests.delete('a', 'keep')).rejects.toEqual(refusal('ingest_not_found'))
    await ingests.delete('b', 'keep')
    expect((await entities.list({})).Items).toMatchObject([{ entity: 'e', ingests: ['c'] }])
    expect(drops).toBe(0)
    await ingests.delete('c', 'drop')
    expect((await entities.list({})).Items).toEqual([])
    expect(drops).toBe(1)
    expect(await catalog.dropped.list()).toEqual([{ entityId: 1, ingestIds: [1, 2, 3], isRemoved: false }])
  })

  test('tells the store of it also where what was changed cannot be read', async () => {
    await ingests.create({ alias: 'a', kind: 'series' })
    unread = true
    await expect(ingests.delete('a', 'drop')).rejects.toThrow('away')
    expect(drops).toBe(1)
  })
})

describe('retention', () => {
  const day = (text: string): number => Date.parse(`${text}Z`)
  const since = async (): Promise<number | null> => (await catalog.ingests.entities())[0]!.sinceMs
  beforeEach(async () => {
    await ingests.create({ alias: 'e', kind: 'series' })
    currentMs = day('2026-03-31T00:00')
  })

  test.each([
    ['P90D', '2025-12-31'],
    ['P1M', '2026-02-28'],
    ['P1Y2M', '2025-01-31'],
    ['PT1S', '2026-03-30'],
    ['P0D', '2026-03-31'],
    ['P9999Y', null],
  ])('of %s leaves the days before %s', async (retention, expected) => {
    expect(await entities.change('e', { retention })).toMatchObject({ entity: 'e', retention })
    expect(await since()).toBe(expected === null ? null : day(`${expected}T00:00`))
    expect(purged).toEqual([])
  })

  test('goes on by whole days, whatever the clock does', async () => {
    await entities.change('e', { retention: 'P1D' })
    for (const [time, expected] of [
      ['2026-03-31T23:59:59.999', '2026-03-30'],
      ['2026-04-01T00:00', '2026-03-31'],
      ['2026-04-02T12:00', '2026-04-01'],
    ] as const) {
      currentMs = day(time)
      await retentions.check()
      expect(await since()).toBe(day(`${expected}T00:00`))
    }
    expect(purged).toEqual([])
  })

  test('that is longer than before, or none, shows nothing again: what had left is purged first', async () => {
    await entities.change('e', { retention: 'P1D' })
    await entities.change('e', { retention: 'P9D' })
    expect([await since(), purged]).toEqual([day('2026-03-22T00:00'), [1]])
    await entities.change('e', { retention: null })
    expect([await since(), purged]).toEqual([null, [1, 1]])
    const before = changes
    await retentions.check()
    expect(changes).toBe(before)
  })

  test('of one entity is changed while another one is purged', async () => {
    await ingests.create({ alias: 'f', kind: 'series' })
    await entities.change('e', { retention: 'P1D' })
    let purge = (): void => {}
    purging = new Promise((resolve) => {
      purge = resolve
    })
    const lifted = entities.change('e', { retention: null })
    currentMs += 24 * 3_600_000
    expect(await entities.change('f', { retention: 'P1D' })).toMatchObject({ retention: 'P1D' })
    expect(purged).toEqual([])
    purge()
    await lifted
    expect([await since(), purged]).toEqual([null, [1]])
  })

  test('is purged by the next check where that did not come to its end', async () => {
    const known = { retention: null, sinceMs: null }
    await catalog.ingests.retain(1, { retention: 'P9D', sinceMs: day('2026-03-30T00:00') }, known)
    await retentions.check()
    expect([await since(), purged]).toEqual([day('2026-03-22T00:00'), [1]])
  })

  describe('of two processes', () => {
    const purges: [number, number][] = []
    /** What the other process does while this one purges. */
    let meanwhile: () => Promise<unknown>
    let one: Retentions
    beforeEach(() => {
      purges.length = 0
      meanwhile = async () => undefined
      const purge = async (entityId: number, beforeMs: number): Promise<void> => {
        purges.push([entityId, beforeMs])
        const act = meanwhile
        meanwhile = async () => undefined
        await act()
      }
      const store = { changed: () => {}, purge }
      const changed = async (): Promise<void> => undefined
      one = new Retentions({ ingests: catalog.ingests, store, changed, nowMs: () => currentMs, reach: () => {} })
    })

    test('an older value never takes the place of a newer one, however long the purge took', async () => {
      await one.set('e', 'P1D')
      meanwhile = () => entities.change('e', { retention: 'P0D' })
      await one.set('e', 'P90D')
      expect((await catalog.ingests.entities())[0]!.retention).toBe('P0D')
      expect([await since(), purges]).toEqual([day('2026-03-31T00:00'), [[1, day('2026-03-30T00:00')]]])
    })

    test('what left while another purge ran is purged too, before anything older is shown', async () => {
      await one.set('e', 'P1D')
      meanwhile = async () => {
        await entities.change('e', { retention: 'P0D' })
        // It has another one again when the first purge is done, and has not come to its own purge.
        const known = (await catalog.ingests.entities())[0]!
        await catalog.ingests.retain(1, { retention: 'P9D', sinceMs: known.sinceMs }, known)
      }
      await one.set('e', null)
      expect(purges).toEqual([
        [1, day('2026-03-30T00:00')],
        [1, day('2026-03-31T00:00')],
      ])
      expect(await since()).toBe(day('2026-03-22T00:00'))
    })

    test('of differing clocks agree at midnight: what left by one clock is not taken back by another', async () => {
      const store = { changed: () => {}, purge: async (entityId: number) => void purged.push(entityId) }
      const changed = async (): Promise<void> => undefined
      const slow = new Retentions({
        ...{ ingests: catalog.ingests, store, changed, reach: () => {} },
        nowMs: () => currentMs - 1_800_000,
      })
      await one.set('e', 'P1D')
      for (const time of ['00:00', '00:10', '00:29:59', '00:30', '00:31', '23:59']) {
        currentMs = day(`2026-04-01T${time}`)
        for (const each of [one, slow, one, slow]) await each.check()
        expect(await since()).toBe(day('2026-03-31T00:00'))
      }
      expect([purges, purged]).toEqual([[], []])
      // Who is asked for a longer one gives it at once, also right before midnight.
      await one.set('e', 'P2D')
      expect([await since(), purges]).toEqual([day('2026-03-30T00:00'), [[1, day('2026-03-31T00:00')]]])
    })

    test('one that was dropped meanwhile is none any more', async () => {
      await one.set('e', 'P1D')
      meanwhile = () => ingests.delete('e', 'drop')
      expect(await one.set('e', null)).toBe(true)
      expect(await catalog.ingests.entities()).toEqual([])
      expect(await one.set('e', null)).toBe(false)
    })
  })

  test.each(['', '90', 'P', 'P1.5D', '-P1D', 'p1d'])('%j is refused', async (retention) => {
    await expect(entities.change('e', { retention })).rejects.toEqual(refusal('invalid_request', 'retention'))
  })

  test('of an entity that there is not is refused', async () => {
    await expect(entities.change('x', { retention: null })).rejects.toEqual(refusal('not_found'))
    await expect(entities.change('x', {})).rejects.toEqual(refusal('not_found'))
  })
})

test('replay takes ids, or all rows', async () => {
  await ingests.create({ alias: 'a', kind: 'series' })
  const { signal } = new AbortController()
  expect(await rejected.replay('a', {}, signal)).toMatchObject({ replayed: 100 })
  expect(await rejected.replay('a', { ids: ['3', '5'] }, signal)).toMatchObject({ replayed: 2 })
  await expect(rejected.replay('a', { ids: ['3', '-5'] }, signal)).rejects.toEqual(refusal('invalid_request', 'ids[1]'))
  await expect(rejected.replay('b', {}, signal)).rejects.toEqual(refusal('ingest_not_found'))
})

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
    await expect(rows.list({ ingestId: 1, subscriberId: null }, { limit })).rejects.toEqual(
      refusal('invalid_request', 'limit'),
    )
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
    const pushed = [row(5), row(6, { code: 'wrong_type' }), row(20, { batchPosition: 20, index: 0 })]
    await catalog.outcomes.add({ rejected: [...pushed, row(30, { ingestId: 2 })], items: [] }, 40)
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

  test('are filtered by their field, and by who pushed them', async () => {
    await catalog.outcomes.add(
      { rejected: [row(7, { field: 'V' }), row(31, { field: 'V', subscriberId: 8 })], items: [] },
      40,
    )
    const ids = async (request: Parameters<typeof rejected.list>[1], subscriberId: number | null) =>
      (await rows.list({ ingestId: 1, subscriberId }, request)).Items.map(({ id }) => id)
    expect((await rejected.list('a', { field: 'V' })).Items.map(({ id }) => id)).toEqual(['7', '31'])
    expect(await ids({ field: 'V' }, 7)).toEqual(['7'])
    expect(await ids({}, 8)).toEqual(['31'])
    expect(await ids({ batch }, 7)).toEqual(['5', '6', '7'])
    await expect(ids({ batch }, 8)).rejects.toEqual(refusal('invalid_request', 'batch'))
    const { NextToken } = await rows.list({ ingestId: 1, subscriberId: 7 }, { limit: 1 })
    for (const subscriberId of [8, null]) {
      await expect(ids({ token: NextToken ?? '' }, subscriberId)).rejects.toEqual(refusal('invalid_token'))
    }
    expect(await rows.discard({ ingestId: 1, subscriberId: 8 }, { ids: ['5', '31'] })).toEqual({ discarded: 1 })
    expect(await rows.discard({ ingestId: 1, subscriberId: 8 }, {})).toEqual({ discarded: 0 })
    expect(await rows.discard({ ingestId: 1, subscriberId: 7 }, {})).toEqual({ discarded: 4 })
  })

  test('are summed up by code and field', async () => {
    const missing = { code: 'missing_tag', field: null, count: 2, first: now, last: now, example: '5' }
    const wrong = { ...missing, code: 'wrong_type', count: 1, example: '6' }
    expect(await rejected.summary('a')).toEqual([missing, wrong])
    expect(await rows.summary({ ingestId: 1, subscriberId: 8 })).toEqual([])
    await expect(rejected.summary('c')).rejects.toEqual(refusal('ingest_not_found'))
  })

  test('are found by their batches, newest first, page by page', async () => {
    const first = { batch, received: now, rows: 9, stored: 7, rejected: 2, pending: 0 }
    const second = { ...first, batch: batch.replace('"position":4', '"position":20') }
    expect(await pages((page) => rejected.batches('a', page), 1)).toEqual([[second], [first]])
    expect((await rows.batches({ ingestId: 1, subscriberId: 8 }, {})).Items).toEqual([])
    await expect(rejected.batches('a', { limit: 1001 })).rejects.toEqual(refusal('invalid_request', 'limit'))
    const token = (await rejected.batches('a', { limit: 1 })).NextToken ?? ''
    await expect(rejected.batches('b', { token })).rejects.toEqual(refusal('invalid_token'))
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
