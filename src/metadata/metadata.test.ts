import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Identifier,
  type ItemTable,
  itemFields,
  itemKinds,
  listsAsAnArrayWould,
  type NewItem,
} from '../../test/support/random-items.ts'
import { rounds } from '../../test/support/rounds.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { Definitions } from '../catalog/definitions.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import type { Field, FieldType } from '../model/field.ts'
import { attributeLine } from '../model/item.ts'
import { allKeys, keyOfDouble, keyOfLong, keyOfString } from '../model/item-key.ts'
import { NextTokens } from '../model/next-token.ts'
import { ItemAdmin } from './item-admin.ts'
import { Metadata, type MetadataAnswer } from './metadata.ts'

const secret = new Uint8Array(32).fill(1)
const everything = () => true
const unhurried = new AbortController().signal

let directory: string
let catalog: Catalog
let metadata: Metadata
let position: number

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-metadata-'))
  catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') })
  for (const type of ['string', 'long', 'double', 'timestamp'] as const) {
    await catalog.ingests.create({
      alias: type,
      kind: 'metadata',
      entity: null,
      fields: itemFields(type),
      duplicates: 'keep',
      createdMs: 0,
    })
  }
  metadata = await metadataOf({})
  position = 0
})

afterEach(async () => {
  await catalog.close()
  await rm(directory, { recursive: true })
})

async function metadataOf(limits: { pageBytes?: number; resultBytes?: number }, tokens = new NextTokens(secret)) {
  return new Metadata({
    definitions: await Definitions.open(catalog.ingests),
    items: catalog.items,
    tokens,
    limits: { pageBytes: 1_000_000, resultBytes: 1_000_000, ...limits },
  })
}

const entityIds: Readonly<Record<string, number>> = { string: 1, long: 2, double: 3, timestamp: 4 }

function keyOf(type: FieldType, id: Identifier): Uint8Array {
  if (typeof id === 'string') return keyOfString(id)
  return type === 'double' ? keyOfDouble(Number(id)) : keyOfLong(BigInt(id))
}

/** Pushes items as the pipeline would. */
async function pushItems(type: FieldType, pushed: readonly NewItem<Identifier>[]): Promise<void> {
  const items = pushed.map(({ id, n }) => ({
    entityId: entityIds[type]!,
    key: keyOf(type, id),
    position: position++,
    attributes: attributeLine('n', String(n)),
  }))
  await catalog.outcomes.add({ rejected: [], items }, position)
}

function push(type: FieldType, ids: readonly Identifier[], n = 1): Promise<void> {
  return pushItems(
    type,
    ids.map((id) => ({ id, n })),
  )
}

/** Deletes all items of a table. */
async function clear(type: FieldType): Promise<void> {
  const entityId = entityIds[type]!
  const { items } = await catalog.items.list(entityId, allKeys, { itemsMax: 10_000, bytesMax: 1e9 })
  for (const { key } of items) await catalog.items.delete(entityId, key, position)
}

interface Page {
  readonly Items: readonly { readonly id: string | number; readonly n: number }[]
  readonly NextToken: string | null
}

function textOf(answer: MetadataAnswer): string {
  const text = Buffer.concat(answer.chunks).toString()
  expect(answer.bytes).toBe(Buffer.byteLength(text))
  return text
}

async function page(table: string, query: string, of = metadata): Promise<Page> {
  return JSON.parse(textOf(await of.list(table, query, everything, unhurried)))
}

const idsOf = ({ Items }: Page) => Items.map(({ id }) => id)

/** A table of the catalog, emptied. */
async function tableOf<Id extends Identifier>(type: FieldType): Promise<ItemTable<Id>> {
  await clear(type)
  return {
    push: (items) => pushItems(type, items),
    delete: async (id) => void (await catalog.items.delete(entityIds[type]!, keyOf(type, id), position)),
    list: async (query) => textOf(await metadata.list(type, query, everything, unhurried)),
    find: async (itemsId) => textOf(await metadata.find(type, { itemsId: [...itemsId] }, everything, unhurried)),
    count: async () => (await metadata.describe({ entities: [type] }, everything))[0]!.items,
  }
}

