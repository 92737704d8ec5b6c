// Compares native queries that the store answers from its own columns with the SQL engine's answers over the same rows.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readNativeQuery } from '../../src/druid-native/parse/read-query.ts'
import { planNative } from '../../src/druid-native/plan/plan-native.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { type Draw, drawFrom, oneOf } from '../support/random-rows.ts'
import { rounds } from '../support/rounds.ts'
import { answerOf } from './duckdb-engine.ts'
import { byStore, entity, PlannedWorlds, randomFilter, read, startMs } from './planned-worlds.ts'

let worlds: PlannedWorlds
beforeAll(async () => {
  worlds = await PlannedWorlds.open()
})
afterAll(() => worlds.close())

const aggregations = [
  { type: 'count', name: 'n' },
  { type: 'doubleSum', name: 'sum', fieldName: 'V' },
  { type: 'longSum', name: 'longs', fieldName: 'l' },
  { type: 'doubleMin', name: 'least', fieldName: 'V' },
  { type: 'longMax', name: 'most', fieldName: 'l' },
  { type: 'doubleMax', name: 'mixed', fieldName: 'l' },
  { type: 'doubleMean', name: 'mean', fieldName: 'V' },
  {
    type: 'filtered',
    name: 'nothing',
    filter: { type: 'selector', dimension: 'tag', value: 'unknown' },
    aggregator: { type: 'doubleMax', name: 'nothing', fieldName: 'V' },
  },
  { type: 'cardinality', name: 'tags', fields: ['tag'], round: true },
  { type: 'cardinality', name: 'texts', fields: [{ type: 'default', dimension: 's' }], byRow: true },
]
/** Columns of numeric filters. */
const numbers = ['l', 'V', 'double', 'long']
const computed = [
  { type: 'doubleSum', name: 'computedSum', fieldName: 'double' },
  { type: 'doubleMean', name: 'computedMean', fieldName: 'double' },
  { type: 'doubleMin', name: 'computedLeast', fieldName: 'double' },
  { type: 'longSum', name: 'computedLongs', fieldName: 'long' },
  { type: 'longMax', name: 'computedMost', fieldName: 'long' },
  { type: 'doubleMax', name: 'computedMixed', fieldName: 'long' },
  { type: 'doubleLast', name: 'computedLast', fieldName: 'double' },
  { type: 'longFirst', name: 'computedFirst', fieldName: 'long' },
]
const ends = [
  { type: 'doubleLast', name: 'last', fieldName: 'V' },
  { type: 'longFirst', name: 'first', fieldName: 'l' },
  { type: 'stringLast', name: 'text', fieldName: 's', maxStringBytes: 1 },
]
const sketches = [
  { type: 'thetaSketch', name: 'theta', fieldName: 's' },
  { type: 'HLLSketchBuild', name: 'hll', fieldName: 'site', round: true },
]
const field = (fieldName: string): object => ({ type: 'fieldAccess', fieldName })
const posts = [
  { type: 'arithmetic', name: 'ratio', fn: '/', fields: [field('sum'), field('n')] },
  { type: 'fieldAccess', name: 'copy', fieldName: 'n' },
  { type: 'constant', name: 'four', value: 4 },
  { type: 'arithmetic', name: 'less', fn: '-', fields: [field('ratio'), { type: 'constant', name: 'c', value: 2 }] },
]

