// Syntax of other databases is refused with an error that names the replacement, and the replacement is accepted.
import { describe, expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { sqlTable } from './bind/tables.ts'
import { otherCharacters, otherClauses, otherFunctions, otherStatements } from './parse/other-dialects.ts'
import { translateSql } from './translate.ts'

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'x', type: 'double', role: 'metric' },
] as const
const tables = [sqlTable({ id: 1, name: 'plant', fields })]

function refusal(text: string): string | null {
  try {
    translateSql(text, tables)
    return null
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.message
    throw error
  }
}

/** Each with its replacement, which is accepted. */
const written: readonly (readonly [other: string, query: string, mended: string])[] = [
  [
    'DISTINCT ON (',
    'SELECT DISTINCT ON (T) * FROM plant ORDER BY T, __time DESC',
    'SELECT T, LATEST(x) FROM plant GROUP BY T',
  ],
  [
    'QUALIFY',
    'SELECT T FROM plant QUALIFY ROW_NUMBER() OVER (ORDER BY __time) = 1',
    'SELECT T FROM (SELECT T, ROW_NUMBER() OVER (ORDER BY __time) AS n FROM plant) WHERE n = 1',
  ],
  [
    'PIVOT ( _',
    "SELECT * FROM plant PIVOT (SUM(x) FOR T IN ('a', 'b'))",
    "SELECT SUM(x) FILTER (WHERE T = 'a') AS a FROM plant",
  ],
  [
    'SAMPLE BY',
    "SELECT __time, AVG(x) FROM plant SAMPLE BY '1h'",
    "SELECT TIME_FLOOR(__time, 'PT1H'), AVG(x) FROM plant GROUP BY TIME_FLOOR(__time, 'PT1H')",
  ],
  ['LATEST ON', 'SELECT * FROM plant LATEST ON __time PARTITION BY T', 'SELECT T, LATEST(x) FROM plant GROUP BY T'],
  ['LATEST BY', 'SELECT * FROM plant LATEST BY T', 'SELECT T, LATEST(x) FROM plant GROUP BY T'],
  ['FILL (', 'SELECT T, AVG(x) FROM plant GROUP BY T FILL(NULL)', 'SELECT T, AVG(x) FROM plant GROUP BY T'],
  ['GROUP BY ALL', 'SELECT T, AVG(x) FROM plant GROUP BY ALL', 'SELECT T, AVG(x) FROM plant GROUP BY 1'],
  ['ORDER BY ALL', 'SELECT T FROM plant GROUP BY T ORDER BY ALL', 'SELECT T FROM plant GROUP BY T ORDER BY 1'],
  ['TOP 10', 'SELECT TOP 5 T FROM plant', 'SELECT T FROM plant LIMIT 5'],
  ['* EXCLUDE', 'SELECT * EXCLUDE (T) FROM plant', 'SELECT __time, s, x FROM plant'],
  ['NOT ILIKE', "SELECT T FROM plant WHERE s NOT ILIKE 'A%'", "SELECT T FROM plant WHERE LOWER(s) NOT LIKE 'a%'"],
  ['ILIKE _', "SELECT T FROM plant WHERE s ILIKE 'A%'", "SELECT T FROM plant WHERE LOWER(s) LIKE 'a%'"],
  ['ILIKE _', "SELECT s ILIKE 'A%' FROM plant", "SELECT ICONTAINS_STRING(s, 'a') FROM plant"],
  ['SIMILAR TO', "SELECT T FROM plant WHERE s SIMILAR TO 'a'", "SELECT T FROM plant WHERE REGEXP_LIKE(s, 'a.*')"],
  ['RLIKE _', "SELECT T FROM plant WHERE s RLIKE 'a'", "SELECT T FROM plant WHERE REGEXP_LIKE(s, 'a')"],
  ['REGEXP _', "SELECT T FROM plant WHERE s REGEXP 'a'", "SELECT T FROM plant WHERE REGEXP_LIKE(s, 'a')"],
  ['GLOB _', "SELECT T FROM plant WHERE s GLOB 'a*'", "SELECT T FROM plant WHERE s LIKE 'a%'"],
  [
    'AT TIME ZONE',
    "SELECT __time AT TIME ZONE 'Europe/Madrid' FROM plant",
    "SELECT TIME_FORMAT(__time, 'yyyy-MM-dd HH:mm', 'Europe/Madrid'), TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid') FROM plant",
  ],
  ['::', 'SELECT x::int FROM plant', 'SELECT CAST(x AS BIGINT) FROM plant'],
  ['==', "SELECT T FROM plant WHERE s == 'a'", "SELECT T FROM plant WHERE s = 'a'"],
  ['->', "SELECT s ->> 'name' FROM plant", "SELECT JSON_VALUE(s, '$.name') FROM plant"],
  ['[', 'SELECT [T] FROM plant', 'SELECT "T" FROM plant'],
]

