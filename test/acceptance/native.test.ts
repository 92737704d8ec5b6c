// Native queries over HTTP: the rows that they see, who may send them, and that no request makes the service fail.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest, makeReader } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
/** A key that may read only `plant`. */
let readerKey: string

const plantFields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'on', type: 'boolean', role: 'dimension' },
  { name: 'seen', type: 'timestamp', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'L', type: 'long', role: 'metric' },
]

const row = (hour: number, tag: string, V: number, more: object = {}): object => {
  return { D: Date.UTC(2026, 0, 1, hour), T: tag, V, ...more }
}

async function push(ingest: string, key: string, rows: readonly object[] | string): Promise<void> {
  const text = typeof rows === 'string' ? rows : JSON.stringify(rows)
  await callOk(service.url, 'POST', `/ingests/${ingest}/data?wait=true`, { key, text })
}

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key', 'limits.resultRows': '50', 'limits.buckets': '100' })
  const plantKey = await makeIngest(service.url, adminKey, { alias: 'plant', fields: plantFields })
  const secretKey = await makeIngest(service.url, adminKey, { alias: 'secret' })
  const replacedKey = await makeIngest(service.url, adminKey, { alias: 'replaced', duplicates: 'replace' })
  await push('plant', plantKey, [row(0, 'a', 1, { on: true, seen: 1000 }), row(2, 'b', 2), row(50, 'a', 4)])
  await push('plant', plantKey, `[{"D":${Date.UTC(2026, 0, 1, 51)},"T":"c","L":9007199254740993}]`)
  await push('secret', secretKey, [row(0, 'x', 1)])
  await push('replaced', replacedKey, [row(0, 'a', 1), row(0, 'a', 7)])
  await push('replaced', replacedKey, [row(0, 'a', 9)])
  readerKey = await makeReader(service.url, adminKey, ['plant'])
})

afterAll(() => service?.close())

const always = ['2026-01-01/2027-01-01']
const timeseries = {
  queryType: 'timeseries',
  dataSource: 'plant',
  intervals: always,
  granularity: 'all',
  aggregations: [{ type: 'count', name: 'n' }],
}

function ask(query: object, key: string = adminKey, name = 'druid-native-query') {
  const { queryType } = query as { queryType?: string }
  const body = { query_type: queryType ?? 'timeseries', query_data: query }
  return call<unknown>(service.url, 'POST', `/consumer/data/${name}`, { key, body })
}

const countOf = async (dataSource: unknown): Promise<unknown> => {
  const { body } = await ask({ ...timeseries, dataSource })
  return (body as readonly { result: { n: number } }[])[0]?.result.n
}

