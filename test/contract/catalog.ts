import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Key, NewIngest, OpenIngest, SharedCatalog } from '../../src/catalog/catalog.ts'
import { keptTextBytes, type RejectedRow } from '../../src/catalog/rejected.ts'
import { positionAt } from '../../src/journal/partition-position.ts'
import { defaultSeriesFields, type Field } from '../../src/model/field.ts'
import { auditTests } from './audit.ts'
import { hookTests } from './hooks.ts'
import { itemTests } from './items.ts'
import { lifecycleTests } from './lifecycle.ts'
import { rejectedKindTests } from './rejected-kinds.ts'
import { replayIntoTests } from './replays-into.ts'
import { viewTests } from './views.ts'

/** The suite's adapter: an empty database that can be connected to several times; a statement can make it newer than the program. */
export interface CatalogUnderTest<Under extends SharedCatalog> {
  open(): Promise<Under>
  /** Runs a statement in the database, bypassing the catalog. */
  run(sql: string): Promise<void>
  remove(): Promise<void>
}

const [D, T, V] = defaultSeriesFields as [Field, Field, Field]
const field = (name: string, type: Field['type'], role: Field['role']): Field => ({ name, source: name, type, role })

function series(alias: string, change: Partial<NewIngest> = {}): NewIngest {
  return {
    alias,
    kind: 'series',
    entity: alias,
    fields: defaultSeriesFields,
    duplicates: 'keep',
    createdMs: 1000,
    ...change,
  }
}

function metadata(alias: string): NewIngest {
  const fields = [field('id', 'string', 'index'), field('tree', 'json', 'attribute')]
  return series(alias, { kind: 'metadata', entity: null, fields })
}

function rejected(position: number, change: Partial<RejectedRow> = {}): RejectedRow {
  return {
    ingestId: 1,
    position,
    batchPosition: 0,
    batchRows: 100,
    subscriberId: 7,
    index: position,
    row: `{"D":${position}}`,
    field: 'T',
    code: 'missing_tag',
    message: 'T is missing',
    receivedMs: 1000,
    ...change,
  }
}

function key(id: string, subscriberId: number, change: Partial<Key> = {}): Key {
  return { id, subscriberId, hash: `hash of ${id}`, rights: ['ingest'], createdMs: 5, expiresMs: null, ...change }
}

function keepRejected(
  catalog: SharedCatalog,
  rejected: readonly RejectedRow[],
  throughPosition: number,
): Promise<void> {
  return catalog.outcomes.add({ rejected, items: [] }, throughPosition)
}

const everything = { afterPosition: -1, limit: 1000, bytesMax: 1_000_000 }

