// How the aggregates of the catalogue are written: what one takes, and what it gives.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { as } from '../bind/conversions.ts'
import { type AggregateNode, type Bound, type EngineAggregate, engineAggregate } from '../bind/tree.ts'
import { type SqlType, timestamp } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { BoundCall } from './signature.ts'

export interface AggregateCall extends BoundCall {
  readonly star: boolean
  /** The time of the rows, where the FROM has one: LATEST and EARLIEST go by it. */
  readonly time: () => Bound
  /** The time of the rows, and what tells which of two of one time was pushed later, where it is known. */
  readonly pushed: { readonly time: Bound; readonly position: Bound } | null
}

export interface AggregateResult {
  readonly fn: EngineAggregate
  readonly type: SqlType
  readonly operands: readonly Bound[]
  readonly options: unknown
}

export interface Aggregate {
  readonly count: readonly [least: number, most: number]
  readonly takesDistinct: boolean
  readonly bind: (call: AggregateCall) => AggregateResult
}

export function aggregate(least: number, most: number, bind: Aggregate['bind'], takesDistinct = false): Aggregate {
  return { count: [least, most], takesDistinct, bind }
}

export const result = <Options = null>(
  type: SqlType,
  fn: EngineAggregate<Options>,
  operands: readonly Bound[],
  ...[options]: null extends Options ? [] : [Options]
): AggregateResult => ({ fn: fn as EngineAggregate, type, operands, options: options ?? null })

/** One that the engine has, of all operands. */
export const plainAggregate = (name: Sql): EngineAggregate<null> =>
  engineAggregate((operands, node) => ({ call: sql`${name}(${distinctOf(node)}${sql.list(operands)})` }))

export const distinctOf = ({ distinct }: Pick<AggregateNode, 'distinct'>): Sql => (distinct ? sql`DISTINCT ` : sql``)

/** A number is no time: nobody can tell its unit. */
export function givenTime({ name, operands }: AggregateCall): Bound {
  const time = operands[1]!
  if (['timestamp', 'date', 'string', 'null'].includes(time.type.kind)) return as(time, timestamp)
  throw sqlProblem(
    time.place,
    `${name} takes a time as its second operand: MILLIS_TO_TIMESTAMP makes one of milliseconds`,
  )
}
