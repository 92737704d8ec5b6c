import { expect, test } from 'vitest'
import { parseQuery } from '../parse/parse-query.ts'
import { druidStatement } from './druid-statement.ts'

const most = '1000000 / GREATEST(CHAR_LENGTH(?), 1)'

test.each([
  ["REPEAT('a', 3)", 'REPEAT(?, 3)'],
  ["REPEAT('a', 2000000000)", `REPEAT(?, CASE WHEN 2000000000 > ${most} THEN ${most} ELSE 2000000000 END)`],
  ["LPAD('a', 10, 'x')", 'LPAD(?, 10, ?)'],
  ["RPAD('a', 2000000000, 'x')", 'RPAD(?, CASE WHEN 2000000000 > 1000000 THEN 1000000 ELSE 2000000000 END, ?)'],
  ["UPPER('a')", 'UPPER(?)'],
])('%s', (text, written) => {
  expect(
    druidStatement(
      { query: parseQuery(`SELECT ${text} AS x`) },
      { tables: [], entities: [], clusterName: 'c', known: new Map(), items: [] },
    ).text,
  ).toContain(written)
})
