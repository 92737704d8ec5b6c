// Operations on ingests and their data over HTTP: fields are added, rejected rows are replayed, ingests are deleted, items expire.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const admin = { key: adminKey }
/** Seals after every few rows, so that files are covered too. */
const restless = {
  'store.headRows': '40',
  'store.headAgeMs': '30',
  'store.dayRowsMin': '5',
  'store.retentionCheckMs': '20',
}

beforeAll(async () => {
  service = await runService(restless)
})
afterAll(() => service?.close())

type Row = Readonly<Record<string, unknown>>
interface Receipt {
  readonly batch: string
  readonly stored: number
  readonly rejected: number
  readonly pending: number
  readonly errors: readonly { readonly index: number; readonly code: string }[]
}

const minute = (count: number): string => new Date(Date.UTC(2026, 0, 1, 0, count)).toISOString()
const dayMs = 86_400_000
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()

function push(alias: string, key: string, body: unknown): Promise<Receipt> {
  return callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body })
}

function select(entity: string, request: Row = {}): Promise<Row[]> {
  return callOk(service.url, 'POST', '/consumer/data/select', { body: { entity, ...request } })
}

const change = (alias: string, body: Row) => callOk(service.url, 'PATCH', `/admin/ingests/${alias}`, { ...admin, body })
const addField = (alias: string, name: string) =>
  change(alias, { add_fields: [{ name, type: 'double', role: 'metric' }] })

const replay = (alias: string, body: Row = {}) =>
  callOk<Row>(service.url, 'POST', `/admin/ingests/${alias}/rejected/replay`, { ...admin, body })

interface RejectedRow {
  readonly id: string
  readonly code: string
  readonly field: string
  readonly row: string
}

async function rejected(alias: string): Promise<readonly RejectedRow[]> {
  const path = `/admin/ingests/${alias}/rejected`
  return (await callOk<{ Items: RejectedRow[] }>(service.url, 'GET', path, admin)).Items
}

async function counters(alias: string): Promise<unknown> {
  return (await callOk<{ counters: unknown }>(service.url, 'GET', `/admin/ingests/${alias}`, admin)).counters
}

const remove = (alias: string, data = '') =>
  call<{ code: string }>(service.url, 'DELETE', `/admin/ingests/${alias}${data}`, admin)

async function described(entity: string): Promise<Row | undefined> {
  const all = await callOk<Row[]>(service.url, 'GET', '/consumer/data/entities')
  return all.find((one) => one['entity'] === entity)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(5)
}