/** Tests for every catalog, whatever it is stored in; `more` adds tests that only some need. */
export function catalogContract<Under extends SharedCatalog>(
  name: string,
  make: () => Promise<CatalogUnderTest<Under>>,
  more: (catalog: () => Under, reopen: () => Promise<void>) => void,
): void {
  describe(`${name} as a catalog`, () => {
    let under: CatalogUnderTest<Under>
    let catalog: Under
    beforeEach(async () => {
      under = await make()
      catalog = await under.open()
    })
    afterEach(async () => {
      await catalog.close()
      await under.remove()
    })

    const reopen = async (): Promise<void> => {
      await catalog.close()
      catalog = await under.open()
    }

    ingestTests(() => catalog)
    entityTests(() => catalog)
    accessTests(() => catalog)
    rejectedTests(() => catalog)
    rejectedKindTests(() => catalog)
    itemTests(() => catalog)
    lifecycleTests(() => catalog)
    auditTests(() => catalog, series)
    hookTests(() => catalog)
    viewTests(() => catalog)
    replayIntoTests(() => catalog)
    more(() => catalog, reopen)

    test.each<[string, (change: Under) => Promise<unknown>]>([
      ['discarding rejected rows', ({ rejected: rows }) => rows.discard(1, null)],
      ['removing a dropped entity', ({ dropped }) => dropped.remove(1, new AbortController().signal)],
    ])('while %s takes long, another connection can write', async (_, change) => {
      const { id } = await catalog.ingests.create(series('a'))
      expect(id).toBe(1)
      const rows = Array.from({ length: 3000 }, (_, index) => rejected(index))
      await keepRejected(catalog, rows, 3000)
      await catalog.ingests.delete('a', 'drop', 2000)
      const other = await under.open()
      try {
        const ended: string[] = []
        const changed = change(catalog).then(() => ended.push('long'))
        while ((await other.rejected.list(1, { ...everything, limit: 1 })).rows[0]?.position === 0)
          await new Promise((resolve) => setImmediate(resolve))
        await Promise.all([changed, other.access.createSubscriber('x', 5).then(() => ended.push('short'))])
        expect(ended).toEqual(['short', 'long'])
      } finally {
        await other.close()
      }
    })

    test('keeps everything across a restart', async () => {
      await catalog.ingests.create(series('a'))
      const subscriber = await catalog.access.createSubscriber('x', 5)
      await catalog.access.putKey(key('k', subscriber.id))
      await keepRejected(catalog, [rejected(3)], 10)
      const secret = await catalog.secrets.secret('tokens')
      const before = await contents(catalog)
      await reopen()
      expect(await contents(catalog)).toEqual(before)
      expect(await catalog.secrets.secret('tokens')).toEqual(secret)
    })

    test('creates each secret once, whichever connection requests it first', async () => {
      const other = await under.open()
      const secrets = await Promise.all([catalog.secrets.secret('a'), other.secrets.secret('a')])
      expect(secrets[0]).toEqual(secrets[1])
      expect(secrets[0]).toHaveLength(32)
      expect(await other.secrets.secret('b')).not.toEqual(secrets[0])
      await other.close()
    })

    test("two connections see each other's writes, and lose no change", async () => {
      const other = await under.open()
      await catalog.ingests.create(series('shared'))
      const both = [catalog, other]
      const aliases = Array.from({ length: 40 }, (_, index) => `i${String(index).padStart(2, '0')}`)
      await Promise.all(aliases.map((alias, index) => both[index % 2]!.ingests.create(series(alias))))
      await Promise.all(aliases.map((_, index) => keepRejected(both[index % 2]!, [rejected(index)], index + 1)))
      const ids = new Set<number>()
      for (const connection of both) {
        const ingests = await connection.ingests.list({ after: null, limit: 100 })
        expect(ingests.map(({ alias }) => alias)).toEqual([...aliases, 'shared'])
        for (const { id } of ingests) ids.add(id)
        expect(await connection.rejected.counts()).toEqual(new Map([[1, 40]]))
        expect(await connection.outcomes.validatedPosition()).toBe(40)
      }
      expect(ids.size).toBe(41)
      await other.close()
    })

    test('one of two concurrent creations of an alias succeeds', async () => {
      const other = await under.open()
      const outcomes = await Promise.allSettled([catalog, other].map(({ ingests }) => ingests.create(series('a'))))
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      await other.close()
    })

    test('refuses a database that is newer than the program', async () => {
      await under.run('update catalog_version set version = 9')
      await expect(under.open()).rejects.toThrow(/newer version of Tidemark: its tables have version 9/)
    })
  })
}

async function contents(catalog: SharedCatalog): Promise<unknown> {
  return {
    ingests: await catalog.ingests.list({ after: null, limit: 10 }),
    entities: await catalog.ingests.entities(),
    version: await catalog.ingests.version(),
    access: await catalog.access.state(),
    rejected: await catalog.rejected.list(1, everything),
    validated: await catalog.outcomes.validatedPosition(),
  }
}

