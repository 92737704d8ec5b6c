// Definitions of the catalogue's aggregates: their operands and results.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { as } from '../bind/conversions.ts'
import { type AggregateNode, type Bound, type EngineAggregate, engineAggregate } from '../bind/tree.ts'
import { type SqlType, timestamp } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { BoundCall } from './signature.ts'

export interface AggregateCall extends BoundCall {
  readonly star: boolean
  /** The time of the rows, which LATEST and EARLIEST use. Throws a Problem where the FROM has none. */
  readonly time: () => Bound
  /** The time of the rows, and the position that orders rows of the same time by when they were pushed; null where it is not known. */
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

/** An aggregate of the engine, called with all operands. */
export const plainAggregate = (name: Sql): EngineAggregate<null> =>
  engineAggregate((operands, node) => ({ call: sql`${name}(${distinctOf(node)}${sql.list(operands)})` }))

export const distinctOf = ({ distinct }: Pick<AggregateNode, 'distinct'>): Sql => (distinct ? sql`DISTINCT ` : sql``)

/** The second operand as a time. A number is refused, since its unit is not known. */
export function givenTime({ name, operands }: AggregateCall): Bound {
  const time = operands[1]!
  if (['timestamp', 'date', 'string', 'null'].includes(time.type.kind)) return as(time, timestamp)
  throw sqlProblem(
    time.place,
    `the second operand of ${name} must be a time: MILLIS_TO_TIMESTAMP converts milliseconds to one`,
  )
}
