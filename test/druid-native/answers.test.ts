// Surprising answers of a real Druid 33.0.0: which groups a topN keeps, orders and types, and values that are not numbers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, DuckDbEngine } from './duckdb-engine.ts'

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine.close())

const timeMs = Date.UTC(2024, 0, 1)
const dataSource = {
  type: 'inline',
  columnNames: ['__time', 's', 'n'],
  columnTypes: ['LONG', 'STRING', 'LONG'],
  rows: ['a', 'a', 'b', '10', '9', null].map((text, index) => [timeMs, text, index]),
}
const query = { dataSource, intervals: ['2024-01-01/2024-01-02'], granularity: 'all' }
const count = { type: 'count', name: 'c' }
const s = { type: 'default', dimension: 's', outputName: 'd0' }
const byDimension = { type: 'dimension', ordering: 'lexicographic' }

interface Entry {
  readonly timestamp?: string | null
  readonly result?: readonly Readonly<Record<string, unknown>>[]
  readonly event?: Readonly<Record<string, unknown>>
}

async function entriesOf(asked: object): Promise<readonly Entry[]> {
  return JSON.parse(await answerOf(asked, engine)) as readonly Entry[]
}

const topNs: readonly (readonly [string, object, object, readonly (string | null)[]])[] = [
  ['every value, null first', s, byDimension, [null, '10', '9', 'a', 'b']],
  ['only the listed values', { type: 'listFiltered', delegate: s, values: ['a'] }, byDimension, ['a']],
  ['null if it is listed', { type: 'listFiltered', delegate: s, values: ['a', null] }, byDimension, [null, 'a']],
  [
    'null if it is not excluded',
    { type: 'listFiltered', delegate: s, values: ['a'], isWhitelist: false },
    byDimension,
    [null, '10', '9', 'b'],
  ],
  [
    'no null if it is excluded',
    { type: 'listFiltered', delegate: s, values: ['a', null], isWhitelist: false },
    byDimension,
    ['10', '9', 'b'],
  ],
  [
    'the values after a previousStop that is not a number, in numeric order',
    s,
    { type: 'dimension', ordering: 'numeric', previousStop: 'a' },
    ['b', '9', '10'],
  ],
]

test.each(topNs)('a topN returns %s', async (_, dimension, metric, texts) => {
  const asked = { ...query, queryType: 'topN', dimension, metric, threshold: 10, aggregations: [count] }
  const [entry] = await entriesOf(asked)
  expect(entry!.result!.map(({ d0 }) => d0)).toEqual(texts)
})

test.each([
  ["upper('ß')", 'SS'],
  ["format('%S', 'aß')", 'ASS'],
])('%s', async (expression, text) => {
  const virtualColumns = [{ type: 'expression', name: 'v', expression, outputType: 'STRING' }]
  const asked = { ...query, queryType: 'scan', columns: ['v'], virtualColumns, limit: 1 }
  expect(await answerOf(asked, engine)).toContain(`"v":"${text}"`)
})

test.each([
  ['columns', ['s', 'n'], [0, 1, 3]],
  ['output names, which are not columns', ['d0', 'd1'], [3, 3, 3]],
])('the grouping aggregator of %s', async (_, groupings, bits) => {
  const found = await entriesOf({
    ...query,
    queryType: 'groupBy',
    dimensions: [s, { type: 'default', dimension: 'n', outputName: 'd1', outputType: 'LONG' }],
    filter: { type: 'selector', dimension: 's', value: 'b' },
    aggregations: [count, { type: 'grouping', name: 'g', groupings }],
    subtotalsSpec: [['d0', 'd1'], ['d0'], []],
  })
  expect(found.map(({ event }) => event!['g'])).toEqual(bits)
})

