// Metadata entities as SQL tables, on either engine: joined with rows, alone, within limits, and only for those who may read them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const keys: Record<string, string> = {}
let readerKey: string

const rowFields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
]
const field = (name: string, type: string, role = 'attribute') => ({ name, type, role })
const tagFields = [
  field('tag', 'string', 'index'),
  field('area', 'string'),
  field('rating', 'double'),
  field('serial', 'long'),
  field('active', 'boolean'),
  field('since', 'timestamp'),
  field('limits', 'json'),
]

const items = [
  { tag: 'a', area: 'north', rating: 7.5, serial: 1, active: true, since: '2020-01-02T03:04:05.678Z' },
  { tag: 'b', area: 'north', rating: -0.25, serial: -1, active: false, limits: { low: 5, high: 18.1 } },
  { tag: 'c', area: 'so\'uth\n\t"\\\u2028', limits: ['x', null] },
  { tag: 'd', area: '' },
  { tag: 'É😀' },
]

const push = (alias: string, body: unknown) =>
  callOk<{ rejected: number; errors: unknown }>(service.url, 'POST', `/ingests/${alias}/data?wait=true`, {
    key: keys[alias]!,
    body,
  })

async function make(alias: string, fields: readonly object[], kind: 'series' | 'metadata' = 'metadata'): Promise<void> {
  keys[alias] = await makeIngest(service.url, adminKey, { alias, kind, fields })
}

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key', 'sql.metadataRows': '1000', 'limits.checkMs': '200' })
  await make('plant', rowFields, 'series')
  await make('tags', tagFields)
  await make('bare', [field('id', 'long', 'index'), field('json', 'json'), field('seen', 'timestamp')])
  await make('many', [field('n', 'long', 'index'), field('group', 'string'), field('note', 'string')])
  await make('hidden_q7x', [field('id', 'string', 'index'), field('secret_k3v', 'string')])
  readerKey = await makeReader(service.url, adminKey, ['plant', 'tags', 'bare', 'many'])
  const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`
  const rows = ['a', 'b', 'c', 'd', 'É😀', 'z'].flatMap((T, index) => [
    { D: at(index), T, V: index },
    { D: at(index + 1), T, V: index + 10 },
  ])
  // JSON.stringify cannot write a long beyond 2^53.
  const text = JSON.stringify(items).replace('"serial":1,', '"serial":9007199254740993,')
  const path = '/ingests/tags/data?wait=true'
  expect(await callOk(service.url, 'POST', path, { key: keys['tags']!, text })).toMatchObject({ rejected: 0 })
  await push('plant', rows)
  await push('hidden_q7x', [{ id: 'a', secret_k3v: 'concealed' }])
  await push(
    'many',
    Array.from({ length: 1500 }, (_, n) => ({ n, group: `g${n % 3}`, note: `note ${n}` })),
  )
}, 120_000)
afterAll(() => service?.close())

async function ask(text: string, key = readerKey): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${service.url}/consumer/data/sql-query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ sql_query: text }),
  })
  return { status: response.status, text: await response.text() }
}

async function rowsOf(text: string, key = readerKey): Promise<unknown> {
  const { status, text: body } = await ask(text, key)
  expect([status, body]).toEqual([200, expect.any(String)])
  return JSON.parse(body)
}

const south = 'so\'uth\n\t"\\\u2028'
const means = [
  { area: null, v: 9 },
  { area: '', v: 8 },
  { area: 'north', v: 5.5 },
  { area: south, v: 7 },
]

describe('a metadata table joined with rows', () => {
  test.each([
    ['its name alone', 'SELECT s.area, AVG(p.V) AS v FROM plant p JOIN tags s ON p.T = s.tag GROUP BY 1 ORDER BY 1'],
    [
      'its schema',
      'SELECT metadata.tags.area, AVG(druid.plant.V) AS v FROM druid.plant JOIN metadata.tags ON plant.T = tags.tag GROUP BY 1 ORDER BY 1',
    ],
    [
      'quoted names',
      'SELECT "s"."area", AVG("V") AS v FROM "plant" JOIN "metadata"."tags" AS "s" ON "T" = "tag" GROUP BY 1 ORDER BY 1',
    ],
    [
      'a common table expression of its name',
      'WITH tags AS (SELECT tag AS k, area FROM metadata.tags) SELECT area, AVG(V) AS v FROM plant JOIN tags ON T = k GROUP BY 1 ORDER BY 1',
    ],
    [
      'a subquery',
      'SELECT area, AVG(V) AS v FROM plant JOIN (SELECT tag, area FROM tags) AS s ON T = s.tag GROUP BY area ORDER BY area',
    ],
    [
      'column aliases',
      'SELECT y AS area, AVG(V) AS v FROM plant JOIN tags AS s (x, y, z, u, w, q, j) ON T = x GROUP BY y ORDER BY y',
    ],
    ['the metadata table first', 'SELECT area, AVG(V) AS v FROM tags JOIN plant ON tag = T GROUP BY 1 ORDER BY 1'],
  ])('with %s', async (_name, text) => {
    expect(await rowsOf(text)).toEqual(means)
  })

  test('LEFT JOIN keeps rows without an item, and conditions in ON and WHERE differ', async () => {
    const left = (rest: string) =>
      `SELECT T, s.area, COUNT(*) AS n FROM plant LEFT JOIN tags s ON T = s.tag ${rest} GROUP BY 1, 2 ORDER BY 1`
    expect(await rowsOf(left(''))).toHaveLength(6)
    expect(await rowsOf(left("AND s.area = 'north'"))).toMatchObject([
      { T: 'a', area: 'north' },
      { T: 'b', area: 'north' },
      { T: 'c', area: null },
      { T: 'd', area: null },
      { T: 'z', area: null },
      { T: 'É😀', area: null },
    ])
    expect(await rowsOf(left("WHERE s.area = 'north'"))).toMatchObject([{ T: 'a' }, { T: 'b' }])
    expect(await rowsOf(left('WHERE s.area IS NULL'))).toMatchObject([{ T: 'z' }, { T: 'É😀' }])
    expect(await rowsOf(left("WHERE s.area = 'north' OR V > 13"))).toMatchObject([
      { T: 'a' },
      { T: 'b' },
      { T: 'z' },
      { T: 'É😀' },
    ])
  })

  test('rows are filtered by IN with a subquery of items', async () => {
    expect(
      await rowsOf(
        "SELECT T, MAX(V) AS v FROM plant WHERE T IN (SELECT tag FROM tags WHERE area = 'north' AND rating > 0) GROUP BY T",
      ),
    ).toEqual([{ T: 'a', v: 10 }])
  })

  test('values of every type are returned as they were pushed', async () => {
    const columns = 's.tag, s.rating, s.serial, s.active, s.since'
    const text = `SELECT ${columns}, JSON_VALUE(s.limits, '$.high' RETURNING DOUBLE) AS high, COUNT(*) AS n FROM plant p JOIN tags s ON p.T = s.tag GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1 LIMIT 3`
    const { text: body } = await ask(text)
    expect(body).toBe(
      '[{"tag":"a","rating":7.5,"serial":9007199254740993,"active":1,"since":"2020-01-02T03:04:05.678Z","high":null,"n":2},' +
        '{"tag":"b","rating":-0.25,"serial":-1,"active":0,"since":null,"high":18.1,"n":2},' +
        '{"tag":"c","rating":null,"serial":null,"active":null,"since":null,"high":null,"n":2}]',
    )
  })

  test('a join with an empty table finds no items', async () => {
    expect(await rowsOf('SELECT COUNT(*) AS n FROM plant JOIN bare ON CHAR_LENGTH(T) = id')).toEqual([{ n: 0 }])
    expect(
      await rowsOf('SELECT COUNT(*) AS n, COUNT(e.seen) AS m FROM plant LEFT JOIN bare e ON CHAR_LENGTH(T) = e.id'),
    ).toEqual([{ n: 12, m: 0 }])
  })
})

describe('a metadata table without a join', () => {
  test('SELECT * returns all items, ordered by their identifiers', async () => {
    const { text } = await ask('SELECT * FROM tags')
    const parsed = JSON.parse(text)
    expect(parsed.map(({ tag }: { tag: string }) => tag)).toEqual(['a', 'b', 'c', 'd', 'É😀'])
    expect(text).toContain('"serial":9007199254740993')
    expect(parsed[1]).toMatchObject({ active: 0, limits: '{"low":5,"high":18.1}', since: null })
    expect(parsed[2]).toMatchObject({ area: south, limits: '["x",null]' })
  })

  test('items are counted, filtered and ordered by any column', async () => {
    expect(await rowsOf('SELECT COUNT(*) AS n FROM metadata.tags')).toEqual([{ n: 5 }])
    expect(await rowsOf('SELECT COUNT(*) AS n FROM bare')).toEqual([{ n: 0 }])
    expect(await rowsOf("SELECT tag FROM tags WHERE area = 'north' ORDER BY rating")).toEqual([
      { tag: 'b' },
      { tag: 'a' },
    ])
    expect(await rowsOf("SELECT tag FROM tags WHERE since > '2020-01-01' OR rating < 0")).toEqual([
      { tag: 'a' },
      { tag: 'b' },
    ])
    expect(await rowsOf("SELECT tag FROM tags WHERE tag LIKE 'É%' OR serial = 9007199254740993")).toEqual([
      { tag: 'a' },
      { tag: 'É😀' },
    ])
    expect(await rowsOf('SELECT tag FROM tags WHERE NOT (area IS NOT NULL)')).toEqual([{ tag: 'É😀' }])
  })

  test('half a surrogate pair in JSON is replaced by U+FFFD', async () => {
    await push('bare', [])
    const body = '[{"id":7,"json":{"a":"\\ud800x","b":"\\ud83d\\ude00","c":"\\\\ud800"}}]'
    await callOk(service.url, 'POST', '/ingests/bare/data?wait=true', { key: keys['bare']!, text: body })
    const at = (name: string) => `JSON_VALUE(json, '$.${name}') AS ${name}`
    expect(await rowsOf(`SELECT ${['a', 'b', 'c'].map(at).join(', ')} FROM bare`)).toEqual([
      { a: '\ufffdx', b: '😀', c: '\\ud800' },
    ])
    await callOk(service.url, 'DELETE', '/admin/metadata/bare/items/7', { key: adminKey })
    expect(await rowsOf('SELECT COUNT(*) AS n FROM bare')).toEqual([{ n: 0 }])
  })
})

describe('name resolution', () => {
  test('INFORMATION_SCHEMA shows the tables that the key may read', async () => {
    expect(
      await rowsOf(
        "SELECT TABLE_SCHEMA AS s, TABLE_NAME AS t FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_TYPE = 'TABLE' ORDER BY 1, 2",
      ),
    ).toEqual([
      { s: 'druid', t: 'plant' },
      { s: 'metadata', t: 'bare' },
      { s: 'metadata', t: 'many' },
      { s: 'metadata', t: 'tags' },
    ])
    expect(await rowsOf('SELECT SCHEMA_NAME AS s FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1')).toEqual([
      { s: 'INFORMATION_SCHEMA' },
      { s: 'druid' },
      { s: 'metadata' },
    ])
    expect(
      await rowsOf(
        "SELECT COLUMN_NAME AS c, DATA_TYPE AS t, IS_NULLABLE AS n FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'tags' ORDER BY ORDINAL_POSITION",
      ),
    ).toEqual([
      { c: 'tag', t: 'VARCHAR', n: 'NO' },
      { c: 'area', t: 'VARCHAR', n: 'YES' },
      { c: 'rating', t: 'DOUBLE', n: 'YES' },
      { c: 'serial', t: 'BIGINT', n: 'YES' },
      { c: 'active', t: 'BIGINT', n: 'YES' },
      { c: 'since', t: 'TIMESTAMP', n: 'YES' },
      { c: 'limits', t: 'COMPLEX<json>', n: 'YES' },
    ])
  })

  test.each([
    ['SELECT 1 AS x FROM druid.tags', "there is no table 'druid.tags'"],
    ['SELECT 1 AS x FROM metadata.plant', "there is no table 'metadata.plant'"],
    ['SELECT 1 AS x FROM Tags', "there is no table 'Tags'"],
    ['SELECT 1 AS x FROM "METADATA".tags', "there is no table 'METADATA.tags'"],
    ['SELECT 1 AS x FROM "metadata.tags"', "there is no table 'metadata.tags'"],
    ['SELECT 1 AS x FROM tags JOIN tags ON TRUE', "two tables of this FROM are named 'tags'"],
    ['SELECT druid.tags.area FROM tags', "column 'druid.tags.area' is not found"],
    ['SELECT __time FROM tags', "column '__time' is not found"],
    ['SELECT r1.c0 FROM tags', "there is no table 'r1'"],
    ["SELECT * FROM TABLE(APPEND('plant', 'tags'))", "'tags' is a metadata table"],
  ])('%s', async (text, message) => {
    const { status, text: body } = await ask(text)
    expect([status, JSON.parse(body).detail]).toEqual([400, expect.stringContaining(message)])
  })

  test('a table that the key may not read is reported like an unknown one', async () => {
    const unknown = await ask('SELECT * FROM hidden_q7y')
    for (const name of ['hidden_q7x', 'metadata.hidden_q7x']) {
      const { status, text } = await ask(`SELECT * FROM ${name}`)
      expect([status, text.replaceAll(name, '-')]).toEqual([unknown.status, unknown.text.replaceAll('hidden_q7y', '-')])
      expect(text).not.toContain('secret_k3v')
    }
    expect(JSON.stringify(await rowsOf('SELECT * FROM INFORMATION_SCHEMA.COLUMNS'))).not.toContain('secret_k3v')
    expect(await rowsOf('SELECT * FROM hidden_q7x', adminKey)).toEqual([{ id: 'a', secret_k3v: 'concealed' }])
  })
})

describe('sql.metadataRows', () => {
  test.each([
    'SELECT COUNT(*) AS n FROM many',
    'SELECT COUNT(*) AS n FROM many WHERE UPPER("group") = \'G1\'',
    'SELECT COUNT(*) AS n FROM plant JOIN many ON V = n',
    'SELECT COUNT(*) AS n FROM many a JOIN many b ON a.n = b.n WHERE a.n = 1',
    'WITH m AS (SELECT * FROM many) SELECT COUNT(*) AS n FROM m WHERE n < 5',
  ])('more items are a 413: %s', async (text) => {
    const { status, text: body } = await ask(text)
    expect([status, JSON.parse(body)]).toEqual([413, expect.objectContaining({ code: 'result_too_large' })])
    expect(body).toContain('more than 1000 items of metadata, which is sql.metadataRows')
    expect(body).toContain('many')
  })

  test.each([
    ['SELECT COUNT(*) AS n FROM many WHERE "group" = \'g1\'', 500],
    ['SELECT COUNT(*) AS n FROM many WHERE n BETWEEN 500 AND 1499', 1000],
    ['SELECT COUNT(*) AS n FROM many WHERE -1 < n AND 3 > n', 3],
    ["SELECT COUNT(*) AS n FROM many WHERE note LIKE '%te 12%' AND n > 0", 111],
    ["SELECT COUNT(*) AS n FROM many m WHERE m.n IN (1, 2, 3000) OR m.note = 'note 7'", 3],
    ['SELECT COUNT(*) AS n FROM many a JOIN many b ON a.n = b.n AND b.n < 7 WHERE a.n < 5', 5],
    ['SELECT COUNT(*) AS n FROM plant LEFT JOIN many ON V = n AND "group" = \'g1\'', 12],
    ["SELECT COUNT(*) AS n FROM plant WHERE V IN (SELECT n FROM many WHERE \"group\" IN ('g0', 'g1'))", 8],
  ])('counts only the items that match the conditions: %s', async (text, n) => {
    expect(await rowsOf(text)).toEqual([{ n }])
  })
})
