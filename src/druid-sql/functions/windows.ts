// Functions over the rows around a row.

import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { engineAggregate } from '../bind/tree.ts'
import { double, long, type SqlType } from '../bind/types.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { type AggregateResult, plainAggregate, result } from './aggregate-signature.ts'
import { type BoundCall, constantInteger } from './signature.ts'

export interface WindowFunction {
  readonly count: readonly [least: number, most: number]
  readonly needsOrder: boolean
  readonly bind: (call: BoundCall) => AggregateResult
}

function ranking(name: Sql, type: SqlType, needsOrder = true): WindowFunction {
  const fn = plainAggregate(name)
  return { count: [0, 0], needsOrder, bind: () => result(type, fn, []) }
}

interface RowsOptions {
  readonly rows: bigint
}

/** Further than any partition extends. The engine reverses the sign of some larger offsets. */
const rowsMax = 2n ** 40n

function withinRows(rows: bigint): bigint {
  return rows > rowsMax ? rowsMax : rows < -rowsMax ? -rowsMax : rows
}

function offset(name: Sql): WindowFunction {
  const fn = engineAggregate<RowsOptions>(([x], { options: { rows } }) => ({
    call: sql`${name}(${x!}, ${plainInteger(rows)})`,
  }))
  return {
    count: [1, 3],
    needsOrder: true,
    bind: (call) => {
      const [x, , fallback] = call.operands
      // Druid accepts a default and silently ignores it.
      if (fallback !== undefined) {
        throw sqlProblem(fallback.place, `${call.name} does not accept a default: put COALESCE(..., x) around it`)
      }
      const rows = withinRows(constantInteger(call, 1, 1n))
      return result(x!.type, fn, [x!], { rows })
    },
  }
}

function edge(name: Sql): WindowFunction {
  const fn = plainAggregate(name)
  return { count: [1, 1], needsOrder: false, bind: ({ operands: [x] }) => result(x!.type, fn, [x!]) }
}

const ntile = engineAggregate<RowsOptions>((_, { options: { rows } }) => ({ call: sql`ntile(${plainInteger(rows)})` }))

export const windowFunctions: ReadonlyMap<string, WindowFunction> = new Map<string, WindowFunction>(
  Object.entries({
    ROW_NUMBER: ranking(sql`row_number`, long, false),
    RANK: ranking(sql`rank`, long),
    DENSE_RANK: ranking(sql`dense_rank`, long),
    PERCENT_RANK: ranking(sql`percent_rank`, double),
    CUME_DIST: ranking(sql`cume_dist`, double),
    NTILE: {
      count: [1, 1],
      needsOrder: true,
      bind: (call) => {
        const buckets = constantInteger(call, 0, 1n)
        if (buckets < 1n)
          throw sqlProblem(call.place, `NTILE needs a whole number above 0, not ${quoted(String(buckets))}`)
        return result(long, ntile, [], { rows: buckets })
      },
    },
    LAG: offset(sql`lag`),
    LEAD: offset(sql`lead`),
    FIRST_VALUE: edge(sql`first_value`),
    LAST_VALUE: edge(sql`last_value`),
  }),
)

/** Aggregates that may be used over a window. */
export const windowAggregates: ReadonlySet<string> = new Set(['COUNT', 'SUM', 'AVG', 'MIN', 'MAX'])