describe('subtotals under a calendar granularity', () => {
  const rows = ['2024-01-15', '2024-02-01', '2024-02-20', '2024-03-05'].flatMap((day, index) => [
    [Date.parse(day), 'a', index],
    [Date.parse(day) + 3_600_000, 'b', index],
  ])
  const subtotals = {
    ...query,
    dataSource: { ...dataSource, rows },
    intervals: ['2024-01-10/2024-04-01'],
    granularity: 'month',
    queryType: 'groupBy',
    dimensions: [s],
    aggregations: [count],
  }
  const shown = async (asked: object): Promise<readonly string[]> =>
    (await entriesOf({ ...subtotals, ...asked })).map(
      ({ timestamp, event }) => `${timestamp!.slice(5, 7)} ${event!['d0']} ${event!['c']}`,
    )
  const months = ['02 a 2', '02 b 2', '03 a 1', '03 b 1']

  test.each<readonly [string, object, readonly string[]]>([
    [
      'have no bucket that starts before the interval',
      { subtotalsSpec: [['d0'], []] },
      [...months, '02 null 4', '03 null 2'],
    ],
    ['have no such bucket with a single set either', { subtotalsSpec: [['d0']] }, months],
    [
      'have no such bucket with empty sets either',
      { subtotalsSpec: [[], []] },
      ['02 null 4', '03 null 2', '02 null 4', '03 null 2'],
    ],
    ['a groupBy without subtotals has that bucket', {}, ['01 a 1', '01 b 1', ...months]],
    [
      'have a bucket that starts in any of the intervals',
      { subtotalsSpec: [[]], intervals: ['2024-01-10/2024-02-10', '2024-02-15/2024-04-01'] },
      ['02 null 4', '03 null 2'],
    ],
    [
      'have no bucket that starts between two intervals',
      { subtotalsSpec: [[]], intervals: ['2024-01-10/2024-01-20', '2024-02-15/2024-04-01'] },
      ['03 null 2'],
    ],
    [
      'are sorted as a whole if they are limited',
      { subtotalsSpec: [['d0'], []], limitSpec: { type: 'default', limit: 10 } },
      ['02 a 2', '02 b 2', '02 null 4', '03 a 1', '03 b 1', '03 null 2'],
    ],
    [
      'are sorted by dimensions first with sortByDimsFirst',
      { subtotalsSpec: [['d0']], context: { sortByDimsFirst: true } },
      ['02 a 2', '03 a 1', '02 b 2', '03 b 1'],
    ],
  ])('%s', async (_, asked, expected) => {
    expect(await shown(asked)).toEqual(expected)
  })
})

describe('a query over empty intervals', () => {
  const mean = { type: 'doubleMean', name: 'm', fieldName: 'n' }
  const sum = { type: 'longSum', name: 's', fieldName: 'n' }
  const nothing = { c: 0, m: 0, s: null }
  const timeseries = { ...query, queryType: 'timeseries', aggregations: [count, mean, sum] }

  test.each([
    [[], 'all'],
    [['2024-01-01/2024-01-01'], 'all'],
    [['2024-01-01/PT0S', '2023-05-01/2023-05-01'], 'all'],
    [[], 'day'],
    [['2024-01-01/2024-01-01'], 'day'],
  ])('%j with the granularity %s', async (intervals, granularity) => {
    const asked = { ...timeseries, intervals, granularity }
    const isWhole = granularity === 'all'
    const row = { timestamp: '1970-01-01T00:00:00.000Z', result: nothing }
    expect(await entriesOf(asked)).toEqual(isWhole ? [row] : [])
    expect(await entriesOf({ ...asked, descending: true })).toEqual(isWhole ? [row] : [])
    expect(await entriesOf({ ...asked, context: { skipEmptyBuckets: true } })).toEqual([])
    const total = { timestamp: null, result: isWhole ? nothing : { c: null, m: null, s: null } }
    expect(await entriesOf({ ...asked, context: { grandTotal: true } })).toEqual(isWhole ? [row, total] : [total])
    for (const other of [
      { queryType: 'topN', dimension: s, metric: 'c', threshold: 3 },
      { queryType: 'groupBy', dimensions: [s] },
    ])
      expect(await entriesOf({ ...asked, ...other })).toEqual([])
  })

  test('does not take the timestamp of an empty interval if another one has rows', async () => {
    const intervals = ['2023-01-01/2023-01-01', '2024-01-01/2024-01-02']
    const [group] = await entriesOf({ ...timeseries, intervals, queryType: 'groupBy', dimensions: [] })
    expect(group!.timestamp).toBe('2024-01-01T00:00:00.000Z')
  })
})