/** A numeric expression over the given outputs, which every query has. */
function postExpression(draw: Draw, inputs: readonly string[], depth = 0): string {
  const leaf = oneOf(draw, [...inputs, ...inputs, '2', '0', '-3', '2.5', '7'])
  if (depth > 2 || draw(4) === 0) return leaf
  const one = (): string => postExpression(draw, inputs, depth + 1)
  switch (draw(9)) {
    case 0:
    case 1:
      return draw(9) === 0 ? '(n % 7)' : `(${one()} ${oneOf(draw, ['+', '-', '*', '/'])} ${one()})`
    case 2:
      return `(${one()} ${oneOf(draw, ['<', '<=', '>', '>=', '==', '!='])} ${one()})`
    case 3:
      return `(${one()} ${oneOf(draw, ['&&', '||'])} ${one()})`
    case 4:
      return `${oneOf(draw, ['-', '!'])}(${one()})`
    case 5:
      return `${oneOf(draw, ['floor', 'ceil', 'abs', 'sqrt', 'isnull', 'notnull'])}(${one()})`
    case 6:
      return oneOf(draw, [
        `nvl(${one()}, ${one()})`,
        `coalesce(null, ${one()}, ${one()})`,
        `safe_divide(${one()}, ${one()})`,
      ])
    case 7:
      return `cast(${one()}, '${oneOf(draw, ['LONG', 'DOUBLE', 'long'])}')`
    default:
      return oneOf(draw, [
        `if(${one()}, ${one()}, ${one()})`,
        `case_searched(${one()}, ${one()}, ${one()}, null, ${one()})`,
        `case_simple(${one()}, 1, ${one()}, 2.0, ${one()})`,
      ])
  }
}

function expressionPost(draw: Draw, inputs: readonly string[], texts: readonly string[]): object {
  const number = postExpression(draw, inputs)
  const text = oneOf(draw, [...texts, "'low'", "''"])
  const expression = oneOf(draw, [
    number,
    number,
    number,
    `if(${number}, 'high', ${text})`,
    `nvl(${text}, 'none') > 'a'`,
  ])
  const isText = expression.includes("'high'")
  const outputType = oneOf(draw, isText ? ['STRING', undefined] : ['LONG', 'DOUBLE', undefined])
  return { type: 'expression', expression, outputType }
}

/** Restricts some of the aggregators to the rows that pass a filter. */
function filtered<One extends { readonly name: string }>(
  draw: Draw,
  aggregator: One,
): object & { readonly name: string } {
  if (draw(4) > 0) return aggregator
  const inner = draw(4) === 0 ? filtered(draw, aggregator) : aggregator
  const made = { type: 'filtered', name: aggregator.name, filter: randomFilter(draw, 1, numbers), aggregator: inner }
  return made
}

/** A floored time, and fields under other names or their own. */
function virtualColumns(draw: Draw): readonly object[] {
  const zone = oneOf(draw, ['', ", null, 'Europe/Madrid'", ", null, 'Asia/Kolkata'"])
  const expression = `timestamp_floor(__time, '${oneOf(draw, ['PT1H', 'P1D', 'P1W', 'P1M'])}'${zone})`
  const renamed = oneOf(draw, [
    { name: 'other', expression: '"V"' },
    { name: 's', expression: 's' },
    { name: 's', expression: 'site' },
  ])
  const computed = [
    { name: 'double', expression: oneOf(draw, ['V * 1.8 + 32', '(V - l) / 4', 'l / 8.0', '-2 * V - 1', 'l + V * V']) },
    { name: 'long', expression: oneOf(draw, ['l * 3', 'l / 2 + 1', '7 - l', 'l % 5', 'l / -1', 'l - l * l']) },
  ]
  return [
    { type: 'expression', name: 'floor', expression, outputType: 'LONG' },
    { type: 'expression', outputType: 'STRING', ...renamed },
    ...computed.map((column) => ({ type: 'expression', ...column })),
  ]
}

