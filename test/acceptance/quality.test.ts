// The quality of values over HTTP: definition, every way to push, queries and answers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { tidemark } from '../support/cli.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { LiveReader } from '../support/live-reader.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
let key: string

const fieldsWith = (quality: object) => [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'Q', source: 'quality', role: 'quality', ...quality },
]
const at = (hour: number): string => `2026-01-01T0${hour}:00:00.000Z`
const get = <Answer>(path: string): Promise<Answer> =>
  callOk<Answer>(service.url, 'GET', `/consumer/data/${path}`, { key: adminKey })
const push = (alias: string, ingestKey: string, body: readonly object[]) =>
  callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: ingestKey, body })

beforeAll(async () => {
  service = await runService({ 'store.headAgeMs': '50' })
  key = await makeIngest(service.url, adminKey, {
    alias: 'plant',
    fields: fieldsWith({ type: 'long', coding: 'opcua' }),
  })
}, 120_000)
afterAll(() => service?.close())

test('definitions show the coding, and an entity accepts only one coding of its quality', async () => {
  const quality = { name: 'Q', type: 'long', role: 'quality', coding: 'opcua' }
  expect(await callOk(service.url, 'GET', '/admin/ingests/plant', { key: adminKey })).toMatchObject({
    fields: [{}, {}, {}, { ...quality, source: 'quality' }],
  })
  const { Items } = await callOk<{ Items: unknown[] }>(service.url, 'GET', '/admin/entities', { key: adminKey })
  expect(Items).toMatchObject([{ fields: [{}, {}, {}, quality] }])
  expect(await get('entities')).toMatchObject([{ fields: [{}, {}, {}, quality] }])
  const joining = { alias: 'more', kind: 'series', entity: 'plant', fields: fieldsWith({ type: 'long' }) }
  const refused = await call(service.url, 'POST', '/admin/ingests', { key: adminKey, body: joining })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'fields[3].coding' }] } })
})

test('GET, POST and live accept the same qualities; any other word is a 400', async () => {
  const readers = ['', '&quality=bad,uncertain'].map(() => new LiveReader())
  await Promise.all(
    ['', '&quality=bad,uncertain'].map((query, index) => readers[index]!.connect(service.url, `entity=plant${query}`)),
  )
  await push('plant', key, [
    { D: at(1), T: 'a', V: 1 },
    { D: at(2), T: 'a', V: 2, quality: 0x80340000 },
    { D: at(3), T: 'a', V: 3, quality: 0x40000000 },
  ])
  const [good, others] = [
    [{ D: at(1), T: 'a', V: 1 }],
    [
      { D: at(2), T: 'a', Q: 0x80340000, V: 2 },
      { D: at(3), T: 'a', Q: 0x40000000, V: 3 },
    ],
  ]
  expect(await get('select?entity=plant')).toEqual(good)
  expect(await get('select?entity=plant&quality=bad,uncertain')).toEqual(others)
  expect(await get('latest?entity=plant&quality=bad&quality=uncertain')).toEqual(others.slice(1))
  const body = { entity: 'plant', quality: ['bad'] }
  expect(await callOk(service.url, 'POST', '/consumer/data/select', { key: adminKey, body })).toEqual(
    others.slice(0, 1),
  )
  await expect.poll(() => readers.map(({ rows }) => rows), { timeout: 60_000 }).toEqual([good, others])
  await Promise.all(readers.map((reader) => reader.cut()))
  for (const query of ['select', 'live']) {
    expect(
      await call(service.url, 'GET', `/consumer/data/${query}?entity=plant&quality=fine`, { key: adminKey }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ path: expect.stringContaining('quality') }] },
    })
  }
})

test('SQL reads the quality like any other field', async () => {
  const rows = await callOk(service.url, 'POST', '/consumer/data/sql-query', {
    key: adminKey,
    body: { sql_query: 'SELECT V, Q FROM plant WHERE Q IS NOT NULL ORDER BY __time' },
  })
  expect(rows).toEqual([
    { V: 2, Q: 0x80340000 },
    { V: 3, Q: 0x40000000 },
  ])
})