describe('lists the items of a sorted array for any filter and page size, with pushes and deletions between pages', () => {
  const runs = { numRuns: rounds(40) }
  test('strings', () =>
    fc.assert(
      listsAsAnArrayWould(itemKinds.string, () => tableOf('string')),
      runs,
    ))
  test('longs', () =>
    fc.assert(
      listsAsAnArrayWould(itemKinds.long, () => tableOf('long')),
      runs,
    ))
  test('doubles', () =>
    fc.assert(
      listsAsAnArrayWould(itemKinds.double, () => tableOf('double')),
      runs,
    ))
  test('timestamps', () =>
    fc.assert(
      listsAsAnArrayWould(itemKinds.timestamp, () => tableOf('timestamp')),
      runs,
    ))
})

describe('pages', () => {
  const names = Array.from({ length: 1200 }, (_, index) => `i${String(index).padStart(4, '0')}`)

  test('have 1,000 items by default and at most 10,000, and the last page has no token', async () => {
    await push('string', names)
    const first = await page('string', '')
    expect(idsOf(first)).toEqual(names.slice(0, 1000))
    const second = await page('string', `NextToken=${first.NextToken}&limit=10000`)
    expect(idsOf(second)).toEqual(names.slice(1000))
    expect(second.NextToken).toBeNull()
    expect((await page('string', 'limit=1200')).NextToken).toBeNull()
    expect((await page('string', 'limit=1199')).NextToken).not.toBeNull()
    expect(await page('long', '')).toEqual({ Items: [], NextToken: null })
  })

  test('end early at the byte limit without skipping items; an item over the limit is a page alone', async () => {
    await push('string', names.slice(0, 9))
    const small = await metadataOf({ pageBytes: 50 })
    const seen: unknown[] = []
    let token = ''
    for (let pages = 0; ; pages++) {
      const answer = await page('string', token, small)
      expect(answer.Items.length).toBeLessThanOrEqual(2)
      seen.push(...idsOf(answer))
      if (answer.NextToken === null) break
      token = `NextToken=${answer.NextToken}`
      expect(pages).toBeLessThan(20)
    }
    expect(seen).toEqual(names.slice(0, 9))
    const tiny = await metadataOf({ pageBytes: 1 })
    expect(idsOf(await page('string', '', tiny))).toEqual(['i0000'])
  })

  test('show the newest version of an item pushed between two pages', async () => {
    await push('string', ['a', 'b'])
    const { NextToken } = await page('string', 'limit=1')
    await push('string', ['a', 'b'], 2)
    expect((await page('string', `NextToken=${NextToken}`)).Items).toEqual([{ id: 'b', n: 2 }])
  })

  test('show null for a field that was added after the item', async () => {
    await push('string', ['a'])
    const more: Field = { name: 'more', source: 'more', type: 'json', role: 'attribute' }
    await catalog.ingests.change('string', { addFields: [more] })
    metadata = await metadataOf({})
    expect((await page('string', '')).Items).toEqual([{ id: 'a', n: 1, more: null }])
  })

  test('are not read for an aborted request', async () => {
    await push('string', names)
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(metadata.list('string', '', everything, gone)).rejects.toThrow('gone')
  })
})

