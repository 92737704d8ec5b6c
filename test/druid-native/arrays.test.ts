// Compares arrays, lambdas, JSON and addresses with the values of a real Druid 33.0.0, in answers and wherever a query can use a column of arrays.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, DuckDbEngine } from './duckdb-engine.ts'
import { recordedArrays } from './recorded-arrays.ts'
import { recordedJson } from './recorded-json.ts'
import { recordedLambdas } from './recorded-lambdas.ts'
import { recordedRows } from './recorded-rows.ts'

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine.close())

const timeMs = Date.UTC(2024, 0, 1)
const intervals = ['2024-01-01/2024-01-02']

const oneRow = {
  type: 'inline',
  columnNames: ['__time', 's', 'n', 'l', 'd', 'e', 'csv', 'j'],
  columnTypes: ['LONG', 'STRING', 'STRING', 'LONG', 'DOUBLE', 'STRING', 'STRING', 'STRING'],
  rows: [[timeMs, 'abc', null, 7, 2.5, '', 'a,b,c', '{"a":1,"b":[1,2,3],"c":{"d":"x"},"e":1.5,"t":true,"n":null}']],
}

type Recorded = readonly (readonly [expression: string, value: string])[]

const perQuery = 30
const inParts = (all: Recorded): readonly Recorded[] =>
  Array.from({ length: Math.ceil(all.length / perQuery) }, (_, part) =>
    all.slice(part * perQuery, (part + 1) * perQuery),
  )

/** The JSON of the values of one row, separated by commas. */
async function valuesOf(expressions: readonly string[]): Promise<string> {
  const query = {
    queryType: 'scan',
    dataSource: oneRow,
    intervals,
    columns: expressions.map((_, index) => `v${index}`),
    resultFormat: 'compactedList',
    virtualColumns: expressions.map((expression, index) => ({ type: 'expression', name: `v${index}`, expression })),
  }
  return /"events":\[\[(.*)\]\],"rowSignature"/.exec(await answerOf(query, engine))![1]!
}

describe('recorded from Druid', () => {
  const parts = [recordedArrays, recordedLambdas, recordedJson].flatMap(inParts)
  test.each(parts.map((part) => [part[0]![0], part] as const))('expressions from %s on', async (_, part) => {
    const together = await valuesOf(part.map(([expression]) => expression))
    if (together === part.map(([, value]) => value).join(',')) return
    // Evaluated one by one, to show which one differs.
    for (const [expression, value] of part)
      expect([expression, await valuesOf([expression])]).toEqual([expression, value])
  })
})

const rows = {
  type: 'inline',
  columnNames: ['__time', 's', 'csv', 'l', 'd'],
  columnTypes: ['LONG', 'STRING', 'STRING', 'LONG', 'DOUBLE'],
  rows: [
    [timeMs, 'a', 'a,b', 1, 1.5],
    [timeMs, 'b', 'b,c', 2, 2.5],
    [timeMs, null, null, null, null],
    [timeMs, 'a', 'a,b', 3, 0.5],
    [timeMs, 'c', '', 3, 0.5],
    [timeMs, 'd', 'x', 9, 9.5],
  ],
}

type Virtual = readonly [expression: string, outputType: string]

const splitTexts: Virtual = ["string_to_array(csv,',')", 'ARRAY<STRING>']
const several: Virtual = ["string_to_array(csv,',')", 'STRING']
const longs: Virtual = ['array(l,2)', 'ARRAY<LONG>']
const numerals: Virtual = ["['1', '1e3', '-1.5', '2.0', ' 3 ', '+4', 'true', '1f', '']", 'ARRAY<STRING>']
const nothing: Virtual = ["string_to_array(concat(',', nvl(substring(csv,5,1),'')), ',')", 'STRING']

const columns = (...all: readonly Virtual[]): readonly object[] =>
  all.map(([expression, outputType], index) => ({
    type: 'expression',
    name: ['v', 'w'][index],
    expression,
    outputType,
  }))