function ingestTests(catalog: () => SharedCatalog): void {
  test('returns an ingest as it was created', async () => {
    const created = await catalog().ingests.create(series('a'))
    expect(created).toEqual({
      id: 1,
      alias: 'a',
      kind: 'series',
      entity: 'a',
      entityId: 1,
      fields: defaultSeriesFields,
      fieldsVersion: 1,
      duplicates: 'keep',
      state: 'active',
      reason: null,
      createdMs: 1000,
    })
    expect(await catalog().ingests.find('a')).toEqual(created)
    expect(await catalog().ingests.find('A')).toBeNull()
  })

  test('lists ingests by alias, page by page', async () => {
    for (const alias of ['b', 'a', '_', 'B', 'a.b']) await catalog().ingests.create(series(alias))
    const page = async (after: string | null): Promise<string[]> =>
      (await catalog().ingests.list({ after, limit: 2 })).map(({ alias }) => alias)
    expect(await page(null)).toEqual(['B', '_'])
    expect(await page('_')).toEqual(['a', 'a.b'])
    expect(await page('a.b')).toEqual(['b'])
    expect(await page('b')).toEqual([])
    expect((await catalog().ingests.list({ after: null, limit: 9 })).map(({ fields }) => fields.length)).toEqual([
      3, 3, 3, 3, 3,
    ])
  })

  test('stores sources character for character', async () => {
    const sources = ['a"b\\', ' \u0000 ', '\ud800', 'température 😀']
    const fields = [D, T, ...sources.map((source, index) => ({ ...V, name: `V${index}`, source }))]
    await catalog().ingests.create(series('a', { fields }))
    expect((await catalog().ingests.find('a'))?.fields).toEqual(fields)
  })

  test('blocks an ingest with a reason, which is cleared when the ingest becomes active', async () => {
    await catalog().ingests.create(series('a'))
    const { ingests } = catalog()
    const state = async (change: Parameters<typeof ingests.change>[1]) => {
      const changed = await ingests.change('a', change)
      return [changed?.state, changed?.reason]
    }
    expect(await state({ state: 'blocked', reason: 'repairs' })).toEqual(['blocked', 'repairs'])
    expect(await state({ state: 'blocked' })).toEqual(['blocked', 'repairs'])
    expect(await state({ reason: 'more repairs' })).toEqual(['blocked', 'more repairs'])
    expect(await state({ state: 'active' })).toEqual(['active', null])
    expect(await ingests.change('nobody', { state: 'active' })).toBeNull()
  })

  test('adds fields as a new version and keeps the old one', async () => {
    const { id } = await catalog().ingests.create(series('a'))
    const W = field('W', 'long', 'metric')
    const changed = await catalog().ingests.change('a', { addFields: [W] })
    expect(changed).toMatchObject({ fieldsVersion: 2, fields: [D, T, V, W] })
    expect(await catalog().ingests.findVersion(id, 1)).toMatchObject({ fieldsVersion: 1, fields: [D, T, V] })
    expect(await catalog().ingests.findVersion(id, 2)).toEqual(changed)
    expect(await catalog().ingests.findVersion(id, 3)).toBeNull()
    expect(await catalog().ingests.findVersion(id + 1, 1)).toBeNull()
  })

  test('a row adds all of its fields or none, and its first position in each partition is recorded', async () => {
    const { ingests } = catalog()
    const { id } = await ingests.create(series('a'))
    const [load, unit] = [field('load', 'double', 'metric'), field('unit', 'string', 'dimension')]
    const partition1 = positionAt(1, 7)
    const seen = (open: OpenIngest | null) => open?.since.map(({ version, places }) => [version, [...places]])
    const first = await ingests.addByRow(id, [load], 5, 5)
    expect(first?.ingest).toMatchObject({ fieldsVersion: 2, fields: [D, T, V, { ...load, added: 'by_row' }] })
    expect(first?.entity.map(({ name }) => name)).toEqual(['D', 'T', 'V', 'load'])
    expect(seen(first)?.at(-1)).toEqual([2, [[0, 5]]])
    const later = await ingests.addByRow(id, [load], 9, 5)
    expect([later?.ingest.fieldsVersion, seen(later)?.at(-1)]).toEqual([2, [2, [[0, 5]]]])
    for (const refused of [
      [unit, { ...load, type: 'string' as const }],
      [unit, field('T', 'string', 'dimension')],
      [unit, field('more', 'double', 'metric')],
    ])
      expect((await ingests.addByRow(id, refused, 10, 5))?.ingest.fields).toHaveLength(4)
    expect(seen(await ingests.addByRow(id, [load, unit], partition1, 5))?.slice(3)).toEqual([
      [
        2,
        [
          [0, 5],
          [1, partition1],
        ],
      ],
      [3, [[1, partition1]]],
    ])
    expect(await ingests.findOpen(id)).toMatchObject({ ingest: { fieldsVersion: 3 } })
    expect(await ingests.addByRow(id + 1, [load], 5, 5)).toBeNull()
  })

  test('the version of the ingests rises with every change', async () => {
    const { ingests } = catalog()
    const versions = [await ingests.version()]
    for (const change of [
      () => ingests.create(series('a')),
      () => ingests.change('a', { state: 'blocked' }),
      () => ingests.change('a', { addFields: [field('W', 'long', 'metric')] }),
    ]) {
      await change()
      versions.push(await ingests.version())
    }
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
  })
}