function query(draw: Draw, dataSource: string): object {
  const queryType = oneOf(draw, ['timeseries', 'topN', 'groupBy'])
  const byExpression = draw(3) === 0 ? 1 + draw(2) : 0
  const inputs = ['n', 'sum', 'mean', 'longs', 'nothing']
  const texts = queryType === 'groupBy' ? ['tag'] : []
  const worked = Array.from({ length: byExpression }, (_, at) => ({
    name: `made${at}`,
    ...expressionPost(draw, at === 0 ? inputs : [...inputs, 'copy'], texts),
  }))
  const plain = draw(2) === 0 && byExpression < 2 ? [] : posts.slice(0, 1 + draw(posts.length))
  const postAggregations = byExpression < 2 ? [...plain, ...worked] : [...posts.slice(0, 2), ...worked]
  const needed = new Set(byExpression === 0 ? ['n', 'sum'] : inputs)
  const counted = postAggregations.length === 0 ? [...aggregations, ...sketches] : aggregations
  const asked = [...counted, ...computed, ...ends]
    .filter(({ name }) => needed.has(name) || draw(2) === 0)
    .map((aggregator) => filtered(draw, aggregator))
  const from = new Date(startMs + draw(2 * 24) * 3_600_000).toISOString()
  const common = {
    queryType,
    dataSource,
    intervals: oneOf(draw, [
      ['2025-01-01/2027-01-01'],
      [`${from}/P1D`],
      ['2026-01-01/2026-01-02', '2026-01-03/2026-01-04'],
    ]),
    granularity: oneOf(draw, [
      'all',
      'hour',
      'day',
      'month',
      { type: 'period', period: 'PT2H' },
      { type: 'duration', duration: 1_500_000, origin: '2026-01-01T00:00:01Z' },
    ]),
    aggregations: asked,
    postAggregations,
    virtualColumns: virtualColumns(draw),
    ...(draw(2) === 0 ? { filter: randomFilter(draw, 0, numbers) } : {}),
    context: {
      skipEmptyBuckets: draw(2) === 0,
      serializeDateTimeAsLong: draw(4) === 0,
      resultAsArray: draw(4) === 0,
      sortByDimsFirst: draw(3) === 0,
    },
  }
  const isText = (one: object): boolean => 'expression' in one && String(one.expression).includes("'high'")
  const named = [...asked, ...postAggregations].filter((one) => one.name !== 'text' && !isText(one))
  const names = named.map(({ name }) => name)
  if (queryType === 'timeseries') return { ...common, descending: draw(3) === 0, limit: draw(3) === 0 ? 3 : undefined }
  if (queryType === 'topN') {
    const numeric = { type: 'numeric', metric: oneOf(draw, names) }
    const byDimension = { type: 'dimension', ordering: 'lexicographic' }
    const metric = oneOf(draw, [
      numeric,
      { type: 'inverted', metric: numeric },
      byDimension,
      { type: 'inverted', metric: byDimension },
    ])
    return { ...common, dimension: oneOf(draw, ['tag', 'site', 's']), threshold: 1 + draw(5), metric }
  }
  const having = {
    type: oneOf(draw, ['greaterThan', 'lessThan', 'equalTo']),
    aggregation: oneOf(draw, names),
    value: oneOf(draw, [0, 1, 2.5]),
  }
  const column = oneOf(draw, names)
  const finished = oneOf(draw, [
    { type: 'in', dimension: 'tag', values: ['a', null, '10'] },
    { type: 'not', field: { type: 'range', column, matchValueType: 'DOUBLE', lower: 1.5 } },
    { type: 'bound', dimension: 'tag', upper: 'b' },
    { type: 'not', field: { type: 'selector', dimension: column, value: oneOf(draw, ['3', '1.5', 'a', null]) } },
  ])
  const columns = [...names, 'tag']
    .filter(() => draw(4) === 0)
    .map((dimension): { dimension: string; direction: string; dimensionOrder?: string } => {
      return { dimension, direction: oneOf(draw, ['ascending', 'descending']) }
    })
  const floored = draw(3) === 0 ? [{ dimension: 'floor', outputName: 'at', outputType: 'LONG' }] : []
  const dimensions = [...['tag', 'site', 's'].filter((dimension) => dimension === 'tag' || draw(2) === 0), ...floored]
  if (draw(2) === 0) dimensions.reverse()
  if (floored.length > 0 && draw(2) === 0) {
    columns.push({ dimension: 'at', direction: oneOf(draw, ['ascending', 'descending']), dimensionOrder: 'numeric' })
  }
  return {
    ...common,
    ...(floored.length > 0 ? { granularity: 'all' } : {}),
    dimensions,
    ...(draw(3) === 0
      ? { having: oneOf(draw, [having, { type: 'not', havingSpec: having }, { type: 'filter', filter: finished }]) }
      : {}),
    ...(draw(2) === 0 ? { limitSpec: { type: 'default', limit: 1 + draw(20), offset: draw(3), columns } } : {}),
  }
}

