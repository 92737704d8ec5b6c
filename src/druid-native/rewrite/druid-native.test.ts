import { describe, expect, test } from 'vitest'
import { positionColumn } from '../../model/druid-row.ts'
import type { Entity } from '../../model/entity.ts'
import { druidNative } from './druid-native.ts'

const plant: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

const dayMs = 86_400_000
const since = (day: number): number => Date.UTC(2026, 0, 1) + day * dayMs
/** Entities whose rows older than 20 and 10 days after the start of 2026 have expired. */
const others: readonly Entity[] = [
  { ...plant, id: 2, name: 'short', sinceMs: since(20) },
  { ...plant, id: 3, name: 'long', sinceMs: since(10) },
]

async function rendered(data: object, queryType = 'scan'): Promise<object> {
  const own = { dataSource: 'plant', intervals: ['2026-01-01/P1D'], ...data }
  const body = Buffer.from(JSON.stringify({ query_type: queryType, query_data: own }))
  return (await druidNative(body, { entities: [plant, ...others], clusterName: 'c', rowsMax: 100 })).query
}

describe('the rewrite of a query for deletions', () => {
  const selection = { tag: 'T', ids: ['a'], prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
  const pushed = [{ from: 0, before: 512 }]
  const metrics = [{ name: 'V', type: 'double' as const }]
  const fields = [...plant.fields, { name: 'V', type: 'double', role: 'metric' } as const]
  const rowsGone = { ...plant, id: 7, name: 'rows', fields, hidden: [{ id: 1, selection, pushed, items: null }] }
  const valuesGone = {
    ...rowsGone,
    id: 8,
    name: 'values',
    hidden: [{ id: 2, selection: { ...selection, metrics }, pushed, items: null }],
  }
  const replaced = { ...rowsGone, id: 9, name: 'replaced', duplicates: 'replace' as const }
  const entities = [plant, rowsGone, valuesGone, replaced]
  const asked = async (queryType: string, data: object) => {
    const own = {
      intervals: ['2026-01-01/P1D'],
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'n' }],
      ...data,
    }
    const body = Buffer.from(JSON.stringify({ query_type: queryType, query_data: own }))
    return (await druidNative(body, { entities, clusterName: 'c', rowsMax: 100 })).query
  }
  const isFiltered = { filter: { type: 'not', field: { type: 'istrue' } } }
  const table = (id: number) => ({ dataSource: { type: 'table', name: `c_${id}` } })
  const within = (id: number, more: object) => ({ dataSource: { type: 'query', query: { ...table(id), ...more } } })
  const column = { type: 'expression', name: 'T', expression: "'b'", outputType: 'STRING' }
  const ofVisible = within(8, { virtualColumns: [{ name: ':visible:V' }] })

  test.each<[why: string, queryType: string, data: object, expected: object]>([
    ['deleted rows: a filter', 'timeseries', { dataSource: 'rows' }, { ...table(7), ...isFiltered }],
    [
      'deleted rows: a filter of the time bounds too',
      'timeBoundary',
      { dataSource: 'rows' },
      { ...table(7), ...isFiltered },
    ],
    [
      'rows that replace older ones: an inner query with a filter',
      'timeseries',
      { dataSource: 'replaced' },
      within(9, isFiltered),
    ],
    [
      'rows that replace older ones: an inner query over the same intervals, not vectorized',
      'timeseries',
      { dataSource: 'replaced' },
      within(9, { intervals: ['2026-01-01/P1D'], context: { vectorize: 'false' } }),
    ],
    [
      'rows that replace older ones: an inner query over all time if the interval is empty',
      'groupBy',
      { dataSource: 'replaced', dimensions: [], intervals: ['2026-01-01/2026-01-01'] },
      within(9, { intervals: [expect.stringMatching(/^-1461/)] }),
    ],
    [
      'deleted rows: an inner query if a virtual column has the name of the tag',
      'timeseries',
      { dataSource: 'rows', virtualColumns: [column] },
      within(7, isFiltered),
    ],
    [
      'deleted values: no change if the metric name is only part of a word',
      'timeseries',
      { dataSource: 'values', filter: { type: 'null', column: 'OVER' } },
      table(8),
    ],
    ['deleted values: no change if the metric is not used', 'timeseries', { dataSource: 'values' }, table(8)],
    [
      'deleted values: an inner query for a metric in a filter',
      'timeseries',
      { dataSource: 'values', filter: { type: 'null', column: 'V' } },
      ofVisible,
    ],
    ['deleted values: an inner query for a scan of all columns', 'scan', { dataSource: 'values' }, ofVisible],
    [
      'deleted values: an inner query for a metric in an expression',
      'scan',
      { dataSource: 'values', columns: ['x'], virtualColumns: [{ ...column, name: 'x', expression: '1 + V' }] },
      ofVisible,
    ],
    [
      'deleted values: an inner query for a metric named by a Unicode escape',
      'scan',
      { dataSource: 'values', columns: ['x'], virtualColumns: [{ ...column, name: 'x', expression: '"\\u0056"' }] },
      ofVisible,
    ],
    ['an entity without deletions: no change', 'timeseries', { dataSource: 'plant' }, table(1)],
  ])('%s (%s)', async (_, queryType, data, expected) => {
    expect(await asked(queryType, data)).toMatchObject(expected)
  })

  const scan = { queryType: 'scan', dataSource: 'rows', columns: ['T'], intervals: ['2026-01-01/P1D'] }
  const joined = (left: unknown) => ({
    ...{ type: 'join', left, right: { type: 'query', query: scan }, rightPrefix: 'r.' },
    ...{ condition: 'T == "r.T"', joinType: 'INNER' },
  })

  test('both sides of a join are filtered separately, each in its inner query', async () => {
    const query = await asked('timeseries', { dataSource: joined('rows') })
    expect(query).not.toHaveProperty('filter')
    const right = { type: 'query', query: { ...table(7), ...isFiltered } }
    expect(query).toMatchObject({ dataSource: { left: within(7, isFiltered).dataSource, right } })
  })

  test('a union is refused, except by segmentMetadata', async () => {
    const dataSource = { type: 'union', dataSources: ['plant', 'rows'].map((name) => ({ type: 'table', name })) }
    for (const one of [dataSource, joined(dataSource)]) {
      const refused = expect(asked('timeseries', { dataSource: one })).rejects
      await refused.toMatchObject({ code: 'unsupported_native_query' })
    }
    expect(await asked('segmentMetadata', { dataSource })).toMatchObject({ dataSource: { type: 'union' } })
  })
})