describe('sums of doubles that overflow in between', () => {
  const large = [1e308, 1e308, -1e308, 1e308, -1e308, 5]
  const rows = large.map((value, index) => [timeMs + index, index < 3 ? 'a' : 'b', value])
  const source = { ...dataSource, columnTypes: ['LONG', 'STRING', 'DOUBLE'], rows }
  const sum = { type: 'doubleSum', name: 's', fieldName: 'n' }
  const mean = { type: 'doubleMean', name: 'm', fieldName: 'n' }
  const ofA = { type: 'selector', dimension: 's', value: 'a' }
  const asked = { ...query, dataSource: source, queryType: 'groupBy', dimensions: [], aggregations: [sum, mean] }

  test.each<readonly [string, object, object]>([
    ['are finite if the result is', {}, { s: 1e308, m: 1e308 / 6 }],
    [
      'are finite in filtered aggregators',
      {
        aggregations: [
          { type: 'filtered', filter: ofA, aggregator: sum },
          { type: 'filtered', filter: ofA, aggregator: mean },
        ],
      },
      { s: 1e308, m: 1e308 / 3 },
    ],
    [
      'are finite in expressions and post-aggregators',
      {
        aggregations: [{ ...sum, fieldName: undefined, expression: 'n * 0.5' }, mean],
        postAggregations: [{ type: 'expression', name: 'p', expression: 's * 2 / m' }],
      },
      { s: 5e307, m: 1e308 / 6, p: 6 },
    ],
    [
      'have a finite mean even if the sum is infinite',
      { filter: { type: 'bound', dimension: 'n', lower: '6', ordering: 'numeric' } },
      { s: 'Infinity', m: 1e308 },
    ],
  ])('%s', async (_, more, expected) => {
    const [group] = await entriesOf({ ...asked, ...more })
    const close = Object.entries(expected).map(([name, value]) => [
      name,
      typeof value === 'number' ? expect.closeTo(value, -296) : value,
    ])
    expect(group!.event).toEqual(Object.fromEntries(close))
  })

  test('have a null variance if the squares overflow, as in SQL', async () => {
    const variance = { type: 'variance', name: 'v', fieldName: 'n' }
    const deviation = { type: 'stddev', name: 'd', fieldName: 'v' }
    const both = { aggregations: [variance], postAggregations: [deviation] }
    expect((await entriesOf({ ...asked, ...both }))[0]!.event).toEqual({ v: null, d: null })
    const small = { ...source, rows: [1, 3].map((value) => [timeMs, 'a', value]) }
    expect((await entriesOf({ ...asked, ...both, dataSource: small }))[0]!.event).toEqual({ v: 2, d: Math.SQRT2 })
  })
})

/** A text becomes the number that it represents, and null where that is not a whole number. */
test.each([
  ['1e3', 1000],
  ['007', 7],
  ['10.0', 10],
  ['-1.5', null],
  ['NaN', null],
  ['5f', null],
])('a dimension of longs reads the string %s as %s', async (text, number) => {
  const rows = [[timeMs, text, 1]]
  const [entry] = await entriesOf({
    ...query,
    dataSource: { ...dataSource, rows },
    queryType: 'groupBy',
    dimensions: [{ ...s, outputType: 'LONG' }],
    aggregations: [count],
  })
  expect(entry!.event).toEqual({ d0: number, c: 1 })
})

test.each([
  ['s != null', 'LONG'],
  ['null + 1', 'LONG'],
  ["concat(s, 'a')", 'STRING'],
])('%s has the type %s', async (expression, type) => {
  const virtualColumns = [{ type: 'expression', name: 'v', expression, outputType: type }]
  const asked = { ...query, queryType: 'scan', columns: ['v'], virtualColumns, limit: 1 }
  expect(await answerOf(asked, engine)).toContain(`"rowSignature":[{"name":"v","type":"${type}"}]`)
})

test('a grand total without buckets is null, except for cardinality, HLL sketches and post-aggregators', async () => {
  const asked = {
    ...query,
    queryType: 'timeseries',
    intervals: [],
    granularity: 'day',
    aggregations: [
      count,
      { type: 'cardinality', name: 'a', fields: ['s'], round: true },
      { type: 'filtered', filter: { type: 'true' }, aggregator: { type: 'HLLSketchBuild', name: 'h', fieldName: 's' } },
      { type: 'thetaSketch', name: 't', fieldName: 's' },
      { type: 'doubleMean', name: 'm', fieldName: 'n' },
    ],
    postAggregations: [
      { type: 'constant', name: 'p', value: 2 },
      { type: 'expression', name: 'q', expression: 'a + 1' },
      { type: 'expression', name: 'r', expression: 'nvl(c, 5)' },
    ],
    context: { grandTotal: true },
  }
  expect(await entriesOf(asked)).toEqual([
    { timestamp: null, result: { c: null, a: 0, h: 0, t: null, m: null, p: 2, q: 1, r: 5 } },
  ])
})

