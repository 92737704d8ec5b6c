import { expect, test } from 'vitest'
import { parseQuery } from '../parse/parse-query.ts'
import { druidStatement } from './druid-statement.ts'

const statement = (expression: string): string =>
  druidStatement(
    { query: parseQuery(`SELECT ${expression} AS x FROM (VALUES ('a')) AS t(s)`) },
    {
      tables: [],
      entities: [],
      clusterName: 'c',
      known: new Map(),
      items: [],
    },
  ).text

test.each([
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