describe('expressions with arrays, lambdas and JSON are sent to Druid unchanged', () => {
  test.each([
    ["array_length(string_to_array(T, ','))", 'LONG'],
    ['map((x) -> x + 1, [1, 2])', 'ARRAY<LONG>'],
    ["fold((x, acc) -> concat(acc, x), mv_to_array(T), '')", 'STRING'],
    ['cartesian_map((x, y) -> x + y, <LONG>[1], array(2))', 'ARRAY<LONG>'],
    ["any((x) -> x == 'a', T)", 'LONG'],
    ["json_value(parse_json(T), '$.a', 'DOUBLE')", 'DOUBLE'],
    ["ipv4_match(T, '10.0.0.0/8')", 'LONG'],
    ['human_readable_decimal_format(ulp(1))', 'STRING'],
  ])('%s', async (expression, outputType) => {
    const column = { type: 'expression', name: 'v', expression, outputType }
    const filter = { type: 'arrayContainsElement', column: 'v', elementMatchValueType: 'LONG', elementMatchValue: 1 }
    expect(await rendered({ virtualColumns: [column], filter })).toMatchObject({ virtualColumns: [column], filter })
  })

  test('a lambda cannot read a hidden column', async () => {
    const column = { type: 'expression', name: 'v', expression: `map((x) -> concat(x, "${positionColumn}"), T)` }
    await expect(rendered({ virtualColumns: [column] })).rejects.toThrow('there is no column')
  })
})

test.each<readonly [unknown, unknown]>([
  ['six_hour', { type: 'period', period: 'PT6H', origin: '1970-01-01T06:00:00.000Z' }],
  [
    { type: 'period', period: 'PT7H' },
    { type: 'period', period: 'PT7H', origin: '1970-01-01T07:00:00.000Z' },
  ],
  [
    { type: 'period', period: 'PT6H', timeZone: 'Europe/Madrid' },
    { type: 'period', period: 'PT6H', timeZone: 'Europe/Madrid', origin: '1970-01-01T05:00:00.000Z' },
  ],
  ['hour', 'hour'],
  ['thirty_minute', 'thirty_minute'],
  ['day', 'day'],
  [
    { type: 'period', period: 'P1D' },
    { type: 'period', period: 'P1D' },
  ],
  [
    { type: 'period', period: 'PT6H', origin: 0 },
    { type: 'period', period: 'PT6H', origin: 0 },
  ],
  [
    { type: 'duration', duration: 21_600_000 },
    { type: 'duration', duration: 21_600_000 },
  ],
])(
  'buckets of %j get an origin after 1970 if they span several hours, or Druid loses rows before 1970',
  async (granularity, expected) => {
    expect(await rendered({ granularity, aggregations: [] }, 'timeseries')).toMatchObject({ granularity: expected })
  },
)