test.each([
  { type: 'arithmetic', name: 'p', fn: '+' },
  { type: 'doubleGreatest', name: 'p' },
])('a string operand is refused: $type', async (post) => {
  const access = (fieldName: string): object => ({ type: 'fieldAccess', fieldName })
  const postAggregations = [{ ...post, fields: [access('a'), access('c')] }]
  const aggregations = [{ type: 'stringLast', name: 'a', fieldName: 's' }, count]
  const asked = { ...query, queryType: 'timeseries', aggregations, postAggregations }
  await expect(answerOf(asked, engine)).rejects.toThrow('is a string: arithmetic needs numbers')
})

test('a histogram without values is NaN', async () => {
  const field = { type: 'fieldAccess', fieldName: 'q' }
  const points = { type: 'quantilesDoublesSketchToHistogram', name: 'p', field, splitPoints: [1, 2] }
  const bins = { type: 'quantilesDoublesSketchToHistogram', name: 'b', field, numBins: 2 }
  const asked = {
    ...query,
    queryType: 'timeseries',
    aggregations: [{ type: 'quantilesDoublesSketch', name: 'q', fieldName: 'nothing' }],
    postAggregations: [points, bins],
  }
  const [entry] = await entriesOf(asked)
  expect(entry!.result).toMatchObject({ p: ['NaN', 'NaN', 'NaN'], b: ['NaN', 'NaN'] })
})

test('alphanumeric order is case-insensitive', async () => {
  const rows = ['aGV', 'abc', 'B', 'a2', 'A10', null].map((text, index) => [timeMs, text, index])
  const asked = {
    ...query,
    dataSource: { ...dataSource, rows },
    queryType: 'topN',
    dimension: s,
    metric: { type: 'dimension', ordering: 'alphanumeric' },
    threshold: 10,
    aggregations: [count],
  }
  const [entry] = await entriesOf(asked)
  expect(entry!.result!.map(({ d0 }) => d0)).toEqual([null, 'a2', 'A10', 'abc', 'aGV', 'B'])
})

test.each([
  { queryType: 'search', query: { type: 'all' }, sort: { type: 'natural' } },
  { queryType: 'timeseries', filter: { type: 'bound', dimension: 's', lower: 'a', ordering: 'natural' } },
  { queryType: 'topN', dimension: s, metric: { type: 'dimension', ordering: 'natural' }, threshold: 10 },
])('natural order is refused for strings: %j', async (asked) => {
  await expect(answerOf({ ...query, aggregations: [count], ...asked }, engine)).rejects.toThrow(
    '"natural" does not compare',
  )
})

const upTo3 = { type: 'substring', index: 3 }
test.each([
  [{ type: 'search', query: { type: 'all' } }, 3, 0],
  [{ type: 'search', query: { type: 'fragment', values: [] } }, 3, 0],
  [{ type: 'bound', lower: 'a', extractionFn: upTo3 }, 1, 3],
  [{ type: 'like', pattern: 'd%', extractionFn: upTo3 }, 1, 0],
])('%j matches %i of four rows, and is false for %i', async (filter, found, isFalse) => {
  const rows = ['abcd', 'b', 'c', null].map((text) => [timeMs, text, 1])
  const countOf = async (asked: object): Promise<unknown> => {
    const body = { ...query, queryType: 'timeseries', dataSource: { ...dataSource, rows }, filter: asked }
    return JSON.parse(await answerOf({ ...body, aggregations: [count] }, engine))[0]?.result
  }
  const whole = { ...filter, dimension: 's' }
  expect(await countOf(whole)).toEqual({ [count.name]: found })
  expect(await countOf({ type: 'isfalse', field: whole })).toEqual({ [count.name]: isFalse })
})

