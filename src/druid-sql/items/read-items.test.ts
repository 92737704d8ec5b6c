// The parts of a table that a query carries: the columns it uses, and the items that its conditions select.
import { describe, expect, test } from 'vitest'
import type { ItemCatalog } from '../../catalog/catalog.ts'
import { attributeLine, type Item } from '../../model/item.ts'
import { keyOfString } from '../../model/item-key.ts'
import { metadataTable, sqlTable } from '../bind/tables.ts'
import { translateSql } from '../translate.ts'
import { oneAtATime, readItems } from './read-items.ts'

const field = (name: string, type: 'string' | 'long' | 'double' | 'boolean' | 'timestamp' | 'json') => {
  return { name, type, role: 'attribute' } as const
}
const fields = [
  { name: 'id', type: 'string', role: 'index' } as const,
  field('area', 'string'),
  field('n', 'long'),
  field('d', 'double'),
  field('at', 'timestamp'),
  field('j', 'json'),
]
const entity = { id: 7, name: 'tags', fields }
const series = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
] as const
const tables = [sqlTable({ id: 1, name: 'plant', fields: series }), metadataTable(entity)]

const all: readonly Item[] = Array.from({ length: 6 }, (_, n) => ({
  key: keyOfString(`k${n}`),
  attributes:
    (n === 5 ? '' : attributeLine('area', JSON.stringify(n % 2 === 0 ? 'north' : 'south'))) +
    attributeLine('n', n === 4 ? '9007199254740993' : String(n)) +
    attributeLine('d', String(n / 2)) +
    attributeLine('at', `"2026-01-0${n + 1}T00:00:00.000Z"`) +
    attributeLine('j', '{"a":"\\ud800","b":"\\\\ud800","c":"\\ud83d\\ude00"}'),
}))

/** A catalog that returns two items per page and records the requested ranges of keys in `asked`. */
function catalogOf(items: readonly Item[], asked: string[] = []): Pick<ItemCatalog, 'inOneState'> {
  return {
    inOneState: (read) =>
      read(async (_id, { from, to }) => {
        asked.push(`${Buffer.from(from)}..${to === null ? '' : Buffer.from(to)}`)
        const found = items.filter(
          ({ key }) => Buffer.compare(key, from) >= 0 && (to === null || Buffer.compare(key, to) < 0),
        )
        return { items: found.slice(0, 2), more: found.length > 2 }
      }),
  }
}

const limits = { metadataRows: 100, metadataBytes: 10_000 }
const { signal } = new AbortController()

async function taken(sql: string, asked: string[] = []) {
  const { items } = translateSql(sql, tables)
  const [table] = await readItems(items, [entity], { items: catalogOf(all, asked), limits }, signal)
  return table!
}

describe('the items sent with a query', () => {
  test.each([
    ['SELECT id FROM tags', '012345'],
    ["SELECT id FROM tags WHERE area = 'north'", '024'],
    ["SELECT id FROM tags WHERE 'north' = area AND UPPER(area) = 'X'", '024'],
    ["SELECT id FROM tags WHERE area <> 'north'", '13'],
    ["SELECT id FROM tags WHERE area > 'n' AND NOT n = 1", '01234'],
    ["SELECT id FROM tags WHERE area IN ('south', 'x') OR id = 'k0'", '013'],
    ["SELECT id FROM tags WHERE area IN ('south', 'x') OR UPPER(id) = 'K0'", '012345'],
    ['SELECT id FROM tags WHERE area IS NULL', '5'],
    ['SELECT id FROM tags WHERE area IS NOT NULL', '01234'],
    ["SELECT id FROM tags WHERE area LIKE 'n%' AND id LIKE '%2'", '2'],
    ["SELECT id FROM tags WHERE area LIKE '%out%'", '13'],
    ["SELECT id FROM tags WHERE area LIKE 'n_rth'", '012345'],
    ["SELECT id FROM tags WHERE area LIKE 'n!%' ESCAPE '!'", '012345'],
    ['SELECT id FROM tags WHERE n = 9007199254740993', '4'],
    ['SELECT id FROM tags WHERE n = 9007199254740992', ''],
    ['SELECT id FROM tags WHERE n < 1.5', '012345'],
    ["SELECT id FROM tags WHERE n = '1'", '012345'],
    ['SELECT id FROM tags WHERE d >= 1.5 AND d < 2.5', '34'],
    ['SELECT id FROM tags WHERE d BETWEEN 0.5 AND 1', '12'],
    ['SELECT id FROM tags WHERE d NOT BETWEEN 0.5 AND 1', '012345'],
    ['SELECT id FROM tags WHERE "at" < \'2026-01-03\' AND "at" > TIMESTAMP \'2026-01-01\'', '1'],
    ["SELECT T FROM plant LEFT JOIN tags ON T = id AND area = 'north'", '024'],
    ["SELECT T FROM plant LEFT JOIN tags ON T = id WHERE area = 'north'", '024'],
    ['SELECT T FROM plant LEFT JOIN tags ON T = id WHERE area IS NULL', '012345'],
    ["SELECT id FROM tags LEFT JOIN plant ON T = id AND area = 'north'", '012345'],
    ["SELECT id FROM plant RIGHT JOIN tags ON T = id AND area = 'north'", '012345'],
    ["SELECT id FROM tags RIGHT JOIN plant ON T = id AND area = 'north'", '024'],
    ["SELECT id FROM tags FULL JOIN plant ON T = id AND area = 'north'", '012345'],
    ["SELECT id FROM plant JOIN tags ON T = id AND area = 'north' AND V > 1", '024'],
    ["SELECT id FROM plant JOIN tags ON T = id WHERE area = 'north' OR V > 1", '012345'],
    ['SELECT a.id FROM tags a JOIN tags b ON a.id = b.id WHERE a.n = 1 AND b.n = 2', '12'],
    ['SELECT a.id FROM tags a JOIN tags b ON a.id = b.id WHERE a.n = 1', '012345'],
    ["SELECT id FROM tags WHERE id = 'k1' UNION ALL SELECT id FROM tags WHERE id = 'k3'", '13'],
    ["SELECT T FROM plant WHERE T IN (SELECT id FROM tags WHERE area = 'north')", '024'],
    ["SELECT T FROM plant p WHERE V > (SELECT MAX(n) FROM tags WHERE p.T = id AND area = 'north')", '024'],
    ["SELECT id FROM (SELECT * FROM tags) AS t WHERE area = 'north'", '012345'],
    ["WITH t AS (SELECT * FROM tags WHERE area = 'north') SELECT t.id FROM t JOIN t AS u ON t.id = u.id", '024'],
    ['SELECT id FROM tags AS t (id, n, area, d, "at", j) WHERE n = \'north\'', '024'],
    ["SELECT T FROM plant FULL JOIN (SELECT id AS T FROM tags) USING (T) WHERE T = 'k1'", '012345'],
  ])('%s', async (sql, kept) => {
    const { columns, rows } = await taken(sql)
    expect(rows).toBe(kept.length)
    const ids = columns.find(({ place }) => place === 0)?.values
    if (ids !== undefined) expect(ids).toEqual([...kept].map((n) => `k${n}`))
  })
})

