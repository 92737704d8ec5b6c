// Queries with values at every edge: what is beyond a range is what Druid makes of it, or the query's fault, and never a failure of the service.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzedSql } from '../druid-sql/fuzzed-queries.ts'
import { askFuzzed, type FuzzedWorld, faultOf, fuzzedWorld } from '../support/fuzzed-world.ts'
import { adminKey } from '../support/server-process.ts'
import { askSql } from '../support/sql-world.ts'

let world: FuzzedWorld
beforeAll(async () => {
  world = await fuzzedWorld()
})
afterAll(() => world?.service.close())

const least = '-9223372036854775808'
const two = '(VALUES (-9223372036854775808), (7)) AS t (l)'
const four =
  "(SELECT CASE WHEN l > 0 THEN l END AS l, s FROM (VALUES (0, 'c'), (1, 'a'), (2, 'b'), (3, 'a')) AS v (l, s)) AS t"
const beyond = /a number or a time is beyond its range/

/** The values of the column x in the order of the rows, or what the caller is told. Values are a real Druid's. */
const cases: readonly (readonly [text: string, answer: readonly (string | null)[] | RegExp])[] = [
  [`SELECT l / -1 AS x FROM ${two}`, [least, '-7']],
  [`SELECT l / m AS x FROM (SELECT l, -1 AS m FROM ${two})`, [least, '-7']],
  [`SELECT MOD(l, -1) AS x FROM ${two}`, ['0', '0']],
  [`SELECT DIV(l, -1) AS x FROM ${two}`, [least, '-7']],
  [`SELECT SAFE_DIVIDE(l, -1) AS x FROM ${two}`, [least, '-7']],
  [`SELECT ABS(l) AS x FROM ${two}`, [least, '7']],
  [`SELECT -l AS x FROM ${two}`, [least, '-7']],
  [`SELECT l / 0 AS x FROM ${two}`, /a whole number is divided by zero/],
  [`SELECT MILLIS_TO_TIMESTAMP(l) AS x FROM ${two}`, beyond],
  [`SELECT CAST(l AS TIMESTAMP) AS x FROM ${two}`, beyond],
  [`SELECT TIMESTAMPADD(YEAR, l, TIMESTAMP '2020-01-01 00:00:00') AS x FROM ${two}`, beyond],
  [`SELECT TIME_SHIFT(TIMESTAMP '2020-01-01 00:00:00', 'P1Y', l) AS x FROM ${two}`, beyond],
  [`SELECT TIME_SHIFT(TIMESTAMP '2020-01-01 00:00:00', 'P999999999Y', 1) AS x`, beyond],
  [`SELECT LAG(l, ${least}) OVER (ORDER BY l) AS x FROM ${two}`, [null, null]],
  [`SELECT LEAD(l, 9223372036854775807) OVER (ORDER BY l) AS x FROM ${two}`, [null, null]],
  [`SELECT LAG(l, -1) OVER (ORDER BY l) AS x FROM ${two}`, ['7', null]],
  [`SELECT ARRAY_OFFSET(ARRAY[1, 2], 9223372036854775807) AS x`, [null]],
  [`SELECT ARRAY_OFFSET(ARRAY[1, 2], l) AS x FROM ${two}`, [null, null]],
  [`SELECT ARRAY_ORDINAL(ARRAY[1, 2], 9223372036854775807) AS x`, [null]],
  [`SELECT ARRAY_LENGTH(ARRAY_SLICE(ARRAY[1, 2], 9223372036854775807)) AS x`, ['0']],
  ["SELECT s AS x FROM (VALUES ('a'), ('ax')) AS t (s) WHERE s LIKE 'ax' ESCAPE 'x'", ['a']],
  ["SELECT 'aa' AS x FROM (VALUES (1)) AS t (n) WHERE 'aa' LIKE 'axa' ESCAPE 'x'", ['aa']],
  ["SELECT s AS x FROM (VALUES ('x')) AS t (s) WHERE 'x' LIKE s ESCAPE 'x'", []],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS UNBOUNDED FOLLOWING) AS x FROM ${four}`, ['4', '3', '2', '1']],
  [`SELECT SUM(l) OVER (ORDER BY l RANGE UNBOUNDED FOLLOWING) AS x FROM ${four}`, ['6', '6', '5', '3']],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS 1 FOLLOWING) AS x FROM ${four}`, ['2', '2', '2', '1']],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS CURRENT ROW) AS x FROM ${four}`, ['1', '1', '1', '1']],
  [`SELECT COUNT(l) OVER (ROWS CURRENT ROW) AS x FROM ${four}`, ['3', '3', '3', '3']],
  [`SELECT COUNT(*) OVER (ORDER BY l ROWS 9999999999 FOLLOWING) AS x FROM ${four}`, ['4', '3', '2', '1']],
  [
    `SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) AS x FROM ${four}`,
    [null, null, null, null],
  ],
  ...['UNBOUNDED FOLLOWING AND UNBOUNDED FOLLOWING', 'UNBOUNDED FOLLOWING AND CURRENT ROW'].map(
    (frame) =>
      [`SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN ${frame}) AS x FROM ${four}`, /does not begin at/] as const,
  ),
  [
    `SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) AS x FROM ${four}`,
    /does not end/,
  ],
  ...['1 FOLLOWING AND CURRENT ROW', 'CURRENT ROW AND 1 PRECEDING', '1 FOLLOWING AND 1 PRECEDING'].map(
    (frame) =>
      [`SELECT SUM(l) OVER (ORDER BY l ROWS BETWEEN ${frame}) AS x FROM ${four}`, /ends before it begins/] as const,
  ),
  [
    "SELECT JSON_OBJECT(KEY s VALUE 1) AS x FROM (VALUES (NULLIF('a', 'a'))) AS t (s)",
    /a key of a JSON object is null/,
  ],
]

test.each(cases)('%s', async (text, answer) => {
  const reply = await askSql(world, adminKey, text)
  if (answer instanceof RegExp) {
    expect(reply).toEqual({ status: 400, text: expect.stringMatching(answer) })
    return
  }
  const values = [...reply.text.matchAll(/"x":(null|"[^"]*"|[^,}]*)/g)].map(([, value]) => value!.replaceAll('"', ''))
  expect({ ...reply, values }).toMatchObject({ status: 200, values: answer.map((value) => value ?? 'null') })
})

test('what the engine says goes to the log, not to the caller', async () => {
  const text =
    'SELECT x.l AS x FROM fuzz AS x LEFT JOIN fuzz AS y ON x.l = y.l AND EXISTS (SELECT 1 FROM fuzz AS z WHERE z.l = x.l)'
  expect(
    await faultOf(world, { path: '/consumer/data/sql-query', body: JSON.stringify({ sql_query: text }) }),
  ).toBeNull()
})

const count = Number(process.env['TIDEMARK_FUZZ_QUERIES'] ?? 150)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)

test('SQL at random', async () => {
  const sqlOf = (number: number) => ({
    path: '/consumer/data/sql-query',
    body: JSON.stringify({ sql_query: fuzzedSql(number) }),
  })
  expect(await askFuzzed(world, sqlOf, { first: seed * 1_000_000, count, atOnce: 4 })).toEqual([])
}, 120_000)