async function ask(query: object): Promise<unknown> {
  const answer = await answerOf({ dataSource: rows, intervals, granularity: 'all', ...query }, engine)
  return JSON.parse(answer)
}

async function scanned(column: string, virtual: readonly Virtual[], filter: object | null = null): Promise<unknown> {
  const query = { queryType: 'scan', columns: [column], resultFormat: 'compactedList', filter }
  const [entry] = (await ask({ ...query, virtualColumns: columns(...virtual) })) as { events: unknown[][] }[]
  return entry?.events.map(([value]) => value) ?? []
}

describe('recorded from Druid, over several rows', () => {
  test.each(recordedRows)('%s', async (expression, events) => {
    const virtualColumns = [{ type: 'expression', name: 'v', expression }]
    const query = { queryType: 'scan', dataSource: rows, intervals, columns: ['v'], resultFormat: 'compactedList' }
    expect(await answerOf({ ...query, virtualColumns }, engine)).toContain(`"events":${events},"rowSignature"`)
  })
})

describe('in a scan', () => {
  test.each<[string, readonly Virtual[], string, readonly unknown[]]>([
    ['arrays', [splitTexts], 'v', [['a', 'b'], ['b', 'c'], null, ['a', 'b'], [''], ['x']]],
    [
      'multi-value strings, single values without brackets',
      [several],
      'v',
      [['a', 'b'], ['b', 'c'], null, ['a', 'b'], '', 'x'],
    ],
    ['empty arrays', [nothing], 'v', [[], [], [], [], [], []]],
    [
      'arrays of longs',
      [longs],
      'v',
      [
        [1, 2],
        [2, 2],
        [null, 2],
        [3, 2],
        [3, 2],
        [9, 2],
      ],
    ],
    ['a column computed from an array', [splitTexts, ['array_length(v)', 'LONG']], 'w', [2, 2, null, 2, 1, 1]],
    ['a column computed from a multi-value string', [several, ['array_length(v)', 'LONG']], 'w', [2, 2, null, 2, 1, 1]],
    [
      'an array as a string',
      [splitTexts, ["concat(v,'!')", 'STRING']],
      'w',
      ['[a, b]!', '[b, c]!', null, '[a, b]!', '!', 'x!'],
    ],
  ])('%s', async (_, virtual, column, expected) => {
    expect(await scanned(column, virtual)).toEqual(expected)
  })
})

const contains = (elementMatchValueType: string, elementMatchValue: unknown, column = 'v'): object => ({
  type: 'arrayContainsElement',
  column,
  elementMatchValueType,
  elementMatchValue,
})
const equals = (matchValueType: string, matchValue: unknown): object => ({
  type: 'equals',
  column: 'v',
  matchValueType,
  matchValue,
})
const not = (field: object): object => ({ type: 'not', field })
const b = { type: 'selector', dimension: 'v', value: 'b' }