describe('replay', () => {
  test('stores the rows that now pass, once; the others stay rejected with their new reason', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'replayed' })
    const rows = [
      { D: minute(0), T: 'a', V: 1, W: 10 },
      { D: minute(1), T: 'a', V: 2 },
      { D: minute(2), T: 'a', V: 3, W: 'x' },
      { D: minute(3), T: 'a', V: 4, W: 40, X: 1 },
    ]
    const { batch } = await push('replayed', key, rows)
    expect(await replay('replayed')).toEqual({ replayed: 3, stored: 0, rejected: 3 })
    expect((await rejected('replayed')).map(({ code, field }) => [code, field])).toEqual([
      ['unknown_field', 'W'],
      ['unknown_field', 'W'],
      ['unknown_field', 'W'],
    ])
    await addField('replayed', 'W')
    expect(await select('replayed')).toEqual([{ D: minute(1), T: 'a', V: 2, W: null }])
    expect(await replay('replayed')).toEqual({ replayed: 3, stored: 1, rejected: 2 })
    expect(await replay('replayed')).toEqual({ replayed: 2, stored: 0, rejected: 2 })
    const items = [
      { D: minute(0), T: 'a', V: 1, W: 10 },
      { D: minute(1), T: 'a', V: 2, W: null },
    ]
    expect(await select('replayed')).toEqual(items)
    expect((await rejected('replayed')).map(({ code, field }) => [code, field])).toEqual([
      ['wrong_type', 'W'],
      ['unknown_field', 'X'],
    ])
    expect(await counters('replayed')).toEqual({ received: 4, stored: 2, rejected: 2, pending: 0 })
    const receipt = await callOk<Receipt>(service.url, 'GET', `/ingests/replayed/batches/${batch}`, { key })
    expect(receipt).toMatchObject({ rows: 4, stored: 2, rejected: 2, pending: 0 })
    expect(receipt.errors.map(({ index, code }) => [index, code])).toEqual([
      [2, 'wrong_type'],
      [3, 'unknown_field'],
    ])
    service = await service.restart()
    expect(await select('replayed')).toEqual(items)
    expect(await counters('replayed')).toEqual({ received: 4, stored: 2, rejected: 2, pending: 0 })
  })

  test('accepts row ids, and skips ids that are not in the list of rejected rows', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'chosen' })
    await push(
      'chosen',
      key,
      [0, 1, 2, 3].map((count) => ({ D: minute(count), T: 'a', V: count, W: count })),
    )
    await addField('chosen', 'W')
    const ids = (await rejected('chosen')).map(({ id }) => id)
    expect(await replay('chosen', { ids: [ids[2], ids[0], ids[2], '999999'] })).toEqual({
      replayed: 2,
      stored: 2,
      rejected: 0,
    })
    expect((await select('chosen')).map(({ V }) => V)).toEqual([0, 2])
    expect((await rejected('chosen')).map(({ id }) => id)).toEqual([ids[1], ids[3]])
    const refused = await call<{ errors: { path: string }[] }>(
      service.url,
      'POST',
      '/admin/ingests/chosen/rejected/replay',
      { ...admin, body: { ids: ['x'] } },
    )
    expect([refused.status, refused.body.errors[0]?.path]).toEqual([400, 'ids[0]'])
    expect((await call(service.url, 'POST', '/admin/ingests/nobody/rejected/replay', admin)).status).toBe(404)
  })

  test('a replayed row keeps the age of its push: it sorts before rows that were pushed later', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'older' })
    await push('older', key, { D: minute(0), T: 'a', V: 1 })
    await push('older', key, { D: minute(0), T: 'a', V: 2, W: 2 })
    await push('older', key, { D: minute(0), T: 'a', V: 3 })
    await addField('older', 'W')
    expect(await replay('older')).toEqual({ replayed: 1, stored: 1, rejected: 0 })
    const inOrder = async (): Promise<void> => {
      expect((await select('older')).map(({ V }) => V)).toEqual([1, 2, 3])
      expect(await callOk(service.url, 'POST', '/consumer/data/latest', { body: { entity: 'older' } })).toEqual([
        { D: minute(0), T: 'a', V: 3, W: null },
      ])
    }
    await inOrder()
    service = await service.restart()
    await inOrder()
  })

  test('does not overwrite a metadata item that was pushed since', async () => {
    const fields = [
      { name: 'id', type: 'string', role: 'index' },
      { name: 'unit', type: 'string', role: 'attribute' },
    ]
    const key = await makeIngest(service.url, adminKey, { alias: 'table', kind: 'metadata', fields })
    await push('table', key, [
      { id: 'a', unit: 'old', note: 'x' },
      { id: 'b', unit: 'old', note: 'x' },
    ])
    await push('table', key, { id: 'a', unit: 'new' })
    await change('table', { add_fields: [{ name: 'note', type: 'string', role: 'attribute' }] })
    expect(await replay('table')).toEqual({ replayed: 2, stored: 2, rejected: 0 })
    const { Items } = await callOk<{ Items: Row[] }>(service.url, 'GET', '/consumer/metadata/table')
    expect(Items).toEqual([
      { id: 'a', unit: 'new', note: null },
      { id: 'b', unit: 'old', note: 'x' },
    ])
  })
})

describe('several ingests that feed one entity', () => {
  test('share the fields that they agree on; fields of the other ingests are null', async () => {
    const D = { name: 'D', type: 'timestamp', role: 'time' }
    const T = { name: 'T', type: 'string', role: 'tag' }
    const metric = (name: string) => ({ name, type: 'double', role: 'metric' })
    const make = (alias: string, fields: readonly object[]) =>
      makeIngest(service.url, adminKey, { alias, entity: 'shared', fields })
    const first = await make('first', [D, T, metric('V'), metric('P')])
    const second = await make('second', [D, T, metric('V'), metric('Q')])
    await push('first', first, { D: minute(0), T: 'a', V: 1, P: 10 })
    await push('second', second, { D: minute(1), T: 'a', V: 2, Q: 20 })
    expect((await push('second', second, { D: minute(2), T: 'a', P: 1 })).rejected).toBe(1)
    expect(await select('shared')).toEqual([
      { D: minute(0), T: 'a', V: 1, P: 10, Q: null },
      { D: minute(1), T: 'a', V: 2, P: null, Q: 20 },
    ])
    expect((await remove('first', '?data=drop')).body.code).toBe('conflict')
    expect((await remove('first')).status).toBe(204)
    expect((await described('shared'))?.['ingests']).toEqual(['second'])
    expect((await remove('second', '?data=drop')).status).toBe(204)
    expect(await described('shared')).toBeUndefined()
  })
})