test('random queries return the same result as the SQL engine', async () => {
  let answered = 0
  const seeds = rounds(30)
  const asked = seeds * 12
  for (let seed = 0; seed < seeds; seed++) {
    const draw = drawFrom(seed)
    const name = `rows${seed}`
    const store = await worlds.make(draw, name)
    for (let question = 0; question < 12; question++) {
      const one = query(draw, name)
      const answer = await byStore(one, store)
      if (answer === null) continue
      answered++
      const expected = read(await answerOf(one, worlds.engine))
      expect({ seed, one, answer: read(answer) }).toEqual({ seed, one, answer: expected })
    }
  }
  expect(answered / asked).toBeGreaterThan(0.7)
})

test('the first and last values of series are read from their ends', async () => {
  const store = await worlds.make(drawFrom(6), 'ends')
  const one = {
    queryType: 'groupBy',
    dataSource: 'ends',
    intervals: ['2025/2027'],
    granularity: 'all',
    dimensions: ['tag'],
    aggregations: ends,
  }
  const plan = planNative(readNativeQuery({ ...one, dataSource: 'plant' }), () => entity)
  expect(plan?.aggregation.aggregates.every((aggregate) => 'end' in aggregate)).toBe(true)
  expect(read((await byStore(one, store))!)).toEqual(read(await answerOf(one, worlds.engine)))
})

test.each([
  { type: 'doubleLast', name: 'v', fieldName: 'l' },
  { type: 'stringLast', name: 'v', fieldName: 'tag' },
  { type: 'stringLast', name: 'v', fieldName: 'V' },
  { type: 'floatLast', name: 'v', fieldName: 'V' },
  { type: 'longLast', name: 'v', fieldName: 'l', timeColumn: 'l' },
  { type: 'doubleAny', name: 'v', fieldName: 'V' },
  { type: 'cardinality', name: 'v', fields: ['tag', 'site'] },
  { type: 'cardinality', name: 'v', fields: ['V'] },
  { type: 'hyperUnique', name: 'v', fieldName: 's' },
  {
    type: 'filtered',
    filter: { type: 'regex', dimension: 's', pattern: 'a' },
    aggregator: { type: 'count', name: 'v' },
  },
])('%j is left to the SQL engine', (aggregator) => {
  const asked = {
    queryType: 'timeseries',
    dataSource: 'plant',
    granularity: 'all',
    intervals: ['2025/2027'],
    aggregations: [aggregator],
  }
  expect(planNative(readNativeQuery(asked), () => entity)).toBeNull()
})