describe('in a filter', () => {
  test.each<[Virtual, object, readonly unknown[]]>([
    [several, b, ['a', 'b', 'a']],
    [several, not(b), ['c', 'd']],
    [several, { ...b, value: null }, [null]],
    [several, { ...b, value: 'B', extractionFn: { type: 'upper' } }, ['a', 'b', 'a']],
    [several, { type: 'in', dimension: 'v', values: ['a', 'x'] }, ['a', 'a', 'd']],
    [several, equals('STRING', 'b'), ['a', 'b', 'a']],
    [several, equals('ARRAY<STRING>', ['a', 'b']), []],
    [several, contains('STRING', 'b'), ['a', 'b', 'a']],
    [several, contains('STRING', 'b', 's'), ['b']],
    [several, { type: 'null', column: 'v' }, [null]],
    [several, { type: 'like', dimension: 'v', pattern: 'b%' }, ['a', 'b', 'a']],
    [several, { type: 'bound', dimension: 'v', lower: 'b' }, ['a', 'b', 'a', 'd']],
    [several, { type: 'range', column: 'v', matchValueType: 'STRING', lower: 'b' }, ['a', 'b', 'a', 'd']],
    [several, { type: 'expression', expression: "array_contains(v,'b')" }, ['a', 'b', 'a']],
    [nothing, { ...b, value: null }, []],
    [splitTexts, equals('STRING', 'b'), []],
    [splitTexts, equals('ARRAY<STRING>', ['a', 'b']), ['a', 'a']],
    [splitTexts, contains('STRING', 'b'), ['a', 'b', 'a']],
    [splitTexts, not(contains('STRING', 'b')), ['c', 'd']],
    [splitTexts, { type: 'null', column: 'v' }, [null]],
    [splitTexts, { type: 'expression', expression: "any(x -> x == 'b', v)" }, ['a', 'b', 'a']],
    [['array(l,5)', 'ARRAY<LONG>'], contains('STRING', '2'), ['b']],
    [['array(l,5)', 'ARRAY<LONG>'], contains('DOUBLE', 2.5), []],
    [['array(l,5)', 'ARRAY<LONG>'], contains('LONG', null), [null]],
    [['array(l,5)', 'ARRAY<LONG>'], equals('ARRAY<LONG>', [2, 5]), ['b']],
    [['array(l,5)', 'ARRAY<LONG>'], equals('ARRAY<STRING>', ['2', '5']), ['b']],
    [['array(l,5)', 'ARRAY<LONG>'], equals('ARRAY<LONG>', [null, 5]), [null]],
    [['array(l,5)', 'ARRAY<LONG>'], not(equals('ARRAY<LONG>', [2, 5])), ['a', null, 'a', 'c', 'd']],
  ])('%j: %j', async (virtual, filter, expected) => {
    expect(await scanned('s', [virtual], filter)).toEqual(expected)
  })
})

const counted = [
  { type: 'count', name: 'n' },
  { type: 'longSum', name: 'x', fieldName: 'l' },
]
const as = (outputType: string): object => ({ type: 'default', dimension: 'v', outputName: 'v', outputType })