function entityTests(catalog: () => SharedCatalog): void {
  test('an entity has the fields of its ingests in the order in which they were defined', async () => {
    const { ingests } = catalog()
    const [W, X, Y] = ['W', 'X', 'Y'].map((name) => field(name, 'long', 'metric')) as [Field, Field, Field]
    await ingests.create(series('b', { entity: 'e' }))
    await ingests.create(series('a', { entity: 'e', fields: [Y, D, T] }))
    await ingests.change('b', { addFields: [X] })
    await ingests.change('a', { addFields: [X, W] })
    await ingests.create(metadata('m'))
    const entities = await ingests.entities()
    expect(entities).toHaveLength(1)
    expect(entities[0]).toMatchObject({ id: 1, name: 'e', duplicates: 'keep', ingests: ['a', 'b'] })
    expect(entities[0]!.fields.map(({ name }) => name)).toEqual(['D', 'T', 'V', 'Y', 'X', 'W'])
  })

  test('a metadata entity has the fields of its ingest, including added ones', async () => {
    const { ingests } = catalog()
    await ingests.create(series('s'))
    for (const alias of ['m', 'l']) await ingests.create(metadata(alias))
    await ingests.change('m', { addFields: [field('more', 'long', 'attribute')] })
    const entities = await ingests.metadataEntities()
    expect(entities.map(({ name, fields }) => [name, ...fields.map((each) => each.name)])).toEqual([
      ['l', 'id', 'tree'],
      ['m', 'id', 'tree', 'more'],
    ])
    expect(entities[0]!.fields).toEqual([
      { name: 'id', type: 'string', role: 'index' },
      { name: 'tree', type: 'json', role: 'attribute' },
    ])
  })

  test('stores the coding of a quality, and allows one quality per entity', async () => {
    const { ingests } = catalog()
    const quality: Field = { ...field('Q', 'long', 'quality'), coding: 'opcua' }
    await ingests.create(series('a', { fields: [D, T, V, quality] }))
    expect((await ingests.find('a'))?.fields.at(-1)).toEqual(quality)
    const [entity] = await ingests.entities()
    expect(entity?.fields.at(-1)).toEqual({ name: 'Q', type: 'long', role: 'quality', coding: 'opcua' })
    const refusedOf = (joining: Field) => ingests.create(series('b', { entity: 'a', fields: [D, T, V, joining] }))
    const { coding: _, ...plain } = quality
    await expect(refusedOf(plain)).rejects.toMatchObject({ errors: [{ path: 'fields[3].coding' }] })
    await expect(refusedOf({ ...quality, name: 'R' })).rejects.toMatchObject({ errors: [{ path: 'fields[3].role' }] })
    await refusedOf({ ...quality, source: 'q' })
  })

  test.each<[string, Partial<NewIngest>, string]>([
    ['type', { fields: [D, T, { ...V, type: 'long' }] }, 'fields[2].type'],
    ['role', { fields: [D, T, V, { ...field('S', 'string', 'dimension') }] }, 'fields[3].role'],
    ['time field', { fields: [{ ...D, name: 'time' }, T, V] }, 'fields[0].name'],
    ['duplicates', { duplicates: 'replace' }, 'duplicates'],
  ])('refuses an ingest that conflicts with its entity: %s', async (_, change, path) => {
    await catalog().ingests.create(series('a', { fields: [D, T, V, field('S', 'string', 'tag')] }))
    const version = await catalog().ingests.version()
    await expect(catalog().ingests.create(series('b', { entity: 'a', ...change }))).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ path }],
    })
    expect(await catalog().ingests.version()).toBe(version)
    expect(await catalog().ingests.find('b')).toBeNull()
  })

  test.each<[string, Field, string]>([
    ['a name that exists', { ...V, source: 'other' }, 'add_fields[0].name'],
    ['a source that exists', { ...V, name: 'other' }, 'add_fields[0].source'],
    ['a type that differs from the entity', field('W', 'double', 'metric'), 'add_fields[0].type'],
    ['a role that differs from the entity', field('W', 'long', 'dimension'), 'add_fields[0].role'],
  ])('refuses to add %s', async (_, added, path) => {
    await catalog().ingests.create(series('a'))
    await catalog().ingests.create(series('b', { entity: 'a', fields: [D, T, field('W', 'long', 'metric')] }))
    await expect(catalog().ingests.change('a', { addFields: [added] })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ path }],
    })
  })

  test.each<[string, NewIngest]>([
    ['an alias that is in use', series('s', { entity: 'new' })],
    ['the alias of a metadata ingest', series('m', { entity: 'new' })],
    ['a series entity with the name of a metadata ingest', series('new', { entity: 'm' })],
    ['a metadata ingest with the name of a series entity', metadata('e')],
  ])('refuses %s', async (_, ingest) => {
    await catalog().ingests.create(series('s', { entity: 'e' }))
    await catalog().ingests.create(metadata('m'))
    await expect(catalog().ingests.create(ingest)).rejects.toMatchObject({ code: 'conflict' })
  })
}