/** For text columns of a table, Druid excludes null by its index. Without an index, null counts as outside the bounds. */
describe('filters on values outside the bounds, with nulls', () => {
  const rows = [
    { s: 'a', n: 1 },
    { s: 'B', n: 3 },
    { s: null, n: 5 },
    { s: 'a', n: null },
  ]
  const lexicographic = { type: 'bound', dimension: 's', lower: 'a' }
  const numeric = { ...lexicographic, lower: '1', ordering: 'numeric' }
  const ofNumber = { type: 'bound', dimension: 'n', lower: '2', ordering: 'numeric' }
  const or = (...fields: readonly object[]) => ({ type: 'or', fields })
  const not = (field: object) => ({ type: 'not', field })
  const selector = (dimension: string) => ({ type: 'selector', dimension, value: '77' })
  const expression = (text: string) => ({ type: 'expression', expression: text })
  const virtualColumns = [{ type: 'expression', name: 'v', expression: 'lower(s)', outputType: 'STRING' }]
  const columns = ['__time', 's', 'n']
  const scan = { type: 'query', query: { ...query, queryType: 'scan', dataSource: 'bounded', columns } }
  const table = { ...query, queryType: 'timeseries', dataSource: 'bounded', virtualColumns }

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-bounds-'))
    const file = join(folder, 'rows.json')
    await writeFile(
      file,
      rows.map((row) => JSON.stringify({ time: new Date(timeMs).toISOString(), ...row })).join('\n'),
    )
    const types = [
      { name: 's', type: 'STRING' },
      { name: 'n', type: 'LONG' },
    ] as const
    await engine.load('bounded', types, file)
    await rm(folder, { recursive: true })
  })

  test.each<[string, object, number, object?]>([
    ['a string column of a table', not(lexicographic), 1],
    ['a string column in numeric order', not(numeric), 4],
    ['a virtual column', not({ ...lexicographic, dimension: 'v' }), 1],
    ['a missing column', not({ ...lexicographic, dimension: 'none' }), 4],
    ['a numeric column', not(ofNumber), 1],
    ['a numeric column from a string on, which sorts before all numbers', not({ ...ofNumber, lower: 'a' }), 0],
    ['a numeric column between a string and a number', not({ ...ofNumber, lower: 'a', upper: '3' }), 1],
    ['a numeric column up to a string', not({ ...ofNumber, lower: null, upper: 'a' }), 3],
    ['a numeric column up to a number, as strings', { type: 'bound', dimension: 'n', upper: '3' }, 2],
    [
      'a numeric column up to a number, by length',
      { type: 'bound', dimension: 'n', upper: '3', ordering: 'strlen' },
      2,
    ],
    [
      'a numeric column of an inner scan, as strings',
      { type: 'bound', dimension: 'n', upper: '3' },
      3,
      { dataSource: scan },
    ],
    ['a string column in a range of numbers', not({ type: 'range', column: 's', matchValueType: 'LONG', lower: 1 }), 3],
    ['a string column with isfalse', { type: 'isfalse', field: lexicographic }, 1],
    ['a string column or another filter on it, negated', not(or(lexicographic, selector('s'))), 1],
    ['a string column or an expression on it, negated', not(or(lexicographic, expression("s == 'x'"))), 1],
    [
      'a string column or a filter on a numeric one, negated',
      not(or({ ...lexicographic, lower: 'Z' }, selector('n'))),
      2,
    ],
    ['a string column or an expression on a numeric one, negated', not(or(lexicographic, expression('n == 77'))), 2],
    [
      'a string column or a filter on a numeric one, with istrue',
      { type: 'istrue', field: or(not(lexicographic), selector('n')) },
      2,
    ],
    ['a string column or a filter on a numeric one', or(not(lexicographic), selector('n')), 1],
    ['a numeric column of an inner scan', not(ofNumber), 2, { dataSource: scan }],
    ['a string column of an inner scan', not(lexicographic), 2, { dataSource: scan }],
  ])('%s', async (_, filter, found, more = {}) => {
    const countOf = async (asked: object): Promise<unknown> =>
      JSON.parse(await answerOf({ ...table, ...more, ...asked }, engine))[0]?.result
    expect(await countOf({ filter, aggregations: [count] })).toEqual({ c: found })
  })

  test('a filtered aggregator counts nulls as outside the bounds', async () => {
    const aggregations = [{ type: 'filtered', filter: not(lexicographic), aggregator: count, name: 'c' }]
    expect(JSON.parse(await answerOf({ ...table, aggregations }, engine))[0]?.result).toEqual({ c: 2 })
  })
})

