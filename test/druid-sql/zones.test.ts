// SQL in another time zone (`sqlTimeZone`), and with parameters, through translation and engine. Expected values are Druid's.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readParameters } from '../../src/druid-sql/read-parameters.ts'
import { readSqlZone, type SqlQuery } from '../../src/druid-sql/sql-query.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { type Value, valueAt } from '../../src/model/column.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'

const directory = mkdtempSync(join(tmpdir(), 'tidemark-sql-zones-'))
let engine: DuckdbEngine

beforeAll(async () => {
  const memory = { memoryBytes: 2 ** 28, textBytes: 2 ** 26, temporaryBytes: 2 ** 28, threads: 1 }
  engine = await DuckdbEngine.open({
    directories: [directory],
    temporaryDirectory: join(directory, 'temporary'),
    ...memory,
  })
})
afterAll(() => {
  engine.close()
  rmSync(directory, { recursive: true })
})

async function firstRow({ text, ...options }: SqlQuery): Promise<Value[]> {
  const { text: engineText, columns } = translateSql(text, [], options)
  const query = { text: engineText, types: columns.map(({ type }) => type), tables: [] }
  for await (const batch of engine.run(query, { resultRows: 1000 }, new AbortController().signal)) {
    if (batch.rows > 0) return batch.columns.map((column) => valueAt(column, 0))
  }
  return []
}

const at = (text: string): number => Date.parse(text)
const x = "TIME_PARSE('2026-07-01T03:30:00Z')"
const zone = readSqlZone('America/Los_Angeles', 'context.sqlTimeZone')

test.each<[string, Value]>([
  ["TIMESTAMP '2026-07-01 00:00:00'", at('2026-07-01T07:00:00Z')],
  ["DATE '2026-07-01'", at('2026-07-01T07:00:00Z')],
  ["CAST('2026-01-01 00:00:00' AS TIMESTAMP)", at('2026-01-01T08:00:00Z')],
  ["CAST('2026-01-01T00:00:00Z' AS TIMESTAMP)", at('2026-01-01T00:00:00Z')],
  [`CAST(${x} AS VARCHAR)`, '2026-06-30 20:30:00'],
  [`CAST(${x} AS BIGINT)`, at('2026-07-01T03:30:00Z')],
  [`CAST(${x} AS DATE)`, at('2026-06-30T07:00:00Z')],
  [`CAST(CAST(${x} AS DATE) AS VARCHAR)`, '2026-06-30'],
  [`TIME_FLOOR(${x}, 'P1D')`, at('2026-06-30T07:00:00Z')],
  [`TIME_FLOOR(${x}, 'P1D', NULL, 'UTC')`, at('2026-07-01T00:00:00Z')],
  [`TIME_CEIL(${x}, 'P1M')`, at('2026-07-01T07:00:00Z')],
  [`FLOOR(${x} TO MONTH)`, at('2026-06-01T07:00:00Z')],
  [`DATE_TRUNC('year', ${x})`, at('2026-01-01T08:00:00Z')],
  [`EXTRACT(HOUR FROM ${x})`, 20],
  [`EXTRACT(DAY FROM ${x})`, 30],
  [`TIME_EXTRACT(${x}, 'HOUR')`, 20],
  [`TIME_EXTRACT(${x}, 'HOUR', 'UTC')`, 3],
  [`DAYOFMONTH(${x})`, 30],
  [`TIME_FORMAT(${x}, 'yyyy-MM-dd HH:mm')`, '2026-06-30 20:30'],
  [`TIME_FORMAT(${x})`, '2026-06-30T20:30:00.000-07:00'],
  ["TIME_PARSE('2026-01-01', 'yyyy-MM-dd')", at('2026-01-01T08:00:00Z')],
  ["TIME_SHIFT(TIMESTAMP '2026-03-07 12:00:00', 'P1D', 1)", at('2026-03-08T19:00:00Z')],
  ["TIMESTAMPADD(MONTH, 1, TIMESTAMP '2026-02-15 12:00:00')", at('2026-03-15T19:00:00Z')],
  ["TIMESTAMPADD(DAY, 1, TIMESTAMP '2026-03-07 12:00:00')", at('2026-03-08T20:00:00Z')],
  ["TIMESTAMP '2026-02-15 12:00:00' + INTERVAL '1' MONTH", at('2026-03-15T19:00:00Z')],
  ["TIMESTAMP '2026-03-07 12:00:00' + INTERVAL '1' DAY", at('2026-03-08T20:00:00Z')],
  ["TIMESTAMPDIFF(MONTH, TIMESTAMP '2026-02-15 12:00:00', TIMESTAMP '2026-03-15 12:00:00')", 1],
  [`TIME_IN_INTERVAL(${x}, '2026-06-30/P1D')`, true],
  [`${x} >= '2026-06-30' AND ${x} < '2026-07-01'`, true],
  ["TIME_FLOOR(CURRENT_TIMESTAMP, 'P1D') = CAST(CURRENT_DATE AS TIMESTAMP)", true],
])('%s in Los Angeles', async (expression, value) => {
  expect(await firstRow({ text: `SELECT ${expression} AS x`, zone })).toEqual([value])
})