function accessTests(catalog: () => SharedCatalog): void {
  test('returns subscribers, keys and subscriptions as stored', async () => {
    const { access } = catalog()
    const x = await access.createSubscriber('x', 5)
    const keys = [key('k1', x.id, { rights: ['ingest', 'consume', 'admin'] }), key('k2', x.id, { expiresMs: 9 })]
    for (const each of keys) await access.putKey(each)
    const subscriptions = [
      { ingest: '*', entity: null, fromMs: null, untilMs: 10, suspended: true },
      { ingest: null, entity: 'e', fromMs: -3, untilMs: null, suspended: false },
    ]
    await access.putSubscriptions(x.id, [subscriptions[1]!])
    await access.putSubscriptions(x.id, subscriptions)
    const state = await access.state()
    expect(state).toMatchObject({ subscribers: [x], keys })
    expect(state.subscriptions).toEqual(new Map([[x.id, subscriptions]]))
  })

  test('finds a subscriber by its name or by a key, with only its own keys and subscriptions', async () => {
    const { access } = catalog()
    const [x, y] = [await access.createSubscriber('x', 5), await access.createSubscriber('y', 6)]
    const keys = [key('k1', x.id), key('k2', x.id)]
    for (const each of [...keys, key('k3', y.id)]) await access.putKey(each)
    const subscription = { ingest: 'a', entity: null, fromMs: null, untilMs: null, suspended: false }
    await access.putSubscriptions(x.id, [subscription])
    await access.putSubscriptions(y.id, [{ ...subscription, ingest: 'b' }])
    const found = { subscriber: x, keys, subscriptions: [subscription] }
    expect(await access.find({ name: 'x' })).toEqual(found)
    expect(await access.find({ keyId: 'k2' })).toEqual(found)
    expect(await access.find({ keyId: 'k3' })).toMatchObject({ subscriber: y, keys: [{ id: 'k3' }] })
    expect([await access.find({ name: 'k1' }), await access.find({ keyId: 'x' })]).toEqual([null, null])
  })

  test('orders names by code point', async () => {
    // UTF-16 order would put the emoji before U+FF5E.
    const names = ['A', 'a', 'é', '～', '😀']
    for (const each of names.toReversed()) await catalog().access.createSubscriber(each, 5)
    expect((await catalog().access.state()).subscribers.map(({ name }) => name)).toEqual(names)
  })

  test('deletes a subscriber with its keys and subscriptions, and never reuses its id', async () => {
    const { access } = catalog()
    const x = await access.createSubscriber('x', 5)
    await access.putKey(key('k', x.id))
    await access.putSubscriptions(x.id, [{ ingest: 'a', entity: null, fromMs: null, untilMs: null, suspended: false }])
    expect(await access.deleteSubscriber('x')).toBe(true)
    expect(await access.deleteSubscriber('x')).toBe(false)
    expect(await access.state()).toMatchObject({ subscribers: [], keys: [], subscriptions: new Map() })
    expect((await access.createSubscriber('x', 6)).id).not.toBe(x.id)
    await expect(access.putKey(key('k', x.id))).rejects.toMatchObject({ code: 'not_found' })
    await expect(access.putSubscriptions(x.id, [])).rejects.toMatchObject({ code: 'not_found' })
  })

  test('refuses a name or a key hash that is in use', async () => {
    const { access } = catalog()
    const x = await access.createSubscriber('x', 5)
    await expect(access.createSubscriber('x', 5)).rejects.toMatchObject({ code: 'conflict' })
    await access.putKey(key('k1', x.id))
    await expect(access.putKey(key('k2', x.id, { hash: 'hash of k1' }))).rejects.toMatchObject({ code: 'conflict' })
  })

  test('replaces and deletes keys, and its version rises', async () => {
    const { access } = catalog()
    const x = await access.createSubscriber('x', 5)
    await access.putKey(key('k', x.id))
    const before = await access.state()
    await access.putKey(key('k', x.id, { hash: 'another' }))
    const after = await access.state()
    expect(after.keys.map(({ hash }) => hash)).toEqual(['another'])
    expect(after.version).toBeGreaterThan(before.version)
    expect(await access.deleteKey('k')).toBe(true)
    expect(await access.deleteKey('k')).toBe(false)
    expect((await access.state()).keys).toEqual([])
  })
}

