// Queries with values at every edge: a value out of range gives Druid's result or an error of the query, and never a failure of the service.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzedNative } from '../druid-native/fuzzed-native.ts'
import { fuzzedSql } from '../druid-sql/fuzzed-queries.ts'
import { type FuzzedWorld, faultOf, fuzzedWorld, runFuzzed } from '../support/fuzzed-world.ts'
import { adminKey } from '../support/server-process.ts'
import { askSql } from '../support/sql-world.ts'

let world: FuzzedWorld
beforeAll(async () => {
  world = await fuzzedWorld()
})
afterAll(() => world?.service.close())

const least = '-9223372036854775808'
const two = '(VALUES (-9223372036854775808), (7)) AS t (l)'
const four =
  "(SELECT CASE WHEN l > 0 THEN l END AS l, s FROM (VALUES (0, 'c'), (1, 'a'), (2, 'b'), (3, 'a')) AS v (l, s)) AS t"
const beyond = /a number or a time is beyond its range/

/** The values of column x in row order, or the error message for the caller. The values are from a real Druid. */
const cases: readonly (readonly [text: string, answer: readonly (string | null)[] | RegExp])[] = [
  [`SELECT l / -1 AS x FROM ${two}`, [least, '-7']],
  [`SELECT l / m AS x FROM (SELECT l, -1 AS m FROM ${two})`, [least, '-7']],
  [`SELECT MOD(l, -1) AS x FROM ${two}`, ['0', '0']],
  [`SELECT DIV(l, -1) AS x FROM ${two}`, [least, '-7']],
  [`SELECT SAFE_DIVIDE(l, -1) AS x FROM ${two}`, [least, '-7']],
  [`SELECT ABS(l) AS x FROM ${two}`, [least, '7']],
  [`SELECT -l AS x FROM ${two}`, [least, '-7']],
  [`SELECT l / 0 AS x FROM ${two}`, /a whole number is divided by zero/],
  [`SELECT MILLIS_TO_TIMESTAMP(l) AS x FROM ${two}`, [null, '1970-01-01T00:00:00.007Z']],
  [`SELECT CAST(l AS TIMESTAMP) AS x FROM ${two}`, [null, '1970-01-01T00:00:00.007Z']],
  [`SELECT TIMESTAMPADD(YEAR, l, TIMESTAMP '2020-01-01 00:00:00') AS x FROM ${two}`, beyond],
  [`SELECT TIME_SHIFT(TIMESTAMP '2020-01-01 00:00:00', 'P1Y', l) AS x FROM ${two}`, beyond],
  [`SELECT TIME_SHIFT(TIMESTAMP '2020-01-01 00:00:00', 'P999999999Y', 1) AS x`, beyond],
  [`SELECT LAG(l, ${least}) OVER (ORDER BY l) AS x FROM ${two}`, [null, null]],
  [`SELECT LEAD(l, 9223372036854775807) OVER (ORDER BY l) AS x FROM ${two}`, [null, null]],
  [`SELECT LAG(l, -1) OVER (ORDER BY l) AS x FROM ${two}`, ['7', null]],
  [`SELECT ARRAY_OFFSET(ARRAY[1, 2], 9223372036854775807) AS x`, [null]],
  [`SELECT ARRAY_OFFSET(ARRAY[1, 2], l) AS x FROM ${two}`, [null, null]],
  [`SELECT ARRAY_ORDINAL(ARRAY[1, 2], 9223372036854775807) AS x`, [null]],
  [`SELECT ARRAY_LENGTH(ARRAY_SLICE(ARRAY[1, 2], 9223372036854775807)) AS x`, [null]],
  ["SELECT s AS x FROM (VALUES ('a'), ('ax')) AS t (s) WHERE s LIKE 'ax' ESCAPE 'x'", ['a']],
  ["SELECT 'aa' AS x FROM (VALUES (1)) AS t (n) WHERE 'aa' LIKE 'axa' ESCAPE 'x'", ['aa']],
  ["SELECT s AS x FROM (VALUES ('x')) AS t (s) WHERE 'x' LIKE s ESCAPE 'x'", []],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS UNBOUNDED FOLLOWING) AS x FROM ${four}`, ['4', '3', '2', '1']],
  [`SELECT SUM(l) OVER (ORDER BY l RANGE UNBOUNDED FOLLOWING) AS x FROM ${four}`, ['6', '6', '5', '3']],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS 1 FOLLOWING) AS x FROM ${four}`, ['2', '2', '2', '1']],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS CURRENT ROW) AS x FROM ${four}`, ['1', '1', '1', '1']],
  [`SELECT COUNT(l) OVER (ROWS CURRENT ROW) AS x FROM ${four}`, ['3', '3', '3', '3']],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS 9999999999 FOLLOWING) AS x FROM ${four}`, ['4', '3', '2', '1']],
  [
    `SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) AS x FROM ${four}`,
    [null, null, null, null],
  ],
  ...['UNBOUNDED FOLLOWING AND UNBOUNDED FOLLOWING', 'UNBOUNDED FOLLOWING AND CURRENT ROW'].map(
    (frame) => [`SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN ${frame}) AS x FROM ${four}`, /cannot begin at/] as const,
  ),
  [`SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) AS x FROM ${four}`, /cannot end/],
  ...['1 FOLLOWING AND CURRENT ROW', 'CURRENT ROW AND 1 PRECEDING', '1 FOLLOWING AND 1 PRECEDING'].map(
    (frame) =>
      [`SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN ${frame}) AS x FROM ${four}`, /ends before it begins/] as const,
  ),
  [`SELECT TRY_PARSE_JSON(s) AS x FROM (VALUES ('NaN'), ('[1,]'), ('[1, 2]')) AS t (s)`, [null, null, '[1,2]']],
  [`SELECT PARSE_JSON(s) AS x FROM (VALUES ('-Infinity')) AS t (s)`, /a string is not JSON/],
  [
    `SELECT REGEXP_LIKE(REPEAT(s, 900000), '${'a|b'.repeat(100)}') AS x FROM (VALUES ('a')) AS t (s)`,
    /a string of more than 666666 characters is too long/,
  ],
  [`SELECT PARSE_JSON(s) AS x FROM (VALUES ('{')) AS t (s)`, /a string is not JSON/],
  [
    "SELECT JSON_OBJECT(KEY s VALUE 1) AS x FROM (VALUES (NULLIF('a', 'a'))) AS t (s)",
    /a key of a JSON object is null/,
  ],
]