describe('results', () => {
  test.each(['druid-native-query', 'analytics-native-query'])('are returned by /consumer/data/%s', async (name) => {
    const { status, body } = await ask(
      { ...timeseries, granularity: 'hour', intervals: ['2026-01-01/P1D'] },
      adminKey,
      name,
    )
    expect([status, body]).toEqual([
      200,
      [0, 1, 2].map((hour) => ({ timestamp: `2026-01-01T0${hour}:00:00.000Z`, result: { n: hour === 1 ? 0 : 1 } })),
    ])
  })

  test('granularity "all" has the time of the first day, or of the last one if descending', async () => {
    const asked = { ...timeseries, aggregations: [] }
    expect((await ask(asked)).body).toMatchObject([{ timestamp: '2026-01-01T00:00:00.000Z' }])
    expect((await ask({ ...asked, descending: true })).body).toMatchObject([{ timestamp: '2026-01-03T02:00:00.000Z' }])
  })

  test('rows have their own types: times as milliseconds, booleans as 0 and 1', async () => {
    const { body } = await ask({
      queryType: 'scan',
      dataSource: 'plant',
      intervals: ['2026-01-01/PT1H'],
      resultFormat: 'compactedList',
      columns: ['__time', 'T', 'on', 'seen', 'V', 'L', 'D', 'nobody'],
    })
    expect(body).toMatchObject([{ events: [[Date.UTC(2026, 0, 1), 'a', 1, 1000, 1, null, null, null]] }])
  })

  test('longs keep all their digits in the query and in the result', async () => {
    const request = JSON.stringify({
      query_type: 'scan',
      query_data: {
        dataSource: 'plant',
        intervals: always,
        columns: ['L'],
        filter: { type: 'equals', column: 'L', matchValueType: 'LONG', matchValue: 'DIGITS' },
      },
    }).replace('"DIGITS"', '9007199254740993')
    const response = await fetch(`${service.url}/consumer/data/druid-native-query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: request,
    })
    expect(await response.text()).toContain('"events":[{"L":9007199254740993}]')
  })

  test('rows that replace each other count as the newest one only', async () => {
    expect(await countOf('replaced')).toBe(1)
    const sum = { type: 'doubleSum', name: 'v', fieldName: 'V' }
    expect((await ask({ ...timeseries, dataSource: 'replaced', aggregations: [sum] })).body).toMatchObject([
      { result: { v: 9 } },
    ])
  })

  test('arrays and JSON that expressions create', async () => {
    const columns = {
      list: "map((x) -> concat(x, '!'), array(T, 'z'))",
      json: "json_object('at', T, 'on', parse_json('[1, {\"two\": 2.5}]'))",
      value: "json_value(parse_json('{\"a\":[1,2]}'), '$.a[1]', 'LONG')",
    }
    const { body } = await ask({
      queryType: 'scan',
      dataSource: 'plant',
      intervals: ['2026-01-01/PT1H'],
      columns: Object.keys(columns),
      virtualColumns: Object.entries(columns).map(([name, expression]) => ({ type: 'expression', name, expression })),
    })
    const event = { list: ['a!', 'z!'], json: { at: 'a', on: [1, { two: 2.5 }] }, value: 2 }
    expect(body).toMatchObject([{ events: [event] }])
  })

  test('include rows pushed just before, of all days, and of several entities', async () => {
    expect(await countOf('plant')).toBe(4)
    expect(await countOf({ type: 'union', dataSources: ['plant', 'secret'] })).toBe(5)
  })
})

describe('without explicit columns a query reads the columns of both sides of a join', () => {
  const join = {
    type: 'join',
    left: 'plant',
    right: {
      type: 'inline',
      columnNames: ['tag', 'area', 'floor'],
      columnTypes: ['STRING', 'STRING', 'LONG'],
      rows: [['b', 'north', 3]],
    },
    rightPrefix: 'r.',
    condition: 'T == "r.tag"',
    joinType: 'INNER',
  }

  test('scan', async () => {
    const { body } = await ask({ queryType: 'scan', dataSource: join, intervals: always })
    expect(body).toMatchObject([
      {
        columns: ['__time', 'T', 'on', 'seen', 'V', 'L', 'r.tag', 'r.area', 'r.floor'],
        events: [{ T: 'b', V: 2, 'r.tag': 'b', 'r.area': 'north', 'r.floor': 3 }],
      },
    ])
  })

  test('search', async () => {
    const query = { type: 'contains', value: 'north' }
    const { body } = await ask({ queryType: 'search', dataSource: join, intervals: always, granularity: 'all', query })
    expect(body).toMatchObject([{ result: [{ dimension: 'r.area', value: 'north', count: 1 }] }])
  })
})

describe('expired rows', () => {
  const dayMs = 86_400_000
  const daysAgo = (days: number) => Date.now() - days * dayMs
  /** The result of a query for segments or their newest date. */
  const reported = async (queryType: string, more: object = {}) =>
    (await ask({ queryType, dataSource: 'leaving', ...more })).body
  const interval = (fromDays: number, untilDays: number) =>
    `${new Date(daysAgo(fromDays)).toISOString()}/${new Date(daysAgo(untilDays)).toISOString()}`
  const retain = (retention: string) =>
    callOk(service.url, 'PATCH', '/admin/entities/leaving', { key: adminKey, body: { retention } })

  beforeAll(async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'leaving' })
    await push(
      'leaving',
      key,
      [30, 20, 10].map((days) => ({ D: daysAgo(days), T: 'a', V: days })),
    )
  })

  test('are not reported by metadata queries', async () => {
    expect(await reported('dataSourceMetadata')).toHaveLength(1)
    await retain('P15D')
    expect(await reported('dataSourceMetadata')).toHaveLength(1)
    expect(await reported('segmentMetadata', { intervals: [interval(40, 16)] })).toEqual([])
    expect(await reported('segmentMetadata', { intervals: [interval(40, 5)] })).toHaveLength(1)
    await retain('P5D')
    expect(await reported('dataSourceMetadata')).toEqual([])
    expect(await reported('segmentMetadata', { intervals: [interval(40, 1)] })).toEqual([])
    expect(await reported('segmentMetadata')).toEqual([])
  })

  test('are hidden in a union by the retention of each entity', async () => {
    const dataSource = { type: 'union', dataSources: ['leaving', 'plant'] }
    const { status, body } = await ask({ ...timeseries, dataSource, intervals: ['2020-01-01/2100-01-01'] })
    // Druid has one filter for the whole union, and refuses what it cannot express.
    if (status === 400) expect(body).toMatchObject({ code: 'unsupported_native_query' })
    else expect(body).toMatchObject([{ result: { n: 4 } }])
  })
})

describe('access', () => {
  const inner = { queryType: 'groupBy', dataSource: 'secret', intervals: always, granularity: 'all', dimensions: ['T'] }
  test.each<[string, unknown]>([
    ['a table', 'secret'],
    ['a table in a union', { type: 'union', dataSources: ['plant', 'secret'] }],
    ['a table of an inner query', { type: 'query', query: inner }],
    [
      'the right side of a join',
      {
        type: 'join',
        left: 'plant',
        right: { type: 'query', query: inner },
        rightPrefix: 'r.',
        condition: '"T" == "r.T"',
        joinType: 'LEFT',
      },
    ],
  ])('%s that the key may not read is reported like an unknown one', async (_, dataSource) => {
    const { status, body } = await ask({ ...timeseries, dataSource }, readerKey)
    expect([status, body]).toMatchObject([
      400,
      { code: 'unknown_entity', errors: [{ path: expect.stringMatching(/^query_data\.dataSource/) }] },
    ])
    const unknown = await ask(
      JSON.parse(JSON.stringify({ ...timeseries, dataSource }).replaceAll('secret', 'ghost')),
      readerKey,
    )
    expect(JSON.stringify(unknown.body).replaceAll('ghost', 'secret')).toBe(JSON.stringify(body))
  })

  test('the key reads its own entities, and a request without a key is a 403', async () => {
    expect((await ask(timeseries, readerKey)).body).toMatchObject([{ result: { n: 4 } }])
    expect(await call(service.url, 'POST', '/consumer/data/druid-native-query', { body: {} })).toMatchObject({
      status: 403,
    })
  })
})

const nested = (times: number, wrap: (inner: object) => object, inner: object): object => {
  let found = inner
  for (let time = 0; time < times; time++) found = wrap(found)
  return found
}
const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

describe('hostile queries are answered or rejected', () => {
  test.each<[string, object, number]>([
    ['deeply nested filters', { filter: nested(1500, (field) => ({ type: 'not', field }), { type: 'true' }) }, 400],
    ['a filter of 5000 filters', { filter: { type: 'or', fields: many(5000, () => ({ type: 'true' })) } }, 400],
    [
      'a list of 50,000 strings',
      { filter: { type: 'in', dimension: 'T', values: many(50_000, (index) => `v${index}`) } },
      200,
    ],
    ['a list of 50,000 numbers', { filter: { type: 'in', dimension: 'L', values: many(50_000, String) } }, 200],
    ['5000 intervals', { intervals: many(5000, (index) => `${2000 + index}/P1D`) }, 400],
    ['5000 aggregators', { aggregations: many(5000, (index) => ({ type: 'count', name: `n${index}` })) }, 400],
    [
      'a chain of 900 virtual columns',
      {
        virtualColumns: many(900, (index) => ({
          type: 'expression',
          name: `v${index}`,
          expression: `v${index - 1} + 1`,
        })),
        aggregations: [{ type: 'longSum', name: 'n', fieldName: 'v899' }],
      },
      400,
    ],
    [
      'an expression of nested parentheses',
      { filter: { type: 'expression', expression: `${'('.repeat(9000)}1${')'.repeat(9000)}` } },
      400,
    ],
    ['an expression of 9000 signs', { filter: { type: 'expression', expression: `${'-'.repeat(9000)}1` } }, 400],
    [
      'an expression of 5000 summands',
      { filter: { type: 'expression', expression: many(5000, () => 'L').join('+') } },
      400,
    ],
    [
      'a string that is too long',
      { filter: { type: 'expression', expression: "strlen(repeat('a', 2000000000)) > 0" } },
      400,
    ],
    [
      'a pattern that ends in its escape',
      { filter: { type: 'like', dimension: 'T', pattern: 'a\\', escape: '\\' } },
      200,
    ],
    [
      'a pattern that is too large',
      { filter: { type: 'regex', dimension: 'T', pattern: '(((a{100}){100}){100})' } },
      400,
    ],
    ['half a surrogate pair', { filter: { type: 'selector', dimension: '\ud800', value: '\ud800' } }, 200],
    ['a name with a NUL', { dataSource: 'pla\0nt' }, 400],
    ['an origin out of range', { granularity: { type: 'period', period: 'P1M1D', origin: '-290000-01-01' } }, 400],
    ['too many buckets', { granularity: 'second', intervals: ['2026-01-01/P1D'] }, 413],
    ['values of wrong types', { filter: [], aggregations: {}, granularity: 7 }, 400],
    ['a data source that is a number', { dataSource: 5 }, 400],
    ['a negative timeout', { context: { timeout: -1 } }, 400],
  ])('%s', async (_, change, status) => {
    const answer = await ask({ ...timeseries, ...change })
    expect([answer.status, answer.body]).toEqual([status, expect.anything()])
  })

  test.each<[string, string]>([
    ['a type that differs from that of the query', '{"query_type":"scan","query_data":{"queryType":"timeseries"}}'],
    ['no query type', '{"query_data":{}}'],
    ['an unknown property', '{"query_type":"scan","query_data":{},"x":1}'],
    ['deeply nested lists', `{"query_type":"scan","query_data":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
    ['a query that is a list', '{"query_type":"scan","query_data":[]}'],
    ['invalid JSON', '{"query_type":'],
  ])('a body with %s', async (_, text) => {
    const answer = await call(service.url, 'POST', '/consumer/data/druid-native-query', { key: adminKey, text })
    expect(answer.status).toBe(400)
  })
})

test('more rows than limits.resultRows are a 413', async () => {
  const rows = many(51, (index) => [index])
  const dataSource = { type: 'inline', columnNames: ['x'], columnTypes: ['LONG'], rows }
  // Rows without a time are in 1970.
  const answer = await ask({ queryType: 'scan', dataSource, intervals: ['1970-01-01/2027-01-01'] })
  expect(answer).toMatchObject({ status: 413, body: { code: 'result_too_large' } })
})

test('a query that exceeds its own timeout is a 503', async () => {
  const wide = { queryType: 'scan', dataSource: 'plant', intervals: always, columns: ['T'] }
  const sides = many(15, (index) => ({ right: { type: 'query', query: wide }, rightPrefix: `r${index}.` }))
  const dataSource = sides.reduce<unknown>(
    (left, side) => ({ type: 'join', left, ...side, condition: '1', joinType: 'INNER' }),
    'plant',
  )
  const answer = await ask({ ...timeseries, dataSource, context: { timeout: 100 } })
  expect(answer).toMatchObject({ status: 503, body: { code: 'query_timeout' } })
  expect((await ask(timeseries)).status).toBe(200)
})
