import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { sqlTable } from './bind/tables.ts'
import { translateSql } from './translate.ts'

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'ok', type: 'boolean', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
] as const
const tables = [sqlTable({ id: 1, name: 'plant', fields }), sqlTable({ id: 2, name: 'a.b', fields })]

function refusal(text: string): string {
  try {
    translateSql(text, tables)
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.errors![0]!.message
    throw error
  }
  throw new Error('it was not refused')
}

describe('a refusal explains the error and its position', () => {
  test.each([
    ['', 'the query is empty: write SELECT ... (line 1, column 1)'],
    [
      'DROP TABLE plant',
      "'DROP' cannot begin a query: only queries are supported, which begin with SELECT, WITH or VALUES (line 1, column 1)",
    ],
    ['SELECT 1; SELECT 2', 'only one query is allowed: nothing may follow the semicolon (line 1, column 11)'],
    ['SELECT T\nFROM plant\nWHERE V >', 'the query ends here: an expression is expected (line 3, column 10)'],
    [
      'SELECT v FROM plant',
      "column 'v' is not found in any table: there is 'V'; names are case-sensitive (line 1, column 8)",
    ],
    [
      'SELECT "time" FROM plant',
      'column \'time\' is not found in any table: the time of a row is "__time" (line 1, column 8)',
    ],
    [
      'SELECT V FROM plant WHERE T = "boiler.temp"',
      "column 'boiler.temp' is not found in any table: there are '__time', 'T', 'ok', 'V'. Write a string in single quotes: 'boiler.temp' (line 1, column 31)",
    ],
    [
      'SELECT time FROM plant',
      '\'time\' is an SQL keyword. The time of a row is __time; write another column of that name in double quotes, "time" (line 1, column 8)',
    ],
    [
      'SELECT p.date FROM plant p',
      '\'date\' is an SQL keyword. The time of a row is __time; write another column of that name in double quotes, "date" (line 1, column 10)',
    ],
    [
      'SELECT AVG(value) FROM plant',
      '\'value\' is an SQL keyword: as the name of a column, write it in double quotes, "value" (line 1, column 12)',
    ],
    [
      'SELECT W FROM (SELECT V FROM plant)',
      "column 'W' is not found in any table: there is 'V'. Write a string in single quotes: 'W' (line 1, column 8)",
    ],
    [
      'SELECT T FROM plnt',
      "there is no table 'plnt': 'plant' may be meant; there are 'plant', 'a.b' (line 1, column 15)",
    ],
    [
      'SELECT T FROM a.b',
      `there is no table 'a.b': write a name with a dot in double quotes, "a.b" (line 1, column 15)`,
    ],
    ["SELECT 'abc", "the string that begins here is not closed: write ' at its end (line 1, column 8)"],
    [
      'SELECT COUNT(*) AS count FROM plant',
      `'count' is an SQL keyword: as the name of a column, write it in double quotes, "count" (line 1, column 20)`,
    ],
    ['SELECT FROB(V) FROM plant', "there is no function 'FROB' (line 1, column 8)"],
    ['SELECT LOWER(T, T) FROM plant', 'LOWER takes 1 operand, not 2 (line 1, column 8)'],
    [
      "SELECT TIME_FLOOR(__time, '1 day') FROM plant",
      "'1 day' is not a period: write one as 'PT5M', 'P1D' or 'P1M' (line 1, column 27)",
    ],
    [
      'SELECT T, COUNT(*) FROM plant',
      "column 'T' is not in GROUP BY: add it there, or use it in an aggregate (line 1, column 8)",
    ],
    ['SELECT T FROM plant WHERE V', 'WHERE must be a condition, not a value of type DOUBLE (line 1, column 27)'],
    ['SELECT T FROM plant WHERE COUNT(*) > 1', 'an aggregate is not allowed in WHERE (line 1, column 27)'],
    [
      'SELECT T, T FROM plant',
      "two columns of the answer are named 'T': rename one of them with AS (line 1, column 1)",
    ],
    [
      "SELECT T FROM plant WHERE __time > 'noon'",
      "'noon' is not a valid time: write it as '2026-01-31 12:00:00' (line 1, column 36)",
    ],
    [
      'SELECT T FROM plant -- \u00e4\n ORDER BY V',
      'rows of a table can be ordered only by __time: for another order, write SELECT * FROM (SELECT ...) ORDER BY ... (line 2, column 11)',
    ],
  ])('%s', (text, message) => {
    expect(refusal(text)).toBe(message)
  })
})