describe('deleting an ingest', () => {
  const row = (count: number) => ({ D: minute(count), T: 'a', V: count })

  test('keeps its data by default: the entity is still queried, and a new ingest of that name feeds it', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
    await push('kept', key, row(0))
    expect((await remove('kept')).status).toBe(204)
    expect((await remove('kept')).status).toBe(404)
    expect((await call(service.url, 'POST', '/ingests/kept/data', { key, body: row(1) })).status).toBe(404)
    expect(await select('kept')).toEqual([row(0)])
    expect(await described('kept')).toMatchObject({ ingests: [], rows: 1 })
    service = await service.restart()
    expect(await select('kept')).toEqual([row(0)])
    await callOk(service.url, 'POST', '/admin/ingests', { ...admin, body: { alias: 'kept', kind: 'series' } })
    await push('kept', key, row(1))
    expect(await select('kept')).toEqual([row(0), row(1)])
    expect(await counters('kept')).toEqual({ received: 1, stored: 1, rejected: 0, pending: 0 })
  })

  test('with data=drop, none of its data is found again, not even under the same name', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'dropped' })
    await push(
      'dropped',
      key,
      Array.from({ length: 60 }, (_, count) => row(count)),
    )
    await push('dropped', key, { nonsense: 1 })
    expect((await remove('dropped', '?data=drop')).status).toBe(204)
    const gone = await call<{ code: string }>(service.url, 'POST', '/consumer/data/select', {
      body: { entity: 'dropped' },
    })
    expect([gone.status, gone.body.code]).toEqual([400, 'unknown_entity'])
    const recreate = () =>
      callOk(service.url, 'POST', '/admin/ingests', { ...admin, body: { alias: 'dropped', kind: 'series' } })
    await recreate()
    expect(await select('dropped')).toEqual([])
    expect(await rejected('dropped')).toEqual([])
    await push('dropped', key, row(7))
    service = await service.restart()
    expect(await select('dropped')).toEqual([row(7)])
    expect(await counters('dropped')).toEqual({ received: 1, stored: 1, rejected: 0, pending: 0 })
  })

  test.skipIf(onCluster)('with data=drop, the files of the entity are removed from the disk', async () => {
    const folders = () => readdir(join(service.dataDirectory, 'store'))
    const key = await makeIngest(service.url, adminKey, { alias: 'folder' })
    const catalog = await openSqliteCatalog({ path: join(service.dataDirectory, 'catalog.sqlite'), readOnly: true })
    const entities = await catalog.ingests.entities()
    await catalog.close()
    const folder = String(entities.find(({ name }) => name === 'folder')?.id)
    await push(
      'folder',
      key,
      Array.from({ length: 60 }, (_, count) => row(count)),
    )
    await until(async () => (await folders()).includes(folder))
    await remove('folder', '?data=drop')
    await until(async () => !(await folders()).includes(folder))
  })

  test('the items of a metadata ingest are kept by default, and dropped with data=drop', async () => {
    const fields = [
      { name: 'id', type: 'string', role: 'index' },
      { name: 'unit', type: 'string', role: 'attribute' },
    ]
    const body = { alias: 'things', kind: 'metadata', fields }
    const key = await makeIngest(service.url, adminKey, { ...body, kind: 'metadata' })
    await push('things', key, { id: 'a', unit: 'K' })
    const items = async () =>
      (await callOk<{ Items: Row[] }>(service.url, 'GET', '/consumer/metadata/things')).Items.map(({ id }) => id)
    await remove('things')
    expect(await items()).toEqual(['a'])
    await callOk(service.url, 'POST', '/admin/ingests', { ...admin, body })
    await push('things', key, { id: 'b', unit: 'K' })
    expect(await items()).toEqual(['a', 'b'])
    await remove('things', '?data=drop')
    expect((await call(service.url, 'GET', '/consumer/metadata/things')).status).toBe(404)
    await callOk(service.url, 'POST', '/admin/ingests', { ...admin, body })
    expect(await items()).toEqual([])
  })

  test.each(['?data=erase', '?data=', '?what=drop'])('rejects the query string %s', async (query) => {
    expect((await remove('kept', query)).status).toBe(400)
  })
})

