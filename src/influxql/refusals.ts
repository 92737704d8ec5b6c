// Parts of InfluxQL that InfluxDB accepts and this service refuses, with what to use instead.
import { Problem } from '../model/problem.ts'

export function refused(message: string): Problem {
  return new Problem('invalid_request', message)
}

const operators =
  'is not supported: the operator defines ingests and keys with the command tidemark or at /admin, see docs/guides/operating.md,'

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

/** Refused functions, with what to write in SQL instead. */
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