test('a row whose quality has a wrong type is rejected', async () => {
  await push('plant', key, [{ D: at(4), T: 'a', V: 4, quality: 'good' }])
  const { Items } = await callOk<{ Items: unknown[] }>(service.url, 'GET', '/admin/ingests/plant/rejected', {
    key: adminKey,
  })
  expect(Items).toMatchObject([{ field: 'quality', code: 'wrong_type' }])
})

test('where rows replace each other, the quality pushed last applies to the item, also null', async () => {
  const own = await makeIngest(service.url, adminKey, {
    alias: 'replaced',
    duplicates: 'replace',
    fields: fieldsWith({ type: 'string' }),
  })
  await push('replaced', own, [
    { D: at(1), T: 'a', V: 1 },
    { D: at(2), T: 'a', V: 2, quality: 'BAD' },
  ])
  await push('replaced', own, [
    { D: at(1), T: 'a', quality: '0' },
    { D: at(2), T: 'a', quality: null },
  ])
  expect(await get('select?entity=replaced')).toEqual([{ D: at(2), T: 'a', V: 2 }])
  expect(await get('select?entity=replaced&quality=bad')).toEqual([{ D: at(1), T: 'a', Q: '0', V: 1 }])
})

test.each([
  ['a number from the digits of a tag', 'long', 'm,quality=64 V=1 1767225600000000000', 64],
  ['a string from a tag', 'string', 'm,quality=Uncertain V=1 1767225600000000000', 'Uncertain'],
  ['a number from a field', 'long', 'm V=1,quality=64i 1767225600000000000', 64],
])('line protocol: %s', async (_, type, line, Q) => {
  const alias = `lines_${type}_${line.length}`
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'measurement', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
    { name: 'Q', source: 'quality', type, role: 'quality' },
  ]
  const own = await makeIngest(service.url, adminKey, { alias, fields })
  const response = await fetch(`${service.url}/api/v2/write?bucket=${alias}`, {
    method: 'POST',
    headers: { authorization: `Token ${own}` },
    body: line,
  })
  expect(response.status).toBe(204)
  const asked = () => get(`select?entity=${alias}&quality=uncertain`)
  await expect.poll(asked, { timeout: 60_000 }).toEqual([{ D: '2026-01-01T00:00:00.000Z', measurement: 'm', Q, V: 1 }])
})

test('line protocol: with one row per field, a tag of the line is the quality of its rows', async () => {
  const own = await makeIngest(service.url, adminKey, { alias: 'machines', lines: { tag: '{measurement}.{field}' } })
  const body = { add_fields: [{ name: 'Quality', type: 'string', role: 'quality' }] }
  await callOk(service.url, 'PATCH', '/admin/ingests/machines', { key: adminKey, body })
  const lines = ['good level=4.5 1767225600000000000', 'bad level=0,speed=1 1767225660000000000']
  const response = await fetch(`${service.url}/api/v2/write?bucket=machines`, {
    method: 'POST',
    headers: { authorization: `Token ${own}` },
    body: lines.map((line) => `boiler1,id=ns\\=2,Quality=${line}`).join('\n'),
  })
  expect(response.status).toBe(204)
  await expect
    .poll(() => get('select?entity=machines&quality=bad').then((rows) => (rows as object[]).length), {
      timeout: 60_000,
    })
    .toBe(2)
  expect(await get('select?entity=machines')).toEqual([{ D: '2026-01-01T00:00:00.000Z', T: 'boiler1.level', V: 4.5 }])
})