describe('retention', () => {
  const retain = (entity: string, body: Row) =>
    call<Row>(service.url, 'PATCH', `/admin/entities/${entity}`, { ...admin, body })

  test('items older than the retention are hidden at once and never return; younger ones stay', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'leaving' })
    const row = (days: number, V: number) => ({ D: daysAgo(days), T: `t${V % 3}`, V })
    // Each on another UTC day, at whatever time the test runs.
    const ages = [400, 30, 9, 5, 2, 1, 0]
    for (const [index, days] of ages.entries()) await push('leaving', key, row(days, index))
    expect((await described('leaving'))?.['rows']).toBe(7)
    const answer = await retain('leaving', { retention: 'P7D' })
    expect([answer.status, answer.body['retention']]).toEqual([200, 'P7D'])
    const values = async () => (await select('leaving')).map(({ V }) => V)
    const expectLeft = async (left: readonly number[]): Promise<void> => {
      expect(await values()).toEqual(left)
      const { rows, first_date } = (await described('leaving')) ?? {}
      expect([rows, String(first_date).slice(0, 10)]).toEqual([left.length, daysAgo(ages[left[0]!]!).slice(0, 10)])
      const last = { entity: 'leaving', date: daysAgo(8) }
      expect(await callOk(service.url, 'POST', '/consumer/data/last', { body: last })).toEqual([])
      const means = await callOk<Row[]>(service.url, 'POST', '/consumer/data/average', {
        body: { entity: 'leaving', granularity: 'day' },
      })
      expect(means.map(({ V }) => V)).toEqual(left)
    }
    await expectLeft([3, 4, 5, 6])
    expect((await push('leaving', key, row(20, 7))).stored).toBe(1)
    await expectLeft([3, 4, 5, 6])
    service = await service.restart()
    await expectLeft([3, 4, 5, 6])
    await retain('leaving', { retention: 'P3D' })
    await expectLeft([4, 5, 6])
    expect(await counters('leaving')).toEqual({ received: 8, stored: 8, rejected: 0, pending: 0 })
    expect((await retain('leaving', { retention: null })).body['retention']).toBeNull()
    await expectLeft([4, 5, 6])
    await push('leaving', key, row(300, 8))
    expect(await values()).toEqual([8, 4, 5, 6])
    service = await service.restart()
    expect(await values()).toEqual([8, 4, 5, 6])
    expect(await counters('leaving')).toEqual({ received: 9, stored: 9, rejected: 0, pending: 0 })
  })

  test('is listed with the entities, and an invalid retention is rejected', async () => {
    await makeIngest(service.url, adminKey, { alias: 'shown' })
    await retain('shown', { retention: 'P1Y' })
    const { Items } = await callOk<{ Items: Row[] }>(service.url, 'GET', '/admin/entities', admin)
    expect(Items.find(({ entity }) => entity === 'shown')?.['retention']).toBe('P1Y')
    expect((await retain('shown', {})).body['retention']).toBe('P1Y')
    expect((await retain('shown', { retention: '90 days' })).status).toBe(400)
    expect((await retain('shown', { retention: 'P1D', more: 1 })).status).toBe(400)
    expect((await retain('nobody', { retention: 'P1D' })).status).toBe(404)
  })
})

test('a blocked ingest refuses pushes with its reason, and can still be queried', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'blocked' })
  await push('blocked', key, { D: minute(0), T: 'a', V: 1 })
  await change('blocked', { state: 'blocked', reason: 'the meter is being replaced' })
  const refused = await call<{ code: string; detail: string }>(service.url, 'POST', '/ingests/blocked/data', {
    key,
    body: {},
  })
  expect([refused.status, refused.body.code]).toEqual([423, 'ingest_blocked'])
  expect(refused.body.detail).toContain('the meter is being replaced')
  expect(await select('blocked')).toHaveLength(1)
  await change('blocked', { state: 'active' })
  expect((await push('blocked', key, { D: minute(1), T: 'a', V: 2 })).stored).toBe(1)
})