describe('in a groupBy', () => {
  test.each<[string, Virtual, unknown, readonly (readonly [unknown, number, number | null])[]]>([
    [
      'each value of a multi-value string',
      several,
      'v',
      [
        [null, 1, null],
        ['', 1, 3],
        ['a', 2, 4],
        ['b', 3, 6],
        ['c', 1, 2],
        ['x', 1, 9],
      ],
    ],
    ['null for empty multi-value strings', nothing, 'v', [[null, 6, 18]]],
    ['a value that occurs twice in a row', ["array('x','x')", 'STRING'], 'v', [['x', 12, 36]]],
    [
      'numbers as strings',
      ['array(l,2)', 'STRING'],
      'v',
      [
        [null, 1, null],
        ['1', 1, 1],
        ['2', 7, 20],
        ['3', 2, 6],
        ['9', 1, 9],
      ],
    ],
    [
      'listed values only',
      several,
      { type: 'listFiltered', delegate: 'v', values: ['b'] },
      [
        [null, 3, 12],
        ['b', 3, 6],
      ],
    ],
    [
      'extracted values',
      several,
      { type: 'extraction', dimension: 'v', outputName: 'v', extractionFn: { type: 'upper' } },
      [
        [null, 1, null],
        ['', 1, 3],
        ['A', 2, 4],
        ['B', 3, 6],
        ['C', 1, 2],
        ['X', 1, 9],
      ],
    ],
    [
      'the string form of arrays',
      splitTexts,
      'v',
      [
        [null, 1, null],
        ['[]', 1, 3],
        ['[a, b]', 2, 4],
        ['[b, c]', 1, 2],
        ['[x]', 1, 9],
      ],
    ],
    [
      'arrays',
      splitTexts,
      as('ARRAY<STRING>'),
      [
        [null, 1, null],
        [[''], 1, 3],
        [['a', 'b'], 2, 4],
        [['b', 'c'], 1, 2],
        [['x'], 1, 9],
      ],
    ],
    [
      'arrays of longs',
      longs,
      as('ARRAY<LONG>'),
      [
        [[null, 2], 1, null],
        [[1, 2], 1, 1],
        [[2, 2], 1, 2],
        [[3, 2], 2, 6],
        [[9, 2], 1, 9],
      ],
    ],
    [
      'arrays of strings as longs',
      numerals,
      as('ARRAY<LONG>'),
      [[[1, 1000, null, 2, null, 4, null, null, null], 6, 18]],
    ],
    [
      'arrays of strings as doubles',
      numerals,
      as('ARRAY<DOUBLE>'),
      [[[1, 1000, -1.5, 2, null, 4, null, 1, null], 6, 18]],
    ],
  ])('%s', async (_, virtual, dimension, expected) => {
    const query = { queryType: 'groupBy', dimensions: [dimension], aggregations: counted }
    const found = (await ask({ ...query, virtualColumns: columns(virtual) })) as { event: Record<string, unknown> }[]
    expect(found.map(({ event }) => [event['v'], event['n'], event['x']])).toEqual(expected)
  })

  test('two multi-value columns form a group of each pair', async () => {
    const query = { queryType: 'groupBy', dimensions: ['v', 'w'], aggregations: counted }
    const virtualColumns = columns(several, ['array(s,csv)', 'STRING'])
    const found = (await ask({ ...query, virtualColumns })) as { event: Record<string, unknown> }[]
    const groups = found.map(({ event }) => `${event['v']} ${event['w']} ${event['n']}`)
    expect(groups.join('; ')).toBe(
      'null null 2;   1;  c 1; a a 2; a a,b 2; b a 2; b a,b 2; b b 1; b b,c 1; c b 1; c b,c 1; x d 1; x x 1',
    )
  })

  test.each([
    ['lexicographic', 'ascending', ['-1', '10', '100', '9', 'null']],
    ['lexicographic', 'descending', ['null', '9', '100', '10', '-1']],
    ['numeric', 'ascending', ['null', '-1', '9', '10', '100']],
    ['strlen', 'ascending', ['9', '-1', '10', '100', 'null']],
  ])('arrays of longs in %s order, %s', async (dimensionOrder, direction, expected) => {
    const values = [9, 10, null, -1, 100].map((value) => [timeMs, value])
    const dataSource = { ...rows, columnNames: ['__time', 'l'], columnTypes: ['LONG', 'LONG'], rows: values }
    const limitSpec = { type: 'default', columns: [{ dimension: 'v', direction, dimensionOrder }] }
    const query = { queryType: 'groupBy', dataSource, dimensions: [as('ARRAY<LONG>')], limitSpec }
    const found = (await ask({ ...query, virtualColumns: columns(longs) })) as { event: { v: unknown[] } }[]
    expect(found.map(({ event }) => String(event.v[0]))).toEqual(expected)
  })
})

test('a topN counts each value of a multi-value string', async () => {
  const query = { queryType: 'topN', dimension: 'v', metric: 'n', threshold: 3, aggregations: counted.slice(0, 1) }
  const [entry] = (await ask({ ...query, virtualColumns: columns(several) })) as { result: unknown }[]
  expect(entry!.result).toEqual([
    { v: 'b', n: 3 },
    { v: 'a', n: 2 },
    { v: null, n: 1 },
  ])
})

