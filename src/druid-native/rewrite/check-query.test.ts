// Queries that are refused before they reach Druid, and queries that are not.
import { describe, expect, test } from 'vitest'
import type { Entity } from '../../model/entity.ts'
import { Problem } from '../../model/problem.ts'
import { readNativeBody } from '../parse/read-body.ts'
import { checkBuckets, checkQuery } from './check-query.ts'

const plant: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'L', type: 'long', role: 'metric' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

const limits = { rowsMax: 100, bucketsMax: 50, bytesMax: 1e6 }
const timeseries = { dataSource: 'plant', intervals: ['2026-01-01/P1D'], granularity: 'hour', aggregations: [] }
const treeOf = (data: object, query_type = 'timeseries') =>
  readNativeBody(Buffer.from(JSON.stringify({ query_type, query_data: { ...timeseries, ...data } })))

async function outcome(run: () => Promise<void>): Promise<string> {
  try {
    await run()
    return 'taken'
  } catch (error) {
    if (error instanceof Problem) return `${error.code} ${error.message}`
    throw error
  }
}
const check = (data: object, type?: string) => outcome(() => checkQuery(treeOf(data, type), [plant], limits))
const where = (expression: string) => ({ filter: { type: 'expression', expression } })
const chain = (length: number, expression: (before: string) => string) => ({
  virtualColumns: Array.from({ length }, (_, index) => ({
    type: 'expression',
    name: `v${index}`,
    expression: expression(index === 0 ? 'L' : `v${index - 1}`),
  })),
})
const list = (count: number, item: string) => Array.from({ length: count }, () => item).join('+')

describe('accepted', () => {
  test.each<[string, object, string?]>([
    ['buckets with a total', { context: { grandTotal: true } }],
    ['a short chain of virtual columns', chain(6, (before) => `${before} + 1`)],
    ['a long expression of fields', where(list(150, 'L'))],
    ['a string repeated up to the limit', where("strlen(repeat('a', 1000000)) > 0")],
    ['padded strings', where("lpad(T, 100, 'x') == rpad(T, 100, 'x')")],
    [
      'a pattern with 900 counted repetitions',
      { filter: { type: 'regex', dimension: 'T', pattern: '(a{30}){30}[{1000}]\\{2000\\}' } },
    ],
    ['a LIKE pattern with literal braces', { filter: { type: 'like', dimension: 'T', pattern: '{9999}' } }],
    ['an inner query', { dataSource: { type: 'query', query: { ...timeseries, queryType: 'timeseries' } } }],
    ['a search query', { query: { type: 'contains', value: 'a' } }, 'search'],
    ['a segmentMetadata query', {}, 'segmentMetadata'],
    ['a timeBoundary query', {}, 'timeBoundary'],
  ])('%s', async (_, data, type) => {
    expect(await check(data, type)).toBe('taken')
  })
})

describe('refused', () => {
  test.each<[string, object, RegExp]>([
    [
      'a long chain of virtual columns',
      chain(30, (before) => `${before} + 1`),
      /^invalid_request .*depend on each other/,
    ],
    [
      'a short chain of long virtual columns',
      chain(3, (before) => list(20, before)),
      /^invalid_request .*depend on each other/,
    ],
    [
      'a virtual column used many times',
      { ...chain(4, (before) => `${before} + 1`), ...where(list(190, 'v3')) },
      /depend on each other/,
    ],
    ['a repeat beyond the string limit', where("strlen(repeat('a', 2000000000)) > 0"), /more than 1000000 characters/],
    [
      'a REPEAT in capitals beyond the string limit',
      where("strlen(REPEAT('a', 2000000000)) > 0"),
      /more than 1000000 characters/,
    ],
    [
      'a REPEAT in capitals with a count that is not constant',
      where('REPEAT(T, L) == T'),
      /^unsupported_native_query .*not a constant/,
    ],
    [
      'nested repeats beyond the string limit',
      where("repeat(repeat('a', 100000), 100000) == T"),
      /more than 1000000 characters/,
    ],
    [
      'a repeat of a virtual column beyond the string limit',
      { ...chain(1, () => "repeat('a', 900000)"), ...where('repeat(v0, 900000) == T') },
      /more than 1000000 characters/,
    ],
    ['a format width beyond the string limit', where("format('%2000000000d', L) == T"), /more than 1000000 characters/],
    [
      'a repeat with a count that is not constant',
      where('repeat(T, L) == T'),
      /^unsupported_native_query .*not a constant/,
    ],
    [
      'a pattern with nested counted repetitions',
      { filter: { type: 'regex', dimension: 'T', pattern: '((a{100}b){10}c){2}' } },
      /^invalid_request .*more than 1000 times/,
    ],
    [
      'a backtracking pattern in a filter',
      { filter: { type: 'regex', dimension: 'T', pattern: '^(a+)+b' } },
      /^invalid_request .*might never end/,
    ],
    ['a backtracking pattern in regexp_like', where("regexp_like(T, '^(a+)+b')"), /^invalid_request .*might never end/],
    [
      'a backtracking pattern in REGEXP_LIKE, in capitals',
      where("REGEXP_LIKE(T, '^(a+)+b')"),
      /^invalid_request .*might never end/,
    ],
    ['a backtracking pattern in string_to_array', where("string_to_array(T, '(a|a)*b') == T"), /might never end/],
    ['an unknown function', where('ghost(T)'), /ghost/],
    ['an unknown entity', { dataSource: 'ghost' }, /^unknown_entity/],
  ])('%s', async (_, data, message) => {
    expect(await check(data)).toMatch(message)
  })
})

describe('buckets', () => {
  const dayMs = Date.UTC(2026, 0, 1)
  const asked: string[] = []
  const daysOf = async (names: readonly string[]) => {
    asked.push(...names)
    return [{ minMs: dayMs, maxMs: dayMs + 3_600_000 }]
  }
  test.each<[string, object, string, readonly string[]]>([
    ['few enough by their intervals', {}, 'taken', []],
    ['not filled when empty', { granularity: 'second', context: { skipEmptyBuckets: true } }, 'taken', []],
    ['few enough by the times of the rows', { intervals: ['2000/2100'] }, 'taken', ['plant']],
    ['too many', { granularity: 'minute' }, 'too_many_buckets', ['plant']],
    [
      'too many in an inner query',
      {
        granularity: 'all',
        dataSource: { type: 'query', query: { ...timeseries, queryType: 'timeseries', granularity: 'none' } },
      },
      'too_many_buckets',
      ['plant'],
    ],
  ])('%s', async (_, data, expected, names) => {
    asked.length = 0
    expect((await outcome(() => checkBuckets(treeOf(data), daysOf, limits.bucketsMax))).split(' ')[0]).toBe(expected)
    expect(asked).toEqual(names)
  })
})