test.each([
  ['x', [null]],
  ['', [null]],
  ['1.5', [null]],
  ['1.0', [1]],
  [null, [null]],
])('a having selector for %j on a numeric column', async (value, found) => {
  const rows = [1, 2, null].map((n) => [timeMs, 'a', n])
  const dimensions = [{ type: 'default', dimension: 'n', outputName: 'd0', outputType: 'LONG' }]
  const having = { type: 'filter', filter: { type: 'selector', dimension: 'd0', value } }
  const asked = { ...query, queryType: 'groupBy', dataSource: { ...dataSource, rows }, dimensions, having }
  const groups = JSON.parse(await answerOf(asked, engine)) as { readonly event: { readonly d0: number | null } }[]
  expect(groups.map(({ event }) => event.d0)).toEqual(found)
})

test.each([
  ["parse_long('zz', 36)", '1295'],
  ["strpos('', '', 1)", '0'],
  ["strpos('ab', '', 1)", '1'],
  ["strpos('aba', 'a', 1)", '2'],
  [`parse_long('${'z'.repeat(30)}', 36)`, 'null'],
  [`parse_long('${'0'.repeat(20)}11', 2)`, '3'],
  [`parse_long('${'f'.repeat(60)}', 16)`, 'null'],
])('%s', async (expression, value) => {
  const virtualColumns = [{ type: 'expression', name: 'v', expression, outputType: 'LONG' }]
  const asked = { ...query, queryType: 'scan', columns: ['v'], virtualColumns, limit: 1 }
  expect(await answerOf(asked, engine)).toContain(`"v":${value}`)
})

test('the unit MICROSECOND is refused', async () => {
  const expression = "timestamp_extract(__time, 'MICROSECOND')"
  const virtualColumns = [{ type: 'expression', name: 'v', expression, outputType: 'LONG' }]
  const asked = { ...query, queryType: 'scan', columns: ['v'], virtualColumns }
  await expect(answerOf(asked, engine)).rejects.toThrow('there is no unit "MICROSECOND"')
})

describe('filters compare strings with numbers by their numeric value', () => {
  const column = {
    type: 'inline',
    columnNames: ['__time', 's'],
    columnTypes: ['LONG', 'STRING'],
    rows: ['007', '10', '-1.5', '1e3', 'true', 'a', '', null, '9007199254740993'].map((text) => [timeMs, text]),
  }
  const equals = (matchValueType: string, matchValue: number | bigint): object => ({
    ...{ type: 'equals', column: 's', matchValueType },
    matchValue,
  })
  const amongLongs = (...values: readonly (number | null)[]): object => ({
    ...{ type: 'inType', column: 's', matchValueType: 'LONG' },
    values,
  })
  const contains = { type: 'arrayContainsElement', column: 's', elementMatchValueType: 'LONG', elementMatchValue: 7 }
  const others = ['', '-1.5', '10', '1e3', '9007199254740993', 'a', 'true']

  test.each<readonly [string, object, readonly (string | null)[]]>([
    ['a long', equals('LONG', 7), ['007']],
    ['a whole double', equals('DOUBLE', 10), ['10']],
    ['a double', equals('DOUBLE', -1.5), ['-1.5']],
    ['a float', equals('FLOAT', 1000), ['1e3']],
    ['a fraction, which is not truncated', equals('LONG', -1), []],
    ['a boolean, which is not a number', equals('LONG', 1), []],
    ['all strings but one', { type: 'not', field: equals('LONG', 7) }, others],
    ['several longs, which an exponent does not match', amongLongs(7, 1000, 10), ['007', '10']],
    ['one long, listed twice', amongLongs(1000, 1000), ['1e3']],
    ['several doubles', { ...amongLongs(7, 1000), matchValueType: 'DOUBLE' }, ['007', '1e3']],
    ['several longs or null', amongLongs(7, null), ['007', null]],
    ['none of several longs', { type: 'not', field: amongLongs(7, null) }, others],
    ['an element of an array', contains, ['007']],
  ])('%s', async (_, filter, texts) => {
    const entries = await entriesOf({
      ...query,
      ...{ queryType: 'groupBy', dataSource: column, dimensions: ['s'], aggregations: [count], filter },
    })
    const found = entries.map(({ event }) => event?.['s'])
    expect(found.toSorted()).toEqual(texts.toSorted())
  })
})
