import { expect, test } from 'vitest'
import { parseQuery } from '../parse/parse-query.ts'
import { translateSql } from '../translate.ts'
import { druidStatement } from './druid-statement.ts'

const rows = "(VALUES ('a', 1)) AS t(s, n)"

const written = (text: string): string =>
  druidStatement(
    { query: parseQuery(text) },
    { tables: [], entities: [], clusterName: 'c', known: new Map(), items: [] },
  ).text

/** Expressions that Druid's planner fails on, or lacks. */
test.each([
  [`SELECT n IN (1.5, PI) FROM ${rows}`, '"n" IN (1.5, CAST(3.141592653589793E0 AS DOUBLE))'],
  [`SELECT n < 1e400 FROM ${rows}`, '"n" < CAST(NULL AS DOUBLE)'],
  [`SELECT n < 100000000000000000000 FROM ${rows}`, '"n" < 100000000000000000000E0'],
  [`SELECT n < 9223372036854775807.0 FROM ${rows}`, '"n" < 9223372036854775807.0E0'],
  [`SELECT n < 9223372036854775807 FROM ${rows}`, '"n" < 9223372036854775807'],
  [`SELECT (n > 1) IS UNKNOWN FROM ${rows}`, '("n" > 1) IS NULL'],
  [`SELECT (n > 1) IS NOT UNKNOWN FROM ${rows}`, '("n" > 1) IS NOT NULL'],
  [`SELECT ARRAY[s][n] FROM ${rows}`, 'ARRAY_ORDINAL(ARRAY["s"], "n")'],
  [`SELECT CAST(CAST(s AS BIGINT) AS VARCHAR) FROM ${rows}`, 'CAST(BITWISE_OR(CAST("s" AS BIGINT), 0) AS VARCHAR)'],
  [`SELECT CAST(CAST(s AS DOUBLE) AS VARCHAR) FROM ${rows}`, 'CAST(POWER(CAST("s" AS DOUBLE), 1) AS VARCHAR)'],
  [`SELECT CAST(CAST(n AS VARCHAR) AS TIMESTAMP) FROM ${rows}`, `CAST(CONCAT(CAST("n" AS VARCHAR), '') AS TIMESTAMP)`],
  [`SELECT CAST(s AS BIGINT) FROM ${rows}`, 'SELECT CAST("s" AS BIGINT)'],
  [`SELECT LEAST('', 'a', s) FROM ${rows}`, 'LEAST(CAST(? AS VARCHAR), CAST(? AS VARCHAR), "s")'],
  [`SELECT SUBSTRING('Druid', 2, 3) FROM ${rows}`, 'SUBSTRING(CAST(? AS VARCHAR), 2, 3)'],
  [`SELECT ARRAY['a', 'abc'] FROM ${rows}`, 'ARRAY[CAST(? AS VARCHAR), CAST(? AS VARCHAR)]'],
])('%s is rewritten for Druid', (text, part) => {
  expect(written(text)).toContain(part)
})