test.each(cases)('%s', async (text, answer) => {
  const reply = await askSql(world, adminKey, text)
  if (answer instanceof RegExp) {
    expect(reply).toEqual({ status: 400, text: expect.stringMatching(answer) })
    return
  }
  const values = [...reply.text.matchAll(/"x":(null|"[^"]*"|[^,}]*)/g)].map(([, value]) => value!.replaceAll('"', ''))
  expect({ ...reply, values }).toMatchObject({ status: 200, values: answer.map((value) => value ?? 'null') })
})

test('an error message of the engine goes to the log, not to the caller', async () => {
  const text =
    'SELECT x.l AS x FROM fuzz AS x LEFT JOIN fuzz AS y ON x.l = y.l AND y.l = (SELECT MAX(z.l) FROM fuzz AS z WHERE z.l = x.l)'
  expect(
    await faultOf(world, { path: '/consumer/data/sql-query', body: JSON.stringify({ sql_query: text }) }),
  ).toBeNull()
})

const count = Number(process.env['TIDEMARK_FUZZ_QUERIES'] ?? 150)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)

/** Rows written into the query. */
const inline = (rows: readonly (readonly unknown[])[], types: readonly (string | null)[]) => ({
  type: 'inline',
  columnNames: ['k', 'l'],
  columnTypes: types,
  rows,
})
const always = ['0000-01-01/3000-01-01']
const counts = [{ type: 'count', name: 'n' }]
const empty = { ...inline([], ['STRING', 'LONG']) }

/** Native queries that once caused a failure of the service. */
const natives: Readonly<Record<string, readonly [query: object, answer: unknown]>> = {
  'rows without a time, in buckets': [
    {
      queryType: 'timeseries',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: '1970/1971',
      granularity: 'year',
      aggregations: counts,
    },
    [{ timestamp: '1970-01-01T00:00:00.000Z', result: { n: 1 } }],
  ],
  'rows without a time, in other buckets': [
    {
      queryType: 'timeseries',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: '2026/2027',
      granularity: 'year',
      aggregations: counts,
    },
    [{ timestamp: '2026-01-01T00:00:00.000Z', result: { n: 0 } }],
  ],
  'rows without a time, in groups by day': [
    {
      queryType: 'groupBy',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: always,
      granularity: 'day',
      dimensions: ['k'],
      aggregations: [],
    },
    [{ version: 'v1', timestamp: '1970-01-01T00:00:00.000Z', event: { k: 'a' } }],
  ],
  'the right side of a join alone, by day': [
    {
      queryType: 'groupBy',
      dataSource: {
        type: 'join',
        left: empty,
        right: inline([['a', 1]], ['STRING', 'LONG']),
        rightPrefix: 'r.',
        condition: 'k == "r.k"',
        joinType: 'FULL',
      },
      intervals: always,
      granularity: 'day',
      dimensions: ['r.k'],
      aggregations: [],
    },
    [{ version: 'v1', timestamp: '1970-01-01T00:00:00.000Z', event: { 'r.k': 'a' } }],
  ],
  'numbers beyond longs': [
    {
      queryType: 'scan',
      dataSource: inline(
        [
          ['a', 1e38],
          ['b', -1e300],
        ],
        ['STRING', 'LONG'],
      ),
      intervals: always,
      columns: ['l'],
      resultFormat: 'compactedList',
    },
    [
      {
        segmentId: null,
        columns: ['l'],
        events: [[2 ** 63], [-(2 ** 63)]],
        rowSignature: [{ name: 'l', type: 'LONG' }],
      },
    ],
  ],
  'numbers beyond longs, of no type': [
    {
      queryType: 'scan',
      dataSource: inline([['a', 1e38]], ['STRING', null]),
      intervals: always,
      columns: ['l'],
      resultFormat: 'compactedList',
    },
    [{ segmentId: null, columns: ['l'], events: [[1e38]], rowSignature: [{ name: 'l' }] }],
  ],
  'JSON that is none': [
    {
      queryType: 'scan',
      dataSource: inline(
        ['NaN', '-Infinity', '[1,]', '{"a":1,}', '["nan", ",]", 1e5]', '[1, "x"]'].map((text) => [text, 1]),
        ['STRING', 'LONG'],
      ),
      intervals: always,
      virtualColumns: [{ type: 'expression', name: 'v', expression: 'try_parse_json(k)', outputType: 'COMPLEX<json>' }],
      columns: ['v'],
      resultFormat: 'compactedList',
    },
    expect.arrayContaining([
      expect.objectContaining({ events: [[null], [null], [null], [null], [['nan', ',]', 1e5]], [[1, 'x']]] }),
    ]),
  ],
  'JSON of no number': [
    {
      queryType: 'scan',
      dataSource: inline([['nan', 1]], ['STRING', 'LONG']),
      intervals: always,
      virtualColumns: [
        {
          type: 'expression',
          name: 'v',
          expression: "json_object('a', -1 / 0.0, 'b', 0 / 0.0, 'c', k)",
          outputType: 'COMPLEX<json>',
        },
      ],
      columns: ['v'],
      resultFormat: 'compactedList',
    },
    expect.arrayContaining([expect.objectContaining({ events: [[{ a: '-Infinity', b: 'NaN', c: 'nan' }]] })]),
  ],
  'a filter by no interval': [
    {
      queryType: 'timeseries',
      dataSource: 'fuzz',
      intervals: always,
      granularity: 'all',
      aggregations: counts,
      filter: { type: 'interval', dimension: 'T', intervals: [] },
    },
    [expect.objectContaining({ result: { n: 0 } })],
  ],
  'a period of more than there is': [
    {
      queryType: 'scan',
      dataSource: 'fuzz',
      intervals: always,
      virtualColumns: [{ type: 'expression', name: 'v', expression: "timestamp_shift(__time, 'P2147483647W', 1)" }],
      columns: ['v'],
    },
    expect.anything(),
  ],
  'groups by days of a zone, of rows of the years 1 and 9999': [
    {
      queryType: 'groupBy',
      dataSource: 'fuzz',
      intervals: '9999-07-01/P1Y',
      granularity: { type: 'period', period: 'P1D', timeZone: 'Europe/Madrid' },
      dimensions: [],
      aggregations: [],
    },
    [{ version: 'v1', timestamp: expect.stringMatching(/10000-01-01T00:00:00.000.01:00$/), event: {} }],
  ],
  'a long pattern and long texts': [
    {
      queryType: 'scan',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: always,
      virtualColumns: [{ type: 'expression', name: 'v', expression: 'repeat(k, 500000)' }],
      filter: { type: 'regex', dimension: 'v', pattern: 'a|b'.repeat(500) },
      columns: ['v'],
    },
    expect.objectContaining({
      code: 'invalid_request',
      detail: expect.stringMatching(/a string of more than 133333 characters is too long for this pattern/),
    }),
  ],
  'a long pattern and short texts': [
    {
      queryType: 'search',
      dataSource: 'fuzz',
      intervals: always,
      searchDimensions: ['T'],
      query: { type: 'regex', pattern: `t1$|${'b'.repeat(5000)}` },
    },
    [expect.objectContaining({ result: [expect.objectContaining({ dimension: 'T', value: 't1' })] })],
  ],
  'too long a pattern': [
    {
      queryType: 'scan',
      dataSource: 'fuzz',
      intervals: always,
      filter: { type: 'like', dimension: 'T', pattern: 'a%_'.repeat(7000) },
    },
    expect.objectContaining({ detail: expect.stringMatching(/filter.pattern: has more than 20000 characters/) }),
  ],
  'rows without a time, in no interval': [
    {
      queryType: 'groupBy',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: ['2026/2026'],
      granularity: 'all',
      dimensions: ['k'],
      aggregations: counts,
    },
    [],
  ],
  'groups that have a time': [
    {
      queryType: 'groupBy',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: '1970/1971',
      granularity: 'day',
      dimensions: ['k'],
      aggregations: [],
      having: { type: 'filter', filter: { type: 'interval', dimension: '__time', intervals: ['1970/P1D'] } },
    },
    [{ version: 'v1', timestamp: '1970-01-01T00:00:00.000Z', event: { k: 'a' } }],
  ],
  'groups that have another time': [
    {
      queryType: 'groupBy',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: '1970/1971',
      granularity: 'all',
      dimensions: ['k'],
      aggregations: [],
      having: { type: 'filter', filter: { type: 'range', column: '__time', matchValueType: 'LONG', lower: 1 } },
    },
    [],
  ],
  'a total over nothing': [
    {
      queryType: 'timeseries',
      dataSource: inline([['a', 1]], ['STRING', 'LONG']),
      intervals: always,
      granularity: 'all',
      filter: { type: 'false' },
      aggregations: counts,
      context: { grandTotal: true, skipEmptyBuckets: true },
    },
    [{ timestamp: null, result: { n: null } }],
  ],
  'deviations by their own estimator': [
    {
      queryType: 'groupBy',
      dataSource: inline(
        [
          ['a', 1],
          ['a', 3],
        ],
        ['STRING', 'LONG'],
      ),
      intervals: always,
      granularity: 'all',
      dimensions: [],
      aggregations: [
        { type: 'variance', name: 's', fieldName: 'l' },
        { type: 'variance', name: 'p', fieldName: 'l', estimator: 'population' },
      ],
      postAggregations: ['s', 'p'].flatMap((fieldName) => [
        { type: 'stddev', name: `sample of ${fieldName}`, fieldName },
        { type: 'stddev', name: `population of ${fieldName}`, fieldName, estimator: 'population' },
      ]),
    },
    [
      expect.objectContaining({
        event: {
          s: 2,
          p: 1,
          'sample of s': Math.SQRT2,
          'population of s': 1,
          'sample of p': Math.SQRT2,
          'population of p': 1,
        },
      }),
    ],
  ],
  'an interval beyond all time': [
    {
      queryType: 'timeseries',
      dataSource: 'fuzz',
      intervals: always,
      granularity: 'all',
      aggregations: counts,
      filter: { type: 'interval', dimension: 'nothing', intervals: ['2020/P999999999Y'] },
    },
    expect.anything(),
  ],
  'days of a zone, of ten thousand years': [
    {
      queryType: 'timeseries',
      dataSource: inline([], ['STRING', 'LONG']),
      intervals: '0000-01-01/10000-01-01',
      granularity: { type: 'period', period: 'P1D', timeZone: 'America/St_Johns' },
      aggregations: counts,
    },
    expect.objectContaining({ code: 'too_many_buckets' }),
  ],
}

test.each(Object.entries(natives))('native: %s', async (_name, [query, answer]) => {
  const body = JSON.stringify({ query_type: (query as { queryType: string }).queryType, query_data: query })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` }
  const response = await fetch(`${world.service.url}/consumer/data/druid-native-query`, {
    method: 'POST',
    headers,
    body,
  })
  expect(await response.json()).toEqual(answer)
  expect(response.status).toBeLessThan(500)
})

test('random native queries never cause a failure of the service', async () => {
  const nativeOf = (number: number) => ({ path: '/consumer/data/druid-native-query', body: fuzzedNative(number) })
  expect(await runFuzzed(world, nativeOf, { first: seed * 1_000_000, count, atOnce: 4 })).toEqual([])
}, 120_000)

test('random SQL queries never cause a failure of the service', async () => {
  const sqlOf = (number: number) => ({
    path: '/consumer/data/sql-query',
    body: JSON.stringify({ sql_query: fuzzedSql(number) }),
  })
  expect(await runFuzzed(world, sqlOf, { first: seed * 1_000_000, count, atOnce: 4 })).toEqual([])
}, 120_000)