describe('expressions of post-aggregators', () => {
  const asked = (expression: string, outputType?: string, granularity = 'day'): object => ({
    queryType: 'timeseries',
    dataSource: 'posts',
    granularity,
    intervals: ['2025/2027'],
    aggregations: [
      { type: 'count', name: 'n' },
      { type: 'doubleMean', name: 'mean', fieldName: 'V' },
      { type: 'longMax', name: 'most', fieldName: 'l' },
      { type: 'stringLast', name: 'text', fieldName: 's' },
      {
        type: 'filtered',
        filter: { type: 'selector', dimension: 'tag', value: 'unknown' },
        aggregator: { type: 'longSum', name: 'nothing', fieldName: 'l' },
      },
    ],
    postAggregations: [
      { type: 'expression', name: 'p', expression, outputType },
      { type: 'expression', name: 'q', expression: 'p' },
    ],
  })

  let left: EmbeddedStore
  beforeAll(async () => {
    left = await worlds.make(drawFrom(4), 'left')
  })

  test('return the same values as the SQL engine', async () => {
    const store = await worlds.make(drawFrom(4), 'posts')
    const wrong: object[] = []
    for (const [expression, outputType] of [
      ['mean / (n + 1)'],
      ['n / nothing'],
      ['n / 7'],
      ['n / 7', 'DOUBLE'],
      ['mean / 7', 'LONG'],
      ['-mean * 1000 - 0.5', 'LONG'],
      ['mean * 1e18', 'LONG'],
      ['most + 1'],
      ['-most - 2'],
      ['abs(-most - 2)'],
      ['n % 4 - 7 % -4'],
      ['floor(n)'],
      ['floor(n)', 'LONG'],
      ['ceil(-mean / 3)'],
      ['floor(-mean / 3)'],
      ['abs(-n)'],
      ['sqrt(n)'],
      ['n > 2'],
      ['(n > 2) + (mean > 1)'],
      ['!(nothing > 2)'],
      ['nothing > 2 && n > 0'],
      ['nothing > 2 && n < 0'],
      ['nothing > 2 || n > 0'],
      ['if(nothing > 2, 1, if(!(nothing > 2), 2, 3))'],
      ['if(n - 5, n, 0.5)'],
      ['nvl(nothing, 0.5) / 2'],
      ['coalesce(nothing, n, 0.5) / 7'],
      ['case_simple(n, 0, 1, 12, 2, 0.5) / 2'],
      ["case_searched(n > 12, 'high', mean > 5, text)"],
      ["text == 'a' || text > 'á'"],
      ["nvl(text, 'none')", 'STRING'],
      ['isnull(nothing) + notnull(n)'],
      ['safe_divide(n, nothing - nothing)'],
      ['safe_divide(n, 0)'],
      ['safe_divide(n, 0.0)'],
      ['safe_divide(0, 0.0)'],
      ['safe_divide(n, 4)'],
      ["cast(mean, 'LONG') / 2"],
      ["cast(n, 'DOUBLE') / 2"],
      ['most == 9223372036854775807 && most > 9223372036854775806'],
    ]) {
      for (const granularity of ['day', 'hour']) {
        const one = asked(expression!, outputType, granularity)
        const answer = await byStore(one, store)
        const expected = await answerOf(one, worlds.engine)
        const isSame = answer !== null && isDeepStrictEqual(read(answer), read(expected))
        if (!isSame) wrong.push({ expression, outputType, answer, expected })
      }
    }
    expect(wrong).toEqual([])
  })

  test.each<[string, string?]>([
    ['n / 0'],
    ['mean / n'],
    ['most / n'],
    ['n % 0'],
    ['mean / 0'],
    ['mean % 2'],
    ['mean ^ 2'],
    ['sqrt(-n)'],
    ['mean * 1e300 * 1e300 > 1'],
    ['n / (n - n)'],
    ['unknown + 1'],
    ['__time + 1'],
    ["text + 'x'"],
    ["if(n > 1, 'many', n)"],
    ['n', 'STRING'],
    ['n', 'FLOAT'],
    ['round(mean, 1)'],
    ['null'],
    ["n == '1'"],
    ["'\\ud800'"],
    ['floor(text)'],
  ])('%s %s is left to the SQL engine', async (expression, outputType) => {
    expect(await byStore(asked(expression, outputType), left)).toBeNull()
  })

  test('with a bucket as an operand are left to the SQL engine', () => {
    const query = {
      queryType: 'groupBy',
      dataSource: 'plant',
      granularity: 'all',
      intervals: ['2025/2027'],
      dimensions: [{ type: 'default', dimension: 'v0', outputName: 'd0', outputType: 'LONG' }],
      virtualColumns: [
        { type: 'expression', name: 'v0', expression: "timestamp_floor(__time, 'P1D')", outputType: 'LONG' },
      ],
      aggregations: [{ type: 'count', name: 'n' }],
    }
    const plan = (...expressions: string[]) =>
      planNative(
        readNativeQuery({
          ...query,
          postAggregations: expressions.map((expression, at) => ({ type: 'expression', name: `p${at}`, expression })),
        }),
        () => entity,
      )
    expect(plan('n + 1')).not.toBeNull()
    expect(plan('d0 + 1')).toBeNull()
  })
})