/** Next to an aggregate of distinct values, Druid returns null for other counts of no rows. */
test.each([
  [
    `SELECT COUNT(*), COUNT(DISTINCT s) FROM ${rows}`,
    'SELECT CASE WHEN (SUM(1) > 0) THEN COUNT(*) ELSE 0 END, COUNT(DISTINCT "s")',
  ],
  [
    `SELECT 1 + COUNT(n) FILTER (WHERE n > 1) FROM ${rows} HAVING COUNT(DISTINCT s) > 0`,
    '1 + CASE WHEN (SUM(1) > 0) THEN COUNT("n") FILTER (WHERE ("n" > 1)) ELSE 0 END',
  ],
  [`SELECT COUNT(*), COUNT(DISTINCT s) FROM ${rows} GROUP BY ()`, 'SELECT CASE WHEN (SUM(1) > 0)'],
  [`SELECT COUNT(*), SUM(DISTINCT n) FROM ${rows}`, 'SELECT CASE WHEN (SUM(1) > 0)'],
  [`SELECT COUNT(*), AVG(DISTINCT n) FROM ${rows}`, 'SELECT CASE WHEN (SUM(1) > 0)'],
  [`SELECT COUNT(*) FROM ${rows} ORDER BY COUNT(DISTINCT n)`, 'SELECT CASE WHEN (SUM(1) > 0)'],
  [
    `SELECT APPROX_COUNT_DISTINCT_DS_HLL(s), COUNT(DISTINCT n) FROM ${rows}`,
    'SELECT CASE WHEN (SUM(1) > 0) THEN APPROX_COUNT_DISTINCT_DS_HLL("s") ELSE 0 END',
  ],
  [`SELECT COUNT(*), MAX(DISTINCT n) FROM ${rows}`, 'SELECT COUNT(*), '],
  [`SELECT VAR_POP(n), COUNT(DISTINCT s) FROM ${rows}`, 'SELECT CASE COUNT(CAST("n" AS DOUBLE)) WHEN 0 THEN NULL'],
  [`SELECT COUNT(*), APPROX_COUNT_DISTINCT(s) FROM ${rows}`, 'SELECT COUNT(*), '],
  [`SELECT n, COUNT(*), COUNT(DISTINCT s) FROM ${rows} GROUP BY n`, 'SELECT "n", COUNT(*), '],
  [
    `SELECT COUNT(*) FROM (SELECT COUNT(*) AS n, COUNT(DISTINCT s) AS c FROM ${rows}) AS q`,
    'SELECT COUNT(*) FROM (SELECT CASE',
  ],
])('counts next to distinct aggregates in %s', (text, part) => {
  expect(written(text)).toContain(part)
})

/** If some elements of an array may be null and others may not, Druid does not recognize the selected array as the grouped one. */
const ofGroups = 'ARRAY[CASE WHEN TRUE THEN "n" END, CASE WHEN TRUE THEN 3 END]'
test.each([
  [`SELECT ARRAY[n, 3] AS k FROM ${rows} GROUP BY 1`, `SELECT ${ofGroups} AS "k"`],
  [`SELECT ARRAY[n, 3] AS k FROM ${rows} GROUP BY ARRAY[n, 3]`, `GROUP BY ${ofGroups}`],
  [`SELECT ARRAY[n, 3] AS k FROM ${rows} GROUP BY 1 ORDER BY ARRAY[n, 3]`, `ORDER BY ${ofGroups}`],
  [`SELECT DISTINCT ARRAY[n, 3] AS k FROM ${rows} ORDER BY k`, `SELECT DISTINCT ${ofGroups} AS "k"`],
  [`SELECT ARRAY[n, 3] AS k FROM ${rows}`, 'SELECT ARRAY["n", 3] AS "k"'],
])('arrays as group keys in %s', (text, part) => {
  expect(written(text)).toContain(part)
})

/** In GROUP BY, Druid does not know the columns of the result, and prefers a column of the rows to one of the result. */
test.each([
  [`SELECT UPPER(s) AS k, COUNT(*) FROM ${rows} GROUP BY k`, 'GROUP BY UPPER("s")'],
  [`SELECT UPPER(s) AS s, COUNT(*) FROM ${rows} GROUP BY s, 1`, 'GROUP BY "s", 1'],
  [
    `SELECT n + 1 AS k, COUNT(*) FROM ${rows} GROUP BY ROLLUP (k, s)`,
    'GROUPING SETS ((("n" + 1), "s"), (("n" + 1)), ())',
  ],
  [`SELECT k FROM (SELECT s AS k FROM ${rows}) AS q GROUP BY k`, 'GROUP BY "k"'],
  [
    `SELECT UPPER(s) AS k, n, COUNT(*) FROM ${rows} GROUP BY ROLLUP (1, 2)`,
    'GROUPING SETS ((UPPER("s"), "n"), (UPPER("s")), ())',
  ],
  [`SELECT SUM(n) FILTER (WHERE n > 1) OVER () AS k FROM ${rows}`, 'SUM(CASE WHEN ("n" > 1) THEN "n" END) OVER ()'],
  [`SELECT COUNT(*) FILTER (WHERE n > 1) OVER () AS k FROM ${rows}`, 'COUNT(CASE WHEN ("n" > 1) THEN 1 END) OVER ()'],
])('%s', (text, written) => {
  const { namedKeys } = translateSql(text, [])
  expect(
    druidStatement(
      { query: parseQuery(text) },
      { tables: [], entities: [], clusterName: 'c', known: new Map(), items: [] },
      namedKeys,
    ).text,
  ).toContain(written)
})

