// Growing texts, and patterns with much backtracking, in native queries: their results and their limits.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOf, DuckDbEngine } from './duckdb-engine.ts'

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine.close())

const oneRow = {
  type: 'inline',
  columnNames: ['__time', 's', 'n', 'l', 'null'],
  columnTypes: ['LONG', 'STRING', 'STRING', 'LONG', 'STRING'],
  rows: [[Date.UTC(2024, 0, 1), 'aXbX', '<>', 2, null]],
}

async function valueFrom(expression: string, filter: object | null = null): Promise<string> {
  const query = {
    queryType: 'scan',
    dataSource: oneRow,
    intervals: ['2024-01-01/2024-01-02'],
    columns: ['v'],
    resultFormat: 'compactedList',
    virtualColumns: [{ type: 'expression', name: 'v', expression }],
    ...(filter === null ? {} : { filter }),
  }
  return /"events":\[\[(.*)\]\],"rowSignature"/.exec(await answerOf(query, engine))?.[1] ?? 'no row'
}

test.each([
  ['repeat(s, l)', '"aXbXaXbX"'],
  ['repeat(s, l - 2)', 'null'],
  ['repeat(null, l)', 'null'],
  ['lpad(s, 2, null)', 'null'],
  ['lpad(s, l + 4, n)', '"<>aXbX"'],
  ['rpad(s, l, n)', '"aX"'],
  ["replace(repeat(s, l), 'X', n + n)", '"a<><>b<><>a<><>b<><>"'],
  ['replace(s, n, s)', '"aXbX"'],
  ["concat(repeat(s, l), n, '!')", '"aXbXaXbX<>!"'],
  ['repeat(s, l) + null', 'null'],
  [
    "regexp_replace(repeat(s, l), '(X)', '[$1]-----------')",
    '"a[X]-----------b[X]-----------a[X]-----------b[X]-----------"',
  ],
  ["array_to_string(array(s, n, null), repeat('-', l))", '"aXbX--<>--null"'],
  ["strlen(format('%600s', s))", '600'],
  ["strlen(repeat('x', 1000000))", '1000000'],
  ["like(repeat('a', 100000), '%_a_%_a_%_a_%_a_%b')", '0'],
  ["like('a%b', 'a!%%_', '!')", '1'],
])('%s', async (expression, value) => {
  expect(await valueFrom(expression)).toBe(value)
})

test.each([
  "strlen(repeat('x', 1000001))",
  "strlen(repeat('x', 9223372036854775807))",
  "strlen(lpad('x', 1000001, 'y'))",
  "strlen(format('%999999999s', s))",
  "strlen(format('%.999999999f', 1.5))",
  "strlen(replace(repeat('x', 1000000), 'x', repeat('y', 1000)))",
  "strlen(regexp_replace(repeat('x', 1000000), '', 'yyyyyyyyyy'))",
  `strlen(concat(${Array.from({ length: 5 }, () => "repeat('x', 1000000)").join(', ')}))`,
  "strlen(array_to_string([1,2,3,4,5], repeat('x', 1000000)))",
])('%.80s is refused as too long, with the limit', async (expression) => {
  await expect(valueFrom(expression)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/[14]000000 characters/),
  })
})

test('a LIKE filter with many wildcards does not backtrack on a long string', async () => {
  const filter = { type: 'like', dimension: 'v', pattern: '%_a_%_a_%_a_%_a_%b' }
  expect(await valueFrom("repeat('a', 100000)", filter)).toBe('no row')
})
