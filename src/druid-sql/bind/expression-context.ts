import type { Zone } from '../../druid-time/zone.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, Query, Window } from '../parse/syntax.ts'
import { as } from './conversions.ts'
import type { Scope } from './scope.ts'
import type { Bound, BoundRows } from './tree.ts'
import { boolean, typeName } from './types.ts'

/** What a place of a query allows. */
export interface ExpressionContext {
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
  /** Whether Druid makes a filter of a comparison here: what WHERE, HAVING, FILTER and ON of an inner join put together by AND, OR, NOT and IS. */
  readonly isDruidFilter: boolean
  /** Whether an unknown truth is as good as false here: the condition of WHERE or ON, and what AND and OR put together of it. */
  readonly isPart: boolean
  /** Of the clocks that texts of times without a zone go by, and buckets and parts of times. */
  readonly zone: Zone
  readonly bind: (expression: Expression, context: ExpressionContext) => Bound
  /** Binds a query that stands within the expression. */
  readonly subquery: (query: Query, scope: Scope) => BoundRows
}

/** A condition that chooses rows or groups: WHERE, HAVING, FILTER, ON of an inner join. */
export function bindFilter(expression: Expression, context: ExpressionContext, what: string): Bound {
  return bindCondition(expression, { ...context, isDruidFilter: true, isPart: true }, what)
}

/** The context of what a value is made of: comparisons in it are worked out for each row. */
export const asValue = (context: ExpressionContext): ExpressionContext =>
  context.isDruidFilter || context.isPart ? { ...context, isDruidFilter: false, isPart: false } : context

/** A condition: WHERE, HAVING, ON, FILTER, CASE. */
export function bindCondition(expression: Expression, context: ExpressionContext, what: string): Bound {
  const bound = context.bind(expression, context)
  if (bound.type.kind !== 'boolean' && bound.type.kind !== 'null') {
    throw sqlProblem(expression.place, `${what} must be a condition, not a value of type ${typeName(bound.type)}`)
  }
  return as(bound, boolean)
}

/** No aggregate and no window function may stand in a clause. */
export function forbidden(clause: string): Pick<ExpressionContext, 'noAggregates' | 'noWindows'> {
  return {
    noAggregates: `an aggregate cannot stand in ${clause}`,
    noWindows: `a window function cannot stand in ${clause}`,
  }
}