test.each<[string, unknown, Value]>([
  ['?', { type: 'VARCHAR', value: "it's ? -- '" }, "it's ? -- '"],
  ['?', { type: 'VARCHAR', value: '5' }, '5'],
  ['? + 1', { type: 'BIGINT', value: 5 }, 6],
  ['?', { type: 'BIGINT', value: -(2n ** 63n) }, -(2n ** 63n)],
  ['-?', { type: 'INTEGER', value: -5 }, 5],
  ['? / 2', { type: 'DOUBLE', value: 5 }, 2.5],
  ['?', { type: 'DOUBLE', value: -1e-7 }, -1e-7],
  ['?', { type: 'DECIMAL', value: '1.25' }, 1.25],
  ['?', { type: 'BOOLEAN', value: false }, false],
  ["COALESCE(?, 'none')", { type: 'VARCHAR', value: null }, 'none'],
  ['?', { type: 'TIMESTAMP', value: '2026-07-01T00:00:00Z' }, at('2026-07-01T00:00:00Z')],
  ['?', { type: 'TIMESTAMP', value: at('2026-07-01T00:00:00Z') }, at('2026-07-01T00:00:00Z')],
  ['?', { type: 'TIMESTAMP', value: '2026-07-01 12:30:00' }, at('2026-07-01T12:30:00Z')],
  ['CAST(? AS VARCHAR)', { type: 'DATE', value: '2026-07-01' }, '2026-07-01'],
  ['ARRAY_LENGTH(?)', { type: 'ARRAY', value: ['a', "b'"] }, 2],
  ['(SELECT COUNT(*) FROM (VALUES (1), (2), (3)) AS t(n) WHERE n > ?)', { type: 'BIGINT', value: '1' }, 2],
])('%s with a parameter', async (expression, parameter, value) => {
  const parameters = readParameters([parameter])
  expect(await firstRow({ text: `SELECT ${expression} AS x`, parameters })).toEqual([value])
})

test('parameters are numbered by position, in LIMIT and OFFSET too', async () => {
  const parameters = readParameters([1, 10, 2].map((value) => ({ type: 'BIGINT', value })))
  const text = 'SELECT n FROM (VALUES (1), (2), (3), (4)) AS t(n) WHERE n > ? ORDER BY n LIMIT ? OFFSET ?'
  expect(await firstRow({ text, parameters })).toEqual([4])
})

test.each<[string, unknown, string]>([
  ['SELECT ? AS a, ? AS b', [{ type: 'BIGINT', value: 1 }], 'parameter 2 has no value: `parameters` has 1'],
  ['SELECT 1 AS a LIMIT ?', [{ type: 'BIGINT', value: -1 }], 'a number of rows must be a whole number'],
  ['SELECT ?', 'x', 'parameters: must be a list'],
  ['SELECT ?', [{ type: 'BLOB', value: 1 }], 'parameters[0].type: must be one of '],
  ['SELECT ?', [{ type: 'BIGINT', value: 1.5 }], 'parameters[0].value: is not a value of type BIGINT'],
  ['SELECT ?', [{ type: 'TIMESTAMP', value: 'noon' }], 'parameters[0].value: is not a value of type TIMESTAMP'],
  ['SELECT ?', [1], 'parameters[0]: must be an object'],
])('%s with %j is refused', (text, parameters, message) => {
  expect(() => translateSql(text, [], { parameters: readParameters(parameters) })).toThrow(message)
})

test('an unknown zone is refused with its path', () => {
  expect(() => readSqlZone('Mars/Olympus', 'context.sqlTimeZone')).toThrow('context.sqlTimeZone: is not a time zone')
})

test.each([
  ['SUM', 'YES'],
  ['TIME_FLOOR', 'NO'],
])('the function %s is listed in ROUTINES only with listsFunctions', async (name, isAggregator) => {
  const text = 'SELECT ROUTINE_TYPE, IS_AGGREGATOR FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME = ?'
  const parameters = readParameters([{ type: 'VARCHAR', value: name }])
  expect(await firstRow({ text, parameters, listsFunctions: true })).toEqual(['FUNCTION', isAggregator])
  expect(() => translateSql(text, [], { parameters })).toThrow('there is no table')
})