describe('columns of the result', () => {
  test.each([
    [
      'SELECT * FROM plant',
      [
        ['__time', 'timestamp'],
        ['T', 'string'],
        ['ok', 'long'],
        ['V', 'double'],
      ],
    ],
    [
      'SELECT T, V + 1, COUNT(*) AS n FROM plant GROUP BY 1, 2',
      [
        ['T', 'string'],
        ['EXPR$1', 'double'],
        ['n', 'long'],
      ],
    ],
    ['SELECT "a.b"."T" FROM "a.b"', [['T', 'string']]],
    [
      'SELECT CAST(__time AS DATE) AS d, V > 1 AS b, ARRAY[1] AS a FROM plant;',
      [
        ['d', 'timestamp'],
        ['b', 'boolean'],
        ['a', 'string'],
      ],
    ],
  ] as const)('%s', (text, columns) => {
    expect(translateSql(text, tables).columns.map(({ name, type }) => [name, type])).toEqual(columns)
  })
})

test('the SQL of the engine contains no names from the client, only values and its own names', () => {
  const { text, entityIds } = translateSql(`SELECT "T" AS "x""y" FROM "a.b" AS "z;" WHERE "T" = 'it''s'`, tables)
  expect(text).toBe(
    "SELECT CAST(c0 AS VARCHAR) AS c0 FROM (SELECT r1.c1 AS c0 FROM entity_2 AS r1 WHERE (r1.c1 = 'it''s')) AS answer",
  )
  expect(entityIds).toEqual([2])
})

test.each([
  ['SELECT ARRAY[s] AS k, COUNT(*) AS n FROM t GROUP BY 1', true],
  ['SELECT DISTINCT ARRAY[s] AS k FROM t', true],
  ['SELECT q.k FROM (SELECT ARRAY[s] AS k FROM t) AS q GROUP BY q.k', true],
  ['SELECT s, ARRAY_AGG(DISTINCT s) AS k FROM t GROUP BY s', false],
  ['SELECT ARRAY[s] AS k FROM t', false],
  ['SELECT s, COUNT(*) AS n FROM t GROUP BY ROLLUP (s) ORDER BY s LIMIT 3', true],
  ['SELECT COUNT(*) FROM (SELECT s FROM t GROUP BY GROUPING SETS ((s), ()) LIMIT 3) AS q', true],
  ['SELECT s, COUNT(*) AS n FROM t GROUP BY s ORDER BY s LIMIT 3', false],
])('groups of %s must be complete before they are limited: %j', (text, needsWholeGroups) => {
  expect(translateSql(`WITH t AS (SELECT * FROM (VALUES ('a')) AS v(s)) ${text}`, []).needsWholeGroups).toBe(
    needsWholeGroups,
  )
})

describe('a condition with thousands of parts is translated in time', () => {
  const parts = (count: number, part: (number: number) => string, by: string): string =>
    Array.from({ length: count }, (_, number) => part(number)).join(by)
  const list = `T IN (${parts(4000, String, ', ')})`
  test.each([
    ['equalities', parts(4000, (number) => `T = ${number}`, ' OR ')],
    ['inequalities', parts(4000, (number) => `T <> ${number}`, ' AND ')],
    ['ranges', parts(2000, (number) => `T BETWEEN ${number} AND ${number + 2}`, ' OR ')],
    ['a condition that includes all numbers', `${parts(900, (number) => `T = ${number}`, ' OR ')} OR T <> 1`],
    ['lists', `${list} OR ${list} OR T <> 1`],
    ['numbers with a million digits', parts(30, () => `T = ${'9'.repeat(1_000_000)}`, ' OR ')],
  ])('%s', { timeout: 10_000 }, async (_, condition) => {
    expect(translateSql(`SELECT COUNT(*) AS n FROM plant WHERE ${condition}`, tables).entityIds).toEqual([1])
    // If the translation exceeded the test's timeout, this turn of the event loop reports it.
    await setImmediate()
  })

  test('over many tables with many columns', { timeout: 10_000 }, async () => {
    const numbers = Array.from(
      { length: 1000 },
      (_, number) => ({ name: `f${number}`, type: 'double', role: 'metric' }) as const,
    )
    const wide = [sqlTable({ id: 1, name: 'wide', fields: [...fields, ...numbers] })]
    const from = `${parts(80, (number) => `wide AS w${number}`, ', ')}, (SELECT T AS tag FROM wide)`
    const condition = parts(4000, (number) => `tag = ${number}`, ' OR ')
    expect(translateSql(`SELECT COUNT(*) AS n FROM ${from} WHERE ${condition}`, wide).entityIds).toEqual([1])
    await setImmediate()
  })
})
