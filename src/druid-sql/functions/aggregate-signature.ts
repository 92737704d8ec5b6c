// How the aggregates of the catalogue are written: what one takes, and how the engine says it.
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Bound } from '../bind/bound.ts'
import type { SqlType } from '../bind/types.ts'
import type { BoundCall } from './signature.ts'

export interface AggregateCall extends BoundCall {
  readonly distinct: boolean
  readonly star: boolean
  /** The ORDER BY within the call, or nothing. */
  readonly order: Sql
  /** The time of the rows, where the FROM has one: LATEST and EARLIEST go by it. */
  readonly time: () => Bound
  /** The time of the rows, and what tells which of two of one time was pushed later, where it is known. */
  readonly pushed: { readonly time: Sql; readonly position: Sql } | null
}

export interface AggregateResult {
  /** The call of the engine's aggregate, to which FILTER and OVER are added. */
  readonly call: Sql
  readonly type: SqlType
  /** A second call, where one does not tell all. */
  readonly also?: Sql
  /** What becomes of its value, and of that of the second call. */
  readonly finish: (value: Sql, also: Sql) => Sql
}

export interface Aggregate {
  readonly count: readonly [least: number, most: number]
  readonly takesDistinct: boolean
  readonly bind: (call: AggregateCall) => AggregateResult
}

export const same = (value: Sql): Sql => value

export function aggregate(least: number, most: number, bind: Aggregate['bind'], takesDistinct = false): Aggregate {
  return { count: [least, most], takesDistinct, bind }
}

export const distinctOf = ({ distinct }: AggregateCall): Sql => (distinct ? sql`DISTINCT ` : sql``)