describe('NextToken', () => {
  const refused = expect.objectContaining({ code: 'invalid_token' })
  let token: string
  beforeEach(async () => {
    await push('string', ['a', 'b', 'c', 'd', "e'; DROP TABLE items; --"])
    await push('long', [1, 2, 3])
    token = (await page('string', 'id[gte]=b&limit=1')).NextToken!
  })

  test('accepts another limit and another spelling of the filter, also after a restart', async () => {
    const restarted = await metadataOf({}, new NextTokens(secret))
    const answer = await page('string', `limit=2&NextToken=${token}&id%5Bgte%5D=b`, restarted)
    expect(idsOf(answer)).toEqual(['c', 'd'])
  })

  test('continues the list when the item that it was made from is deleted', async () => {
    await catalog.items.delete(1, keyOfString('b'), position)
    expect(idsOf(await page('string', `id[gte]=b&limit=1&NextToken=${token}`))).toEqual(['c'])
  })

  test.each<[string, () => string]>([
    ['truncated', () => token.slice(0, -1)],
    ['extended', () => `${token}A`],
    ['forged', () => `${token.slice(0, -2)}${token.endsWith('A') ? 'B' : 'A'}${token.slice(-1)}`],
    ['empty', () => ''],
    ['malformed', () => '!!!'],
    ['with padding', () => `${token}=`],
  ])('is refused when it is %s', async (_, make) => {
    await expect(page('string', `id[gte]=b&NextToken=${encodeURIComponent(make())}`)).rejects.toEqual(refused)
  })

  test.each([
    ['string', ''],
    ['string', 'id[gt]=b'],
    ['string', 'id[gte]=c'],
    ['string', 'id[gte]=b&id[lt]=z'],
    ['long', ''],
  ])('is refused for another query: %s?%s', async (table, query) => {
    await expect(page(table, `${query}&NextToken=${token}`)).rejects.toEqual(refused)
  })

  test('is refused when it comes from another service', async () => {
    const other = await metadataOf({}, new NextTokens(new Uint8Array(32).fill(2)))
    await expect(page('string', `id[gte]=b&NextToken=${token}`, other)).rejects.toEqual(refused)
  })
})

describe('items by identifier', () => {
  const find = async (table: string, itemsId: readonly string[], of = metadata): Promise<unknown> =>
    JSON.parse(textOf(await of.find(table, { itemsId: [...itemsId] }, everything, unhurried)))

  test('are returned in the requested order, once each, without missing ones', async () => {
    await push('string', ['a', 'b', 'c'])
    expect(await find('string', ['c', 'x', 'a', 'c', ''])).toEqual([
      { id: 'c', n: 1 },
      { id: 'a', n: 1 },
    ])
    expect(await find('string', [])).toEqual([])
  })

  test.each<[FieldType, Identifier, readonly string[]]>([
    ['long', 5, ['5', '5.0', '50e-1']],
    ['double', 0.5, ['0.5', '5e-1', '0.50']],
    ['timestamp', 0, ['1970-01-01', '1970-01-01T00:00:00Z', '0', '1970-01-01T01:00+01:00']],
  ])('the item of a %s index with the id %s is found in any spelling', async (type, id, spellings) => {
    await push(type, [id])
    for (const spelling of spellings) expect(await find(type, [spelling])).toHaveLength(1)
    expect(await find(type, spellings)).toHaveLength(1)
  })

  test.each<[FieldType, string]>([
    ['long', 'x'],
    ['long', ''],
    ['double', '1e999'],
    ['timestamp', 'noon'],
    ['string', '\ud800'],
  ])('an invalid %s %j is refused with its index', async (type, id) => {
    await expect(find(type, [type === 'string' ? 'a' : '1', id])).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'itemsId[1]', message: expect.stringContaining('"id"') }],
    })
  })

  test('10,000 items are read in parts; a result over the byte limit is refused', async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => index)
    await push('long', ids)
    expect(await find('long', ids.map(String).toReversed())).toHaveLength(10_000)
    const small = await metadataOf({ resultBytes: 1000 })
    await expect(find('long', ids.map(String), small)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('SQL in identifiers is treated as plain text', async () => {
    const sql = "'; DROP TABLE items; --"
    await push('string', [sql, '%', '_', 'a"b'])
    expect(await find('string', [sql])).toEqual([{ id: sql, n: 1 }])
    expect(idsOf(await page('string', `id=${encodeURIComponent(sql)}`))).toEqual([sql])
    expect(idsOf(await page('string', 'id[bw]=%25'))).toEqual(['%'])
    expect(idsOf(await page('string', 'id[bw]=_'))).toEqual(['_'])
  })
})