test.each([
  ['numbers, and a word that is rejected', 'long', ['192', '', '64', 'bad'], 2, [192, null, 64]],
  ['strings', 'string', ['Good', '', 'uncertain', '0x00000000'], 0, ['Good', null, 'uncertain', '0x00000000']],
])('a CSV file has the qualities in a column: %s', async (_, type, cells, code, stored) => {
  const alias = `csv_${type}`
  const own = await makeIngest(service.url, adminKey, { alias, fields: fieldsWith({ type }) })
  const csv = ['D,T,V,quality', ...cells.map((cell, hour) => `${at(hour)},a,${hour},${cell}`)].join('\n')
  const pushed = await tidemark(service.url, ['push', alias, '-', '--format', 'csv'], csv, own)
  expect([pushed.code, pushed.err]).toEqual([code, ''])
  const all = stored.map((Q, hour) => ({ D: at(hour), T: 'a', Q, V: hour }))
  expect(await get(`select?entity=${alias}&quality=good,uncertain,bad`)).toEqual(all)
  expect(await get(`select?entity=${alias}&quality=uncertain`)).toEqual(all.slice(2, 3))
  expect(await get(`select?entity=${alias}`)).toEqual(all.slice(0, 2).map(({ Q: _, ...row }) => row))
})

test('rejected rows are repaired and replayed with their quality', async () => {
  const own = await makeIngest(service.url, adminKey, { alias: 'mended', fields: fieldsWith({ type: 'long' }) })
  await push('mended', own, [
    { D: at(1), T: 'a', V: '1', quality: '0' },
    { D: at(2), T: 'a', V: '2', quality: 192 },
    { D: at(3), T: 'a', V: '3', status: 64 },
  ])
  const replay = (body: object) =>
    callOk(service.url, 'POST', '/admin/ingests/mended/rejected/replay', { key: adminKey, body })
  const convert = { V: 'number', quality: 'number' }
  expect(await replay({ convert })).toMatchObject({ stored: 2, rejected: 1 })
  expect(await replay({ convert, rename: { status: 'quality' } })).toMatchObject({ stored: 1, rejected: 0 })
  expect(await get('select?entity=mended')).toEqual([{ D: at(2), T: 'a', V: 2 }])
  expect(await get('select?entity=mended&quality=bad,uncertain')).toEqual([
    { D: at(1), T: 'a', Q: 0, V: 1 },
    { D: at(3), T: 'a', Q: 64, V: 3 },
  ])
})

test.skipIf(onCluster)('hours store aggregates of the good values, and of all values for SQL', async () => {
  const own = await makeIngest(service.url, adminKey, { alias: 'kept', fields: fieldsWith({ type: 'long' }) })
  const startMs = (Math.floor(Date.now() / 86_400_000) - 9) * 86_400_000
  const date = (minute: number): string => new Date(startMs + minute * 60_000).toISOString()
  await push('kept', own, [
    { D: date(0), T: 'a', V: 10, quality: 192 },
    { D: date(10), T: 'a', V: 999, quality: 0 },
    { D: date(30), T: 'a', V: 20 },
    { D: date(45), T: 'a', V: 500, quality: 64 },
    { D: date(70), T: 'a', V: 700, quality: 500 },
  ])
  const range = `entity=kept&start_date=${date(0)}&end_date=${date(120)}`
  const asked = async (): Promise<readonly unknown[]> => [
    await get(`average?${range}&granularity=hour`),
    await get(`average?${range}&granularity=hour&weight=time&shape=step`),
    await get(`aggregate?${range}&granularity=hour&aggregates=count,sum,min,max,first,last,covered&shape=step`),
    await get(`plot?${range}&points=2`),
    await callOk(service.url, 'POST', '/consumer/data/sql-query', {
      key: adminKey,
      body: { sql_query: 'SELECT COUNT(*) AS "n", MAX(V) AS "g" FROM kept' },
    }),
  ]
  const before = await asked()
  expect(before).toMatchObject([
    [{ V: 15 }],
    [{ V: 16 }],
    [{ 'V.count': 2, 'V.max': 20 }],
    [{ V: 10 }, { V: 20 }],
    [{ n: 5, g: 999 }],
  ])
  const body = { retention: 'P3D', hours_retention: null }
  await callOk(service.url, 'PATCH', '/admin/entities/kept', { key: adminKey, body })
  expect(await asked()).toEqual(before)
  for (const question of [`average?${range}&quality=good,bad`, `aggregate?${range}&granularity=hour&aggregates=good`])
    expect(await call(service.url, 'GET', `/consumer/data/${question}`, { key: adminKey })).toMatchObject({
      status: 400,
      body: { code: 'rows_expired' },
    })
})
