import { expect, test } from 'vitest'
import { translateSql } from '../translate.ts'
import { druidStatement } from './druid-statement.ts'

const rows = "(VALUES ('a', 1)) AS t(s, n)"

/** Druid does not know the columns of the result when it groups, and takes a column of the rows before one of the result. */
test.each([
  [`SELECT UPPER(s) AS k, COUNT(*) FROM ${rows} GROUP BY k`, 'GROUP BY UPPER("s")'],
  [`SELECT UPPER(s) AS s, COUNT(*) FROM ${rows} GROUP BY s, 1`, 'GROUP BY "s", 1'],
  [
    `SELECT n + 1 AS k, COUNT(*) FROM ${rows} GROUP BY ROLLUP (k, s)`,
    'GROUPING SETS ((("n" + 1), "s"), (("n" + 1)), ())',
  ],
  [`SELECT k FROM (SELECT s AS k FROM ${rows}) AS q GROUP BY k`, 'GROUP BY "k"'],
])('%s', (text, written) => {
  const { namedKeys } = translateSql(text, [])
  expect(
    druidStatement(text, { tables: [], entities: [], clusterName: 'c', known: new Map(), items: [] }, namedKeys).text,
  ).toContain(written)
})