test('string parameters remain parameters, other values become literals', () => {
  const parameters = [
    { kind: 'text', value: "a' OR 1=1" },
    { kind: 'number', digits: '-5' },
    { kind: 'time', type: 'TIMESTAMP', value: '2026-07-01 00:00:00.000' },
  ] as const
  const tables = { tables: [], entities: [], clusterName: 'c', known: new Map(), items: [] }
  const { text, parameters: bound } = druidStatement(
    { query: parseQuery('SELECT ? AS a, ? AS b, ? AS c', { parameters }) },
    tables,
  )
  expect(text).toContain(`SELECT ? AS "a", (- 5) AS "b", TIMESTAMP '2026-07-01 00:00:00.000' AS "c"`)
  expect(bound).toEqual(["a' OR 1=1"])
})

test.each([
  `SELECT FIRST_VALUE(n) OVER (ORDER BY n ROWS 1 PRECEDING) FROM ${rows}`,
  `SELECT LAST_VALUE(n) OVER w FROM ${rows} WINDOW w AS (ORDER BY n ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)`,
  `SELECT * FROM (SELECT FIRST_VALUE(n) OVER w AS f FROM ${rows} WINDOW w AS (ORDER BY n ROWS 1 PRECEDING)) AS q`,
])('%s is refused with the name of its function', (text) => {
  expect(() => written(text)).toThrow(/on a cluster the bounds of the frame of (?:FIRST|LAST)_VALUE must be UNBOUNDED/)
})

/** Without an origin, Druid rounds times before 1970 towards 1970. */
test.each([
  ["TIME_FLOOR(t, 'PT6H')", 'TIME_FLOOR("t", ?, MILLIS_TO_TIMESTAMP(21600000))'],
  ["TIME_CEIL(t, 'PT7H', NULL)", 'TIME_CEIL("t", ?, MILLIS_TO_TIMESTAMP(25200000))'],
  ["TIME_FLOOR(t, 'PT6H', NULL, 'Europe/Madrid')", 'TIME_FLOOR("t", ?, MILLIS_TO_TIMESTAMP(18000000), ?)'],
  ["TIME_FLOOR(t, 'PT6H', TIMESTAMP '2026-01-01 00:00:00')", 'TIME_FLOOR("t", ?, TIMESTAMP \'2026-01-01 00:00:00\')'],
  ["TIME_FLOOR(t, 'PT1H')", 'TIME_FLOOR("t", ?)'],
  ["TIME_FLOOR(t, 'P1DT6H')", 'TIME_FLOOR("t", ?)'],
])('%s gets an origin after 1970 in Druid if it spans several hours', (call, expected) => {
  expect(written(`SELECT ${call} FROM (VALUES (TIMESTAMP '2026-01-01 00:00:00')) AS v(t)`)).toContain(expected)
})

test.each([
  ['TIME_WEIGHTED_AVG(n, t)', 'average with "weight": "time"'],
  ["INTEGRAL(n, t, 'step')", 'aggregate with "aggregates": ["total"]'],
  ['COUNTER_RISE(n, t)', 'aggregate with "aggregates": ["rise"]'],
])('%s is refused with the data query to use instead', (call, instead) => {
  const text = `SELECT MAX(n) AS a, 1 + ${call} AS b FROM (VALUES (TIMESTAMP '2026-01-01', 1)) AS t(t, n)`
  expect(() => written(text)).toThrow(`use the data query ${instead}`)
  expect(() => translateSql(text, [])).not.toThrow()
})
