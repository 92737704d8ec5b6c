import type { Zone } from '../../druid-time/zone.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, Query, Window } from '../parse/syntax.ts'
import { as } from './conversions.ts'
import { type Filters, filtersOf } from './filters.ts'
import type { Scope } from './scope.ts'
import type { Bound, BoundRows } from './tree.ts'
import { boolean, typeName } from './types.ts'

/** What a place of a query allows. */
export interface ExpressionContext extends Filters {
  readonly scope: Scope
  /** Why no aggregate may stand here; null where it may. */
  readonly noAggregates: string | null
  /** The same for window functions. */
  readonly noWindows: string | null
  /** What tells the keys that the query groups by; null where it does not group. */
  readonly groupKeys: ReadonlySet<string> | null
  /** Columns of the result by their names, where ORDER BY may use them. */
  readonly aliases: ReadonlyMap<string, Bound> | null
  readonly windows: ReadonlyMap<string, Window>
  /** Whether rows are chosen here, by WHERE or ON. */
  readonly isFilter: boolean
  /** Of the clocks that texts of times without a zone go by, and buckets and parts of times. */
  readonly zone: Zone
  readonly bind: (expression: Expression, context: ExpressionContext) => Bound
  /** Binds a query that stands within the expression. */
  readonly subquery: (query: Query, scope: Scope) => BoundRows
}

/** A condition that chooses rows or groups: WHERE, HAVING, FILTER, ON of an inner join. */
export function bindFilter(expression: Expression, context: ExpressionContext, what: string): Bound {
  const filters = filtersOf(expression, (inner) => context.bind(inner, context))
  return bindCondition(expression, { ...context, ...filters }, what)
}

/** A condition: WHERE, HAVING, ON, FILTER, CASE. */
export function bindCondition(expression: Expression, context: ExpressionContext, what: string): Bound {
  const bound = context.bind(expression, context)
  if (bound.type.kind !== 'boolean' && bound.type.kind !== 'null') {
    throw sqlProblem(expression.place, `${what} must be a condition, not a value of type ${typeName(bound.type)}`)
  }
  return as(bound, boolean)
}