function rejectedTests(catalog: () => SharedCatalog): void {
  test('stores rejected rows as they were pushed', async () => {
    const row = rejected(Number.MAX_SAFE_INTEGER - 1, {
      row: '{ "D" : "\\u0000\\ud800", "é😀": 1e999 }',
      field: 'a\u0000\ud800"',
      message: 'no \u0000 and no \udfff',
    })
    await keepRejected(catalog(), [row, rejected(3, { field: null })], Number.MAX_SAFE_INTEGER)
    expect(await catalog().rejected.list(1, everything)).toEqual({
      rows: [rejected(3, { field: null }), row],
      after: null,
    })
  })

  test('validating rejected rows again changes nothing', async () => {
    const { rejected: repository } = catalog()
    const rows = Array.from({ length: 300 }, (_, index) => rejected(index))
    await keepRejected(catalog(), rows.slice(0, 200), 200)
    await keepRejected(
      catalog(),
      rows.map((row) => ({ ...row, message: 'another' })),
      300,
    )
    await keepRejected(catalog(), rows.slice(0, 7), 7)
    expect(await repository.counts()).toEqual(new Map([[1, 300]]))
    expect(await catalog().outcomes.validatedPosition()).toBe(300)
    const { rows: kept } = await repository.list(1, everything)
    expect(kept.map(({ position }) => position)).toEqual(rows.map(({ position }) => position))
    expect(kept[199]!.message).toBe('T is missing')
    expect(kept[200]!.message).toBe('another')
  })

  test('records the validated position also if nothing was rejected', async () => {
    expect(await catalog().outcomes.validatedPosition()).toBe(0)
    await keepRejected(catalog(), [], 12)
    expect(await catalog().outcomes.validatedPosition()).toBe(12)
    expect(await catalog().rejected.counts()).toEqual(new Map())
  })

  test('lists rejected rows by ingest, batch and code, page by page', async () => {
    const { rejected: repository } = catalog()
    const rows = [
      rejected(1),
      rejected(2, { code: 'wrong_type' }),
      rejected(3, { batchPosition: 3, index: 0 }),
      rejected(4, { ingestId: 2 }),
      rejected(5, { batchPosition: 3, index: 2, code: 'wrong_type' }),
    ]
    await keepRejected(catalog(), rows, 6)
    const positions = async (filter: Partial<Parameters<typeof repository.list>[1]>, ingestId = 1) => {
      const page = await repository.list(ingestId, { ...everything, ...filter })
      return [page.rows.map(({ position }) => position), page.after]
    }
    expect(await positions({})).toEqual([[1, 2, 3, 5], null])
    expect(await positions({}, 2)).toEqual([[4], null])
    expect(await positions({}, 3)).toEqual([[], null])
    expect(await positions({ limit: 2 })).toEqual([[1, 2], 2])
    expect(await positions({ limit: 2, afterPosition: 2 })).toEqual([[3, 5], null])
    expect(await positions({ batchPosition: 3 })).toEqual([[3, 5], null])
    expect(await positions({ code: 'wrong_type' })).toEqual([[2, 5], null])
    expect(await positions({ code: 'wrong_type', batchPosition: 3 })).toEqual([[5], null])
    expect(await positions({ bytesMax: 1 })).toEqual([[1], 1])
    expect(await positions({ bytesMax: keptTextBytes(rows[0]!) * 3 })).toEqual([[1, 2, 3], 3])
    expect(await repository.counts()).toEqual(
      new Map([
        [1, 4],
        [2, 1],
      ]),
    )
  })

  test('discards some or all rejected rows for good, and frees their bytes', async () => {
    const { rejected: repository } = catalog()
    const rows = Array.from({ length: 1200 }, (_, index) => rejected(index, { row: 'x'.repeat(1000) }))
    await keepRejected(catalog(), [...rows, rejected(5000, { ingestId: 2 })], 5001)
    const before = (await repository.keptBytes()).get(1)!
    expect(before).toBeGreaterThanOrEqual(1_200_000)
    expect(await repository.discard(1, [3, 4, 4, 9999])).toBe(2)
    expect(await repository.discard(1, [3])).toBe(0)
    expect((await repository.keptBytes()).get(1)).toBe((before / 1200) * 1198)
    expect((await repository.list(1, { ...everything, limit: 4 })).rows.map(({ position }) => position)).toEqual([
      0, 1, 2, 5,
    ])
    expect(await repository.discard(1, null)).toBe(1198)
    expect((await repository.keptBytes()).get(1)).toBe(0)
    expect(await repository.list(1, everything)).toEqual({ rows: [], after: null })
    expect((await repository.list(2, everything)).rows).toHaveLength(1)
    await keepRejected(catalog(), [...rows, rejected(1500)], 5001)
    expect((await repository.list(1, everything)).rows).toEqual([rejected(1500)])
    expect((await repository.keptBytes()).get(1)).toBeLessThan(300)
    expect((await repository.counts()).get(1)).toBe(1201)
    expect(await repository.ofBatch(1, 0, 1)).toMatchObject({ count: 1201, first: [{ ...rejected(0), row: '' }] })
  })

  test('returns the first rejected rows of a batch and their number', async () => {
    const rows = [5, 9, 7].map((position) => rejected(position, { batchPosition: 4, index: position - 4 }))
    await keepRejected(catalog(), [...rows, rejected(20, { batchPosition: 20 })], 30)
    expect(await catalog().rejected.ofBatch(1, 4, 2)).toEqual({ count: 3, first: [rows[0], rows[2]], replaced: 0 })
    expect(await catalog().rejected.ofBatch(1, 5, 2)).toEqual({ count: 0, first: [], replaced: 0 })
    expect(await catalog().rejected.ofBatch(2, 4, 2)).toEqual({ count: 0, first: [], replaced: 0 })
  })

  test('keeps the largest number of replaced rows that was reported for a batch', async () => {
    const report = (batchPosition: number, ...counts: readonly number[]) =>
      catalog().outcomes.add(
        {
          rejected: [],
          items: [],
          replaced: counts.map((rows, at) => ({ ingestId: 1, batchPosition: batchPosition + at, rows })),
        },
        10,
      )
    const reported = async (): Promise<number[]> =>
      Promise.all([4, 5, 6, 7].map(async (position) => (await catalog().rejected.ofBatch(1, position, 0)).replaced))
    await report(4, 2, 3, 1)
    expect(await reported()).toEqual([2, 3, 1, 0])
    // Validation of the first continued, and the second is validated again from its start.
    await report(4, 5, 1)
    expect(await reported()).toEqual([5, 3, 1, 0])
    await keepRejected(catalog(), [rejected(9, { batchPosition: 4 })], 11)
    expect(await catalog().rejected.ofBatch(1, 4, 1)).toMatchObject({ count: 1, replaced: 5 })
    expect(await catalog().rejected.ofBatch(2, 4, 1)).toMatchObject({ replaced: 0 })
  })
}