test.each([
  [[], true],
  [['2026-01-01/2026-01-01'], true],
  [['2026-01-01/P1D', '2026-02-01/2026-02-01'], false],
])('a groupBy over %j becomes a query that matches no row: %j', async (intervals, isOther) => {
  const rewritten = await rendered({ intervals, granularity: 'all', dimensions: [] }, 'groupBy')
  const asked = isOther ? { intervals: ['1970-01-01/P1D'], filter: { type: 'false' } } : { intervals }
  expect(rewritten).toMatchObject(asked)
})

test('groups by an array and subtotals are not limited before they are complete', async () => {
  const column = { type: 'expression', name: 'v', expression: 'array(T)', outputType: 'ARRAY<STRING>' }
  const groups = (outputType: string) => ({
    virtualColumns: [column],
    dimensions: [{ type: 'default', dimension: 'v', outputName: 'k', outputType }],
    limitSpec: { type: 'default', limit: 2 },
  })
  const ofArrays = await rendered({ granularity: 'all', ...groups('ARRAY<STRING>') }, 'groupBy')
  expect(ofArrays).toMatchObject({ context: { applyLimitPushDown: false } })
  expect(await rendered({ granularity: 'all', ...groups('STRING') }, 'groupBy')).toMatchObject({ context: {} })
  const subtotals = { ...groups('STRING'), subtotalsSpec: [['k'], []] }
  expect(await rendered({ granularity: 'all', ...subtotals }, 'groupBy')).toMatchObject({
    context: { applyLimitPushDown: false },
  })
  const inner = {
    queryType: 'groupBy',
    dataSource: 'plant',
    intervals: '2026/2027',
    granularity: 'all',
    ...groups('ARRAY<STRING>'),
  }
  expect(await rendered({ dataSource: { type: 'query', query: inner } })).toMatchObject({
    dataSource: { query: { context: { applyLimitPushDown: false } } },
  })
})

test('post-aggregators read final values, not the intermediate state of an aggregator', async () => {
  const access = (fieldName: string) => ({ type: 'fieldAccess', fieldName })
  const final = (fieldName: string) => ({ type: 'finalizingFieldAccess', fieldName })
  const plus = (fields: readonly object[]) => ({ type: 'arithmetic', name: 'p', fn: '+', fields })
  const estimate = { type: 'thetaSketchEstimate', name: 'e', field: access('sketch') }
  const aggregations = [
    { type: 'count', name: 'count' },
    { type: 'doubleMean', name: 'mean', fieldName: '__time' },
    { type: 'filtered', filter: { type: 'true' }, aggregator: { type: 'longLast', name: 'last', fieldName: '__time' } },
    { type: 'thetaSketch', name: 'sketch', fieldName: 'T' },
  ]
  const greatest = { type: 'doubleGreatest', fields: [access('last'), access('sketch')] }
  const postAggregations = [
    plus([access('mean'), access('count'), greatest]),
    { ...access('mean'), name: 'm' },
    estimate,
  ]
  expect(await rendered({ granularity: 'all', aggregations, postAggregations }, 'timeseries')).toMatchObject({
    postAggregations: [
      plus([final('mean'), access('count'), { ...greatest, fields: [final('last'), final('sketch')] }]),
      { ...final('mean'), name: 'm' },
      estimate,
    ],
  })
})

test('having conditions on first and last values, which may be null, become filters', async () => {
  const last = { type: 'doubleLast', name: 'last', fieldName: 'V' }
  const sum = { type: 'doubleSum', name: 'sum', fieldName: 'V' }
  const first = {
    type: 'filtered',
    filter: { type: 'true' },
    aggregator: { ...last, type: 'longFirst', name: 'first' },
  }
  const compare = (type: string, aggregation: string, value: number) => ({ type, aggregation, value })
  const having = {
    type: 'and',
    havingSpecs: [
      compare('greaterThan', 'last', 1.5),
      { type: 'not', havingSpec: compare('lessThan', 'first', 2) },
      compare('equalTo', 'last', 3),
      compare('equalTo', 'sum', 3),
    ],
  }
  const filter = (rest: object) => ({ type: 'filter', filter: rest })
  const range = { type: 'range', column: 'last', matchValueType: 'DOUBLE', lower: 1.5, lowerOpen: true }
  expect(
    await rendered({ granularity: 'all', aggregations: [last, sum, first], having, dimensions: ['T'] }, 'groupBy'),
  ).toMatchObject({
    having: {
      havingSpecs: [
        filter(range),
        {
          havingSpec: filter({ type: 'range', column: 'first', matchValueType: 'LONG', upper: 2, upperOpen: true }),
        },
        filter({ type: 'equals', column: 'last', matchValueType: 'LONG', matchValue: 3 }),
        compare('equalTo', 'sum', 3),
      ],
    },
  })
})

