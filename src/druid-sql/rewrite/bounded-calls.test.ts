import { expect, test } from 'vitest'
import { parseQuery } from '../parse/parse-query.ts'
import { druidStatement } from './druid-statement.ts'

const statement = (expression: string): string =>
  druidStatement(
    { query: parseQuery(`SELECT ${expression} AS x FROM (VALUES ('a')) AS t(s)`) },
    { tables: [], entities: [], clusterName: 'c', known: new Map(), items: [] },
  ).text

const most = '1000000 / GREATEST(CHAR_LENGTH(?), 1)'

test.each([
  ["REPEAT('a', 3)", 'REPEAT(?, 3)'],
  ["REPEAT('a', 2000000000)", `REPEAT(?, CASE WHEN 2000000000 > ${most} THEN ${most} ELSE 2000000000 END)`],
  ["LPAD('a', 10, 'x')", 'LPAD(?, 10, ?)'],
  ["RPAD('a', 2000000000, 'x')", 'RPAD(?, CASE WHEN 2000000000 > 1000000 THEN 1000000 ELSE 2000000000 END, ?)'],
  ["UPPER('a')", 'UPPER(?)'],
  ["REGEXP_LIKE(s, '^.*foo.*bar$')", 'REGEXP_LIKE('],
  ["STRING_TO_ARRAY(s, ',')", 'STRING_TO_ARRAY('],
  ["s LIKE '%a%a%a%a%a%'", 'LIKE'],
])('%s', (expression, written) => {
  expect(statement(expression)).toContain(written)
})

test.each([
  "REGEXP_LIKE(s, '(a+)+b')",
  "regexp_like(s, '.*a.*b.*c.*d')",
  "REGEXP_EXTRACT(s, '(a+)+b', 1)",
  "REGEXP_REPLACE(s, '(a+)+b', '')",
  "REGEXP_LIKE(s, CAST('(a+)+b' AS VARCHAR))",
  "STRING_TO_ARRAY(s, '(a|a)*b')",
])('%s is refused', (expression) => {
  expect(() => statement(expression)).toThrow(/^sql_query: on a cluster the pattern might never end: .* LIKE/)
})
