// Growing texts, and patterns with much backtracking: their results and their limits. No test here may take much time or memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { type Value, valueAt } from '../../src/model/column.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { OutOfMemory } from '../../src/sql-engine/sql-engine.ts'

const directory = mkdtempSync(join(tmpdir(), 'tidemark-sql-texts-'))
let engine: DuckdbEngine

beforeAll(async () => {
  const memory = { memoryBytes: 2 ** 28, textBytes: 2 ** 26, temporaryBytes: 2 ** 28, threads: 1 }
  const temporaryDirectory = join(directory, 'temporary')
  engine = await DuckdbEngine.open({ directories: [directory], temporaryDirectory, ...memory })
})
afterAll(() => {
  engine.close()
  rmSync(directory, { recursive: true })
})

async function firstColumn(text: string): Promise<Value[]> {
  const { text: engineText, columns } = translateSql(text, [])
  const values: Value[] = []
  const query = { text: engineText, types: columns.map(({ type }) => type), tables: [] }
  for await (const batch of engine.run(query, { resultRows: 1000 }, new AbortController().signal)) {
    for (let row = 0; row < batch.rows; row += 1) values.push(valueAt(batch.columns[0]!, row))
  }
  return values
}

test('a string keeps its leading U+FEFF', async () => {
  const texts = String.raw`(VALUES (1, U&'\FEFFa'), (2, U&'\FEFF'), (3, 'a')) AS v(i, x)`
  expect(await firstColumn(`SELECT x FROM ${texts} ORDER BY i`)).toEqual(['\uFEFFa', '\uFEFF', 'a'])
})

/** Rows whose values the planner cannot know: it must assume the maximum length of texts. */
const unknown = `(SELECT x || LPAD('', i, '') AS x, y, p, i, CASE WHEN i = 3 THEN NULL ELSE i END AS n
  FROM (VALUES ('aXbX', '<>', '%_X', 2), (NULL, NULL, NULL, 3)) AS v(x, y, p, i))`

test.each([
  ['REPEAT(x, i)', 'aXbXaXbX'],
  ["REPEAT('ab', i)", 'abab'],
  ['REPEAT(x, 0 - i)', null],
  ["REPEAT('', 1000000000000 * i)", ''],
  ['REPLACE(x, y, x)', 'aXbX'],
  ["REPLACE(x, 'X', y || y || y)", 'a<><><>b<><><>'],
  ["REPLACE(x, '', y)", '<>a<>X<>b<>X<>'],
  ['x || y || x', 'aXbX<>aXbX'],
  ["CONCAT(x, i, '-', y)", 'aXbX2-<>'],
  ['LPAD(x, i + 4, y)', '<>aXbX'],
  ['RPAD(x, i, y)', 'aX'],
  ["RPAD(x, i + 9, '')", 'aXbX'],
  ['LPAD(x, 0 - i, y)', ''],
  ["REGEXP_REPLACE(x, '(X)', '[$1]' || y || '\\')", 'a[X]<>\\b[X]<>\\'],
  ["STRING_FORMAT('%s|%5d|%s', x, i, y)", 'aXbX|    2|<>'],
  ["ARRAY_TO_STRING(ARRAY[x, y, NULL, x], ', ')", 'aXbX, <>, null, aXbX'],
  ['x LIKE p', true],
  ["x LIKE '%_b_'", true],
  ["x LIKE '%_b_' ESCAPE '!'", true],
  ["x LIKE p ESCAPE '_'", true],
  ["x NOT LIKE '%_c%'", true],
  ["x LIKE '%x%'", false],
])('%s', async (expression, value) => {
  expect(await firstColumn(`SELECT ${expression} AS v FROM ${unknown} AS t WHERE i = 2`)).toEqual([value])
})

test.each([
  'REPEAT(y, n)',
  'LPAD(y, n)',
  'RPAD(y, n, y)',
  "REPEAT('x', n)",
  "LPAD('x', n)",
  'x || y',
  'REPLACE(x, y, x)',
  'x LIKE p',
  "ARRAY_TO_STRING(ARRAY_APPEND(NULL, x), '')",
])('%s of nulls is null', async (expression) => {
  expect(await firstColumn(`SELECT ${expression} AS v FROM ${unknown} AS t WHERE i = 3`)).toEqual([null])
})

test.each([
  ["REPEAT('x', NULL)", null],
  ["LPAD('x', NULL)", null],
  ["'a_b' LIKE 'a!_b' ESCAPE '!'", true],
  ["'axb' LIKE 'a!_b' ESCAPE '!'", false],
  ["'a%' LIKE 'ax%' ESCAPE 'x'", true],
  ["'a' LIKE 'ax' ESCAPE 'x'", true],
  ["'a\n.b' LIKE '_%.b'", true],
  ["'a.b' LIKE '_%xb'", false],
  ["LENGTH(REPEAT('x', 1000000))", 1_000_000],
])('%s', async (expression, value) => {
  expect(await firstColumn(`SELECT ${expression} AS v`)).toEqual([value])
})