test.each([
  ['SELECT COUNT(*) AS n FROM tags', [0]],
  ["SELECT n FROM tags WHERE area = 'x' ORDER BY d", [1, 2, 3]],
  ['SELECT * FROM tags', [0, 1, 2, 3, 4, 5]],
  ['SELECT V, t.n FROM plant JOIN tags t ON T = t.id', [0, 2]],
  ['SELECT z FROM tags AS t (z, b, c, d, e, f)', [0, 1, 2, 3, 4, 5]],
  ['SELECT n FROM (SELECT * FROM tags) AS t', [0, 1, 2, 3, 4, 5]],
])('the columns sent with %s', async (sql, places) => {
  expect((await taken(sql)).columns.map(({ place }) => place)).toEqual(places)
})

test.each([
  ["id = 'k3'", ['k3..k3\0']],
  ["id > 'k1' AND id <= 'k3'", ['k1\0..k3\0']],
  ["id IN ('k2', 'k4') AND n = 2", ['k2..k4\0', 'k3\0..k4\0']],
  ["id LIKE 'k5%' OR id = 'k4'", ['k4..k6']],
  ["id = 'k1' AND id = 'k2'", []],
])('the key ranges read for %s', async (where, ranges) => {
  const asked: string[] = []
  await taken(`SELECT id FROM tags WHERE ${where}`, asked)
  expect(asked).toEqual(ranges)
})

test('values have the types of their fields, and lone surrogates in JSON are replaced', async () => {
  const { columns } = await taken("SELECT * FROM tags WHERE id = 'k4'")
  expect(columns.map(({ type, values }) => [type, values[0]])).toEqual([
    ['string', 'k4'],
    ['string', 'north'],
    ['long', 9007199254740993n],
    ['double', 2],
    ['timestamp', Date.UTC(2026, 0, 5)],
    ['string', '{"a":"\\ufffd","b":"\\\\ud800","c":"\\ud83d\\ude00"}'],
  ])
})

test('too many items over all tables are refused with advice, and an abort ends the read', async () => {
  const { items } = translateSql('SELECT a.n FROM tags a JOIN tags b ON a.id = b.id', tables)
  const read = (rows: number, bytes: number, at = signal) =>
    readItems(items, [entity], { items: catalogOf(all), limits: { metadataRows: rows, metadataBytes: bytes } }, at)
  await expect(read(5, 10_000)).rejects.toMatchObject({
    code: 'result_too_large',
    message: expect.stringMatching(/more than 5 items of metadata, which is sql.metadataRows.* "tags".*in WHERE or ON/),
  })
  await expect(read(6, 50)).rejects.toThrow('more than 50 bytes of metadata, which is sql.metadataBytes')
  expect(await read(6, 10_000)).toHaveLength(1)
  const gone = new AbortController()
  gone.abort(new Error('gone'))
  await expect(read(6, 10_000, gone.signal)).rejects.toThrow('gone')
})

test('a name without a schema means the entity rather than the metadata; a schema selects either', () => {
  const both = [sqlTable({ id: 1, name: 'tags', fields: series }), metadataTable(entity)]
  const reads = (sql: string) => {
    const { entityIds, items } = translateSql(sql, both)
    return [entityIds, items.map(({ entityId }) => entityId)]
  }
  expect(reads('SELECT V FROM tags')).toEqual([[1], []])
  expect(reads('SELECT n FROM metadata.tags')).toEqual([[], [7]])
  expect(reads('SELECT a.V, b.n FROM druid.tags a JOIN metadata.tags b ON a.T = b.id')).toEqual([[1], [7]])
  expect(reads('SELECT druid.a.V, metadata.b.n FROM tags a JOIN metadata.tags b ON a.T = b.id')).toEqual([[1], [7]])
  expect(() => reads('SELECT 1 AS x FROM druid.tags JOIN metadata.tags ON TRUE')).toThrow('are named')
})

test('reads of items run one at a time, and a failed one does not block the next', async () => {
  let [running, most] = [0, 0]
  const items = oneAtATime({
    inOneState: async (read) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return read(async () => ({ items: [], more: false }))
    },
  })
  const reads = [1, 2, 3].map((n) => items.inOneState(async () => (n === 2 ? Promise.reject(new Error('two')) : n)))
  expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(most).toBe(1)
})