const inlineRows = {
  type: 'inline',
  columnNames: ['tag', 'n'],
  columnTypes: ['STRING', 'LONG'],
  rows: [['a', null]],
}
const joined = {
  type: 'join',
  left: 'plant',
  rightPrefix: 'r.',
  condition: 'T == "r.tag"',
  joinType: 'LEFT',
}
const innerGroups = {
  queryType: 'groupBy',
  intervals: ['2026-01-01/P1D'],
  granularity: 'all',
  dimensions: ['T'],
  aggregations: [{ type: 'longMax', name: 'n', fieldName: '__time' }],
}

test('a filter for a non-numeric string in a numeric column becomes one that matches nothing', async () => {
  const column = (name: string, outputType: string) => ({
    type: 'expression',
    name,
    expression: '__time + 1',
    outputType,
  })
  const virtualColumns = [column('l', 'LONG'), column('d', 'DOUBLE'), column('s', 'STRING')]
  const never = (name: string, matchValueType: string) => ({
    type: 'and',
    fields: [0, 1].map((matchValue) => ({ type: 'equals', column: name, matchValueType, matchValue })),
  })
  const seeks = (dimension: string, value: string) => ({ type: 'selector', dimension, value })
  const twice = { type: 'in', dimension: 'l', values: ['2.5', '2.5'] }
  const fields = [seeks('l', 'a'), seeks('d', ''), twice, seeks('s', 'a'), seeks('d', '1.5'), seeks('l', '7')]
  expect(await rendered({ virtualColumns, filter: { type: 'or', fields } })).toMatchObject({
    filter: { fields: [never('l', 'LONG'), never('d', 'DOUBLE'), never('l', 'LONG'), ...fields.slice(3)] },
  })
})

test.each([
  ['of inline rows', inlineRows, 'n'],
  ['of the right side of a join', { ...joined, right: inlineRows }, 'r.n'],
  ['of the left side of a join', { ...joined, left: inlineRows, right: inlineRows }, 'n'],
  ['of an inner groupBy', { type: 'query', query: { ...innerGroups, dataSource: 'plant' } }, 'n'],
  [
    'of an inner timeseries',
    { type: 'query', query: { ...innerGroups, queryType: 'timeseries', dataSource: 'plant' } },
    'n',
  ],
])('a filter for a string in a numeric column %s matches nothing', async (_, dataSource, dimension) => {
  const filter = { type: 'selector', dimension, value: 'a' }
  const never = { type: 'equals', column: dimension, matchValueType: 'LONG' }
  expect(await rendered({ dataSource, filter, columns: [dimension] })).toMatchObject({
    filter: { type: 'and', fields: [never, never] },
  })
})

describe('expired rows', () => {
  const union = { dataSource: { type: 'union', dataSources: ['short', 'long'] } }
  const sinceDay = (day: number) => ({
    type: 'interval',
    dimension: '__time',
    intervals: [`${new Date(since(day)).toISOString()}/146140482-04-24T15:36:27.903Z`],
  })

  test('are excluded by a filter', async () => {
    expect(await rendered({ dataSource: 'short' })).toMatchObject({ filter: sinceDay(20) })
  })

  test('differ between the entities of a union: a query that needs two filters is refused', async () => {
    const intervals = ['2026-01-15/P30D']
    await expect(rendered({ ...union, intervals })).rejects.toThrow('from 2026-01-21T00:00:00.000Z on')
    expect(await rendered({ ...union, intervals: ['2026-01-21/P30D'] })).toMatchObject({ filter: sinceDay(20) })
  })

  test('are excluded from the intervals of segmentMetadata', async () => {
    const asked = { dataSource: 'short', intervals: ['2026-01-01/2026-01-11', '2026-01-15/2026-01-30'] }
    expect(await rendered(asked, 'segmentMetadata')).toMatchObject({
      intervals: ['2026-01-21T00:00:00.000Z/2026-01-30T00:00:00.000Z'],
    })
  })
})

describe('omitted columns default to those of both sides of a join', () => {
  const dataSource = {
    type: 'join',
    left: 'plant',
    right: {
      type: 'inline',
      columnNames: ['tag', 'area', 'floor'],
      columnTypes: ['STRING', 'STRING', 'LONG'],
      rows: [['a', 'north', 1]],
    },
    rightPrefix: 'r.',
    condition: 'T == "r.tag"',
    joinType: 'INNER',
  }

  test('in a scan', async () => {
    expect(await rendered({ dataSource })).toMatchObject({ columns: ['__time', 'T', 'r.tag', 'r.area', 'r.floor'] })
  })

  test('in a search, to those of strings', async () => {
    const query = { type: 'contains', value: 'a' }
    expect(await rendered({ dataSource, query }, 'search')).toMatchObject({
      searchDimensions: ['T', 'r.tag', 'r.area'],
    })
  })
})