test('aggregators read lengths of arrays, and post-aggregators return arrays', async () => {
  const post = (name: string, expression: string, outputType?: string): object => {
    return { type: 'expression', name, expression, outputType }
  }
  const query = {
    queryType: 'timeseries',
    aggregations: [
      { type: 'longSum', name: 'a', fieldName: 'l' },
      { type: 'longSum', name: 'b', expression: "array_length(string_to_array(csv,','))" },
    ],
    postAggregations: [
      post('p', 'array(a,2)'),
      post('q', 'array_length(p)'),
      post('r', 'array(a,2)', 'ARRAY<STRING>'),
      post('s', 'array(a,2)', 'STRING'),
    ],
  }
  const [entry] = (await ask(query)) as { result: unknown }[]
  expect(entry!.result).toEqual({ a: 18, b: 8, p: [18, 2], q: 2, r: ['18', '2'], s: [18, 2] })
})

const grouped = (dimension: unknown): object => ({ queryType: 'groupBy', dimensions: [dimension] })

describe('refused, by Druid too or because it is not supported', () => {
  test.each<[string, string, Virtual, object]>([
    ['invalid_request', 'does not accept an array', splitTexts, { queryType: 'scan', filter: b }],
    [
      'unsupported_native_query',
      'on an array',
      splitTexts,
      { queryType: 'scan', filter: { type: 'range', column: 'v', matchValueType: 'STRING', lower: 'b' } },
    ],
    [
      'invalid_request',
      'use a groupBy to group by arrays',
      splitTexts,
      { queryType: 'topN', dimension: 'v', metric: 'n', threshold: 3, aggregations: counted },
    ],
    ['invalid_request', 'multi-value column', several, grouped(as('ARRAY<STRING>'))],
    ['invalid_request', 'use STRING or an array type', longs, grouped(as('LONG'))],
    ['invalid_request', '"s" is not an array', longs, grouped({ ...as('ARRAY<STRING>'), dimension: 's' })],
    [
      'unsupported_native_query',
      'an extraction from an array',
      longs,
      grouped({ type: 'extraction', dimension: 'v', extractionFn: { type: 'upper' } }),
    ],
    [
      'unsupported_native_query',
      'aggregating an array',
      longs,
      { queryType: 'timeseries', aggregations: [{ type: 'longSum', name: 'a', fieldName: 'v' }] },
    ],
    [
      'unsupported_native_query',
      'here is not supported',
      several,
      { queryType: 'search', searchDimensions: ['v'], query: { type: 'all' } },
    ],
    [
      'unsupported_native_query',
      'without map()',
      several,
      { queryType: 'scan', filter: { type: 'expression', expression: "upper(v) == 'A'" } },
    ],
    [
      'unsupported_native_query',
      'multi-value column',
      several,
      {
        queryType: 'scan',
        dataSource: {
          type: 'query',
          query: { queryType: 'scan', dataSource: rows, intervals, columns: ['v'], virtualColumns: columns(several) },
        },
      },
    ],
  ])('%s: %s', async (code, message, virtual, query) => {
    const failing = ask({ ...query, virtualColumns: columns(virtual) })
    await expect(failing).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  })
})

describe('an array or string that grows too long is refused', () => {
  test.each([
    "array_to_string(string_to_array(repeat(s, 40), ''), repeat(s, 100000))",
    "array_length(map((x) -> repeat(x, 1001), string_to_array(repeat(s, 40), '')))",
    "array_length(fold((x, acc) -> array_append(acc, repeat(x, 1001)), string_to_array(repeat(s, 40), ''), <STRING>[]))",
    "array_length(map((x) -> array_length(map((y) -> y, string_to_array(repeat(s, 9999), ''))), [1]))",
    'array_slice([1], 0, 1000000000)',
    "array_length(fold((x, acc) -> array_concat(acc, acc), string_to_array(repeat(s, 40), ''), [1]))",
    "strlen(fold((x, acc) -> concat(acc, acc), string_to_array(repeat(s, 40), ''), 'ab'))",
    "array_length(cartesian_map((x, y, z) -> x, string_to_array(repeat(s, 99), ''), string_to_array(repeat(s, 99), ''), string_to_array(repeat(s, 99), '')))",
  ])('%s', async (expression) => {
    await expect(valuesOf([expression])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/more than|longer than/),
    })
  })
})