describe('descriptions of tables', () => {
  const describeAll = (entities: string[], mayRead = (_: string): boolean => true) =>
    metadata.describe({ entities }, mayRead)

  test('are returned as requested, once each; all of them by name if none is requested', async () => {
    await push('string', ['a', 'b'])
    const [first, second, ...rest] = await describeAll(['string', 'long', 'string'])
    expect(first).toEqual({
      entity: 'string',
      type: 'metadata',
      index_field: 'id',
      fields: [
        { name: 'id', type: 'string', role: 'index' },
        { name: 'n', type: 'long', role: 'attribute' },
      ],
      items: 2,
    })
    expect([second?.entity, second?.items, rest.length]).toEqual(['long', 0, 0])
    const names = ['double', 'long', 'string', 'timestamp']
    expect((await describeAll([])).map(({ entity }) => entity)).toEqual(names)
    expect((await metadata.describe({}, everything)).map(({ entity }) => entity)).toEqual(names)
    expect((await metadata.describe({ entities: null }, everything)).map(({ entity }) => entity)).toEqual(names)
  })

  test('report unknown tables, and hide tables that may not be read', async () => {
    const unknown = {
      code: 'unknown_entity',
      errors: [{ path: 'entities[1]', message: expect.stringContaining('"nope"') }],
    }
    await expect(describeAll(['string', 'nope'])).rejects.toMatchObject(unknown)
    const mine = (name: string): boolean => name === 'long'
    expect((await describeAll([], mine)).map(({ entity }) => entity)).toEqual(['long'])
    await expect(describeAll(['string'], mine)).rejects.toMatchObject({ code: 'unknown_entity' })
    const many = Array.from({ length: 5000 }, (_, index) => `none${index}`)
    await expect(describeAll(many, mine)).rejects.toMatchObject({
      errors: expect.objectContaining({ length: 20 }),
      message: expect.stringContaining('4980 more are unknown'),
    })
  })
})

test.each(['nope', 'STRING', 'string '])('an unknown table is reported as not found: %j', async (table) => {
  const missing = { code: 'table_not_found' }
  await expect(page(table, '')).rejects.toMatchObject(missing)
  await expect(metadata.find(table, { itemsId: [] }, everything, unhurried)).rejects.toMatchObject(missing)
})

test('a table that may not be read is reported as not found', async () => {
  const nothing = (): boolean => false
  await expect(metadata.list('string', '', nothing, unhurried)).rejects.toMatchObject({ code: 'table_not_found' })
  const request = { itemsId: ['a'] }
  await expect(metadata.find('string', request, nothing, unhurried)).rejects.toMatchObject({ code: 'table_not_found' })
})

describe('deleting an item', () => {
  async function adminOf(waitFor: (position: number, signal: AbortSignal) => Promise<void>): Promise<ItemAdmin> {
    return new ItemAdmin({
      definitions: await Definitions.open(catalog.ingests),
      items: catalog.items,
      journal: { endPosition: async () => 50 },
      progress: { waitFor },
      waitMs: 20,
    })
  }

  test('waits for earlier pushes to be processed', async () => {
    const admin = await adminOf(async (until) => {
      expect(until).toBe(50)
      await push('string', ['a'])
    })
    await admin.delete('string', 'a')
    expect(await page('string', '')).toEqual({ Items: [], NextToken: null })
    position = 50
    await push('string', ['a'])
    expect(idsOf(await page('string', ''))).toEqual(['a'])
  })

  test('fails as unavailable when the wait takes too long', async () => {
    const admin = await adminOf(
      (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await expect(admin.delete('string', 'a')).rejects.toMatchObject({ code: 'unavailable', retryable: true })
  })

  test.each([
    ['nope', 'a', 'table_not_found'],
    ['string', 'a', 'not_found'],
    ['long', 'a', 'invalid_request'],
  ])('fails for %s/%s with %s', async (table, id, code) => {
    const admin = await adminOf(async () => undefined)
    await expect(admin.delete(table, id)).rejects.toMatchObject({ code })
  })
})