describe('a string that is too long is refused with the limit, not truncated', () => {
  test.each([
    ["REPEAT('x', 1000001)", 1_000_000],
    ["REPEAT('xy', 500001)", 1_000_000],
    ["REPEAT('x', 9223372036854775807)", 1_000_000],
    ["LPAD('x', 1000001)", 1_000_000],
    ["RPAD('x', 9223372036854775807, 'y')", 1_000_000],
    ["STRING_FORMAT('%999999999s', 'a')", 1_000_000],
    ["STRING_FORMAT('%.9999999f', 1.5)", 1_000_000],
    ["STRING_FORMAT('%1$s%1$s', REPEAT('x', 900000))", 1_000_000],
    ["REPLACE(REPEAT('x', 1000000), 'x', REPEAT('y', 1000))", 4_000_000],
    ["REGEXP_REPLACE(REPEAT('x', 1000000), '', REPEAT('y', 1000))", 4_000_000],
    ["REGEXP_REPLACE(REPEAT('x', 1000000), '(.*)', '$1$1$1$1$1$1$1')", 4_000_000],
    [`CONCAT(${Array.from({ length: 5 }, () => "REPEAT('x', 1000000)").join(', ')})`, 4_000_000],
    [`ARRAY_TO_STRING(ARRAY[${Array.from({ length: 5 }, () => "REPEAT('x', 1000000)").join(', ')}], '')`, 4_000_000],
  ])('%s', async (expression, most) => {
    await expect(firstColumn(`SELECT LENGTH(${expression}) AS v`)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`longer than ${most} characters`),
    })
  })

  test('a width passed as an argument is not applied', async () => {
    expect(await firstColumn("SELECT STRING_FORMAT('%*d', 1000000000, 2)")).toEqual(['%*d; 1000000000; 2'])
  })
})

const numbers = '(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS'
/** 10,000 rows. */
const rows = `(SELECT a.i + 10 * b.i + 100 * c.i + 1000 * d.i AS i FROM ${numbers} a(i), ${numbers} b(i), ${numbers} c(i), ${numbers} d(i))`

describe('long strings of many rows', () => {
  test.each([
    `SELECT SUM(LENGTH(REPEAT('x', 900000 + i))) AS v FROM ${rows} AS t`,
    `SELECT SUM(LENGTH(LPAD('x', 900000 + i))) AS v FROM ${rows} AS t`,
    `SELECT SUM(LENGTH(REPLACE(REPEAT('x', 100 + i), 'x', 'yyyyyyyyyy'))) AS v FROM ${rows} AS t`,
    `SELECT SUM(LENGTH(${Array.from({ length: 50 }, () => "REPEAT('x', 1000 + i)").join(' || ')})) AS v FROM ${rows} AS t`,
    `SELECT SUM(LENGTH(x || x || x || x || x || x || x || x)) AS v FROM (SELECT CONCAT(y, y, y, y, y, y) AS x FROM (SELECT REPEAT('x', i) AS y FROM ${rows} AS t) AS u) AS w`,
  ])('run out of memory: %.60s', async (text) => {
    await expect(firstColumn(text)).rejects.toBeInstanceOf(OutOfMemory)
  })

  test('free their memory after a query, whether it succeeded or failed', async () => {
    const fitting = `SELECT SUM(LENGTH(REPEAT('x', 10000 + i))) AS v FROM ${rows} AS t WHERE i < 2000`
    const tooLarge = `SELECT SUM(LENGTH(REPEAT('x', 900000 + i))) AS v FROM ${rows} AS t`
    for (let round = 0; round < 3; round++) {
      await expect(firstColumn(tooLarge)).rejects.toBeInstanceOf(OutOfMemory)
      for (let again = 0; again < 2; again++) expect(await firstColumn(fitting)).toEqual([21_999_000])
    }
  })
})

describe('patterns that could backtrack are evaluated in time', () => {
  test.each([
    ["REPEAT('a', 100000) LIKE '%_a_%_a_%_a_%_a_%b'", false],
    ["REPEAT('a', 100000 + i) LIKE '%_a_%_a_%_a_%_a_%b' || ''", false],
    ["REPEAT('a', 100000) LIKE '%a%a%a%a%a%a%a%a%b'", false],
    ["REPEAT('a', 100000) LIKE '%_!a%_!a%_!a%b' ESCAPE '!'", false],
    ["REGEXP_LIKE(REPEAT('a', 100000), '(a*)*(a*)*b')", false],
  ])('%s', async (expression, value) => {
    expect(await firstColumn(`SELECT ${expression} AS v FROM (VALUES (1)) AS t(i)`)).toEqual([value])
  })

  test('a LIKE pattern that is too long is refused', async () => {
    for (const pattern of [`'%_${'a'.repeat(1000)}'`, "'%_' || REPEAT('a', 1000)"]) {
      await expect(firstColumn(`SELECT 'a' LIKE ${pattern} AS v`)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('1000 characters'),
      })
    }
  })
})