describe('clauses of other databases', () => {
  test.each(written)('%s', (other, query, mended) => {
    const advice = otherClauses.find(([wrong]) => wrong === other)?.[1]
    expect(refusal(query)).toContain(` is not supported: ${advice} (line 1, column `)
    expect(refusal(mended)).toBe(null)
  })

  test('every listed clause has a case here', () => {
    expect(otherClauses.map(([wrong]) => wrong)).toEqual([...new Set(written.map(([other]) => other))])
  })

  test('are reported by name and position', () => {
    expect(refusal("SELECT T FROM plant WHERE s ILIKE 'A%'")).toBe(
      "sql_query: ILIKE is not supported: write LOWER(s) LIKE 'a%', or ICONTAINS_STRING(s, 'a') (line 1, column 29)",
    )
    expect(refusal("SELECT * FROM plant PIVOT (SUM(x) FOR T IN ('a'))")).toContain(
      'sql_query: PIVOT is not supported: ',
    )
  })

  test.each([
    'SELECT latest.T FROM plant JOIN plant latest ON latest.T = plant.T',
    'SELECT sample.T, sample.x fill FROM plant sample ORDER BY __time',
    'SELECT top, ilike, rlike, regexp FROM (SELECT T AS top, x AS ilike, s rlike, x regexp FROM plant)',
    'SELECT pivot.a FROM (SELECT T FROM plant) pivot (a)',
    'SELECT DISTINCT "ON", ("ON") AS b FROM (SELECT T AS "ON" FROM plant)',
    'SELECT DISTINCT glob FROM (SELECT T AS glob FROM plant)',
    'SELECT T FROM plant WHERE x != 1 LIMIT 5, 10',
  ])('their keywords remain valid names: %s', (query) => {
    expect(refusal(query)).toBe(null)
  })

  test.each([
    ["SELECT T x INTERVAL '1' DAY FROM plant", "'INTERVAL' is not allowed here: the end of the query is expected"],
    ['SELECT T FROM plant latest ORDER', "'ORDER' is not allowed here: the end of the query is expected"],
  ])('other errors keep their messages: %s', (query, message) => {
    expect(refusal(query)).toContain(message)
  })
})

test.each([...otherFunctions])('the function %s of other databases: write %s', (name, write) => {
  expect(refusal(`SELECT ${name}(x) FROM plant`)).toBe(
    `sql_query: there is no function '${name}': write ${write} (line 1, column 8)`,
  )
  for (const one of write.split(', or ')) expect(refusal(`SELECT ${one} FROM plant`)).toBe(null)
})

test('the refusal of a misspelled function suggests the likely one', () => {
  expect(refusal("SELECT TIME_FLOR(__time, 'PT1H') FROM plant")).toContain(
    "there is no function 'TIME_FLOR': 'TIME_FLOOR' may be meant",
  )
  expect(refusal('SELECT LATSET(x) FROM plant')).toContain(": 'LATEST' may be meant")
})

test.each([...otherCharacters])('the character %s is refused: %s', (character, advice) => {
  expect(refusal(`SELECT ${character}T FROM plant`)).toContain(
    `'${character}' has no meaning in SQL here: ${advice} (line 1, column 8)`,
  )
})

test.each([...otherStatements])('%s cannot begin a query: %s', (word, advice) => {
  expect(refusal(`${word} plant`)).toContain(`'${word}' cannot begin a query: ${advice} (line 1, column 1)`)
})

test.each([
  ['SELECT AVG(x) FROM plant GROUP BY time(1h)', "'1h' is not a number: write a length of time as INTERVAL '1' HOUR"],
  ['SELECT T FROM plant WHERE __time > CURRENT_TIMESTAMP - 15m', "'15m' is not a number: write a length of time as"],
  ["SELECT INTERVAL '1 day' FROM plant", "'FROM' is not a unit of time"],
  ["SELECT (INTERVAL '1 day') FROM plant", "')' is not allowed here: a unit of time, such as DAY in INTERVAL '1' DAY"],
  ['SELECT INTERVAL 1 DAY FROM plant', "a string in single quotes, as in INTERVAL '1' DAY, is expected"],
  ['SELECT 1st FROM plant', "'1st' is not a number: write a name that begins with a digit in double quotes"],
])('interval syntax of other databases: %s', (query, message) => {
  expect(refusal(query)).toContain(message)
})
