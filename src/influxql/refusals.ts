// What InfluxDB takes and is not answered here, and what to use in its place; and how its operators are written.
import type { Comparison } from './syntax.ts'

export const comparisons: ReadonlyMap<string, Comparison> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['=~', '=~'],
  ['!~', '!~'],
])

const operators =
  'is not supported: the operator defines ingests and keys by the command tidemark or at /admin, see docs/guides/operating.md,'

export const refusedStatements: ReadonlyMap<string, string> = new Map([
  ['create', `${operators} and there are no continuous queries,`],
  ['drop', operators],
  ['alter', operators],
  ['grant', operators],
  ['revoke', operators],
  ['set', operators],
  ['delete', 'is not supported: an operator sets how long the rows of an entity are kept,'],
  ['kill', 'is not supported: close the connection of the query,'],
  ['explain', 'is not supported: write EXPLAIN PLAN FOR before SQL, at POST /consumer/data/sql-query,'],
])

export const refusals = {
  into: 'SELECT INTO is not supported: push what you read into an ingest,',
  subquery: 'a subquery is not supported: write it in SQL, at POST /consumer/data/sql-query,',
} as const

/** Functions, and what to ask in their place. */
export const refusedCalls: ReadonlyMap<string, string> = new Map([
  ['percentile', 'APPROX_QUANTILE_DS(x, 0.95)'],
  ['distinct', 'SELECT DISTINCT x'],
  ['mode', 'COUNT(*) with GROUP BY x'],
  ['top', 'ORDER BY x DESC LIMIT 3'],
  ['bottom', 'ORDER BY x LIMIT 3'],
  ['sample', 'LIMIT 3'],
  ['histogram', 'COUNT(*) with GROUP BY FLOOR(x)'],
  ['holt_winters', 'the rows'],
  ['holt_winters_with_fit', 'the rows'],
])