describe('virtual columns', () => {
  const asked = (expression: string, more: object = {}): object => ({
    queryType: 'groupBy',
    dataSource: 'plant',
    granularity: 'all',
    intervals: ['2025/2027'],
    dimensions: [{ type: 'default', dimension: 'v0', outputName: 'd0', outputType: 'LONG' }, 'tag'],
    virtualColumns: [{ type: 'expression', name: 'v0', expression, outputType: 'LONG' }],
    aggregations: [{ type: 'count', name: 'n' }],
    ...more,
  })
  const planOf = (query: object) => planNative(readNativeQuery(query), () => entity)

  test.each(["timestamp_floor(\"__time\",'P1D',null,'UTC')", "timestamp_floor(__time, 'PT6H', null, 'Europe/Madrid')"])(
    '%s is answered as a dimension',
    async (expression) => {
      const store = await worlds.make(drawFrom(8), `floored${expression.length}`)
      const one = asked(expression, { dataSource: `floored${expression.length}` })
      const answer = await byStore(one, store)
      expect(answer).not.toBeNull()
      expect(read(answer!)).toEqual(read(await answerOf(one, worlds.engine)))
    },
  )

  test.each<[string, object]>([
    ['V + 1', {}],
    ["timestamp_floor(__time, 'P1D', 5)", {}],
    ["timestamp_floor(l, 'P1D')", {}],
    ["timestamp_floor(__time, 'P1D')", { granularity: 'hour' }],
    ["timestamp_floor(__time, 'P1D')", { dimensions: ['v0'] }],
    ["timestamp_floor(__time, 'P1D')", { filter: { type: 'selector', dimension: 'v0', value: '5' } }],
    ["timestamp_floor(__time, 'P1D')", { limitSpec: { type: 'default', columns: ['d0'] } }],
  ])('%s with %j is left to the SQL engine', (expression, more) => {
    expect(planOf(asked(expression, more))).toBeNull()
  })
})

test('post-aggregators that each read the previous one twice are computed once', async () => {
  const store = await worlds.make(drawFrom(1), 'doubled')
  const doubled = Array.from({ length: 60 }, (_, place) => {
    const before = field(place === 0 ? 'n' : `p${place - 1}`)
    return { type: 'arithmetic', name: `p${place}`, fn: '+', fields: [before, before] }
  })
  const answer = await byStore(
    {
      queryType: 'timeseries',
      intervals: ['2025-01-01/2027-01-01'],
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'n' }],
      postAggregations: doubled,
    },
    store,
  )
  const [{ result }] = JSON.parse(answer!)
  expect(result.p59 / result.n).toBe(2 ** 60)
})

test.each<[string, object]>([
  [
    'half a surrogate pair, which the engine reads as another character,',
    { filter: { type: 'selector', dimension: 's', value: '\ud800' } },
  ],
  [
    'an infinite number in a having condition',
    {
      aggregations: [{ type: 'doubleSum', name: 'v', fieldName: 'V' }],
      postAggregations: [
        {
          type: 'arithmetic',
          name: 'huge',
          fn: '*',
          fields: [
            { type: 'constant', value: 1e300 },
            { type: 'constant', value: 1e300 },
          ],
        },
      ],
      having: { type: 'greaterThan', aggregation: 'huge', value: 0 },
    },
  ],
])('%s is left to the SQL engine', async (_, more) => {
  const store = await worlds.make(drawFrom(2), `left${_.length}`)
  const asked = {
    queryType: 'groupBy',
    intervals: ['2025/2027'],
    granularity: 'all',
    dimensions: ['tag'],
    aggregations: [],
  }
  expect(await byStore({ ...asked, ...more }, store)).toBeNull()
})

test('a query with many empty buckets is left to the SQL engine', async () => {
  const store = await worlds.make(drawFrom(3), 'seconds')
  const asked = { queryType: 'timeseries', intervals: ['2025/2027'], granularity: 'second', aggregations: [] }
  expect(await byStore(asked, store)).toBeNull()
})
