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

describe('taken', () => {
  test.each<[string, object, string?]>([
    ['buckets with a total', { context: { grandTotal: true } }],
    ['a few virtual columns one upon the other', chain(6, (before) => `${before} + 1`)],
    ['a long expression of fields', where(list(150, 'L'))],
    ['texts repeated in measure', where("strlen(repeat('a', 1000000)) > 0")],
    ['padding', where("lpad(T, 100, 'x') == rpad(T, 100, 'x')")],
    ['a pattern that counts', { filter: { type: 'regex', dimension: 'T', pattern: '(a{30}){30}[{1000}]\\{2000\\}' } }],
    ['text in braces', { filter: { type: 'like', dimension: 'T', pattern: '{9999}' } }],
    ['an inner query', { dataSource: { type: 'query', query: { ...timeseries, queryType: 'timeseries' } } }],
    ['a search', { query: { type: 'contains', value: 'a' } }, 'search'],
    ['metadata', {}, 'segmentMetadata'],
    ['times', {}, 'timeBoundary'],
  ])('%s', async (_, data, type) => {
    expect(await check(data, type)).toBe('taken')
  })
})

describe('refused', () => {
  test.each<[string, object, RegExp]>([
    ['a chain of virtual columns', chain(30, (before) => `${before} + 1`), /^invalid_request .*built upon each other/],
    ['a short chain of wide ones', chain(3, (before) => list(20, before)), /^invalid_request .*built upon each other/],
    [
      'a virtual column named often',
      { ...chain(4, (before) => `${before} + 1`), ...where(list(190, 'v3')) },
      /built upon/,
    ],
    ['a long text', where("strlen(repeat('a', 2000000000)) > 0"), /more than 1000000 characters/],
    ['a long text, in capitals', where("strlen(REPEAT('a', 2000000000)) > 0"), /more than 1000000 characters/],
    ['a count that is not known, in capitals', where('REPEAT(T, L) == T'), /^unsupported_native_query .*no constant/],
    ['a text repeated twice over', where("repeat(repeat('a', 100000), 100000) == T"), /more than 1000000 characters/],
    [
      'a text repeated by columns',
      { ...chain(1, () => "repeat('a', 900000)"), ...where('repeat(v0, 900000) == T') },
      /more than 1000000 characters/,
    ],
    ['a width of a format', where("format('%2000000000d', L) == T"), /more than 1000000 characters/],
    ['a count that is not known', where('repeat(T, L) == T'), /^unsupported_native_query .*no constant/],
    [
      'a pattern that multiplies',
      { filter: { type: 'regex', dimension: 'T', pattern: '((a{100}b){10}c){2}' } },
      /^invalid_request .*more than 1000 times/,
    ],
    [
      'a pattern that backtracks',
      { filter: { type: 'regex', dimension: 'T', pattern: '^(a+)+b' } },
      /^invalid_request .*might never end/,
    ],
    ['one of a function', where("regexp_like(T, '^(a+)+b')"), /^invalid_request .*might never end/],
    ['one of a function in capitals', where("REGEXP_LIKE(T, '^(a+)+b')"), /^invalid_request .*might never end/],
    ['one that takes a text apart', where("string_to_array(T, '(a|a)*b') == T"), /might never end/],
    ['a function that is none', where('ghost(T)'), /ghost/],
    ['another entity', { dataSource: 'ghost' }, /^unknown_entity/],
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
    ['that the intervals bound', {}, 'taken', []],
    ['that are not filled', { granularity: 'second', context: { skipEmptyBuckets: true } }, 'taken', []],
    ['that the rows bound', { intervals: ['2000/2100'] }, 'taken', ['plant']],
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
