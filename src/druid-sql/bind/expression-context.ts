import type { Zone } from '../../druid-time/zone.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, Query, Window } from '../parse/syntax.ts'
import { as } from './conversions.ts'
import type { Scope } from './scope.ts'
import type { Bound, BoundRows } from './tree.ts'
import { boolean, typeName } from './types.ts'

/** The rules and names that apply at one place of a query. */
export interface ExpressionContext {
  readonly scope: Scope
  /** The reason why no aggregate is allowed here; null where one is. */
  readonly noAggregates: string | null
  /** The same for window functions. */
  readonly noWindows: string | null
  /** `keyOf` of each key that the query groups by; null where it does not group. */
  readonly groupKeys: ReadonlySet<string> | null
  /** Outputs by name, where HAVING and ORDER BY may use them. */
  readonly aliases: ReadonlyMap<string, Bound> | null
  readonly windows: ReadonlyMap<string, Window>
  /** Whether the expression selects rows, in WHERE or ON. */
  readonly isFilter: boolean
  /** Whether Druid makes filters of comparisons here: in WHERE, HAVING, FILTER and ON of an inner join, also within AND, OR, NOT and IS. */
  readonly isDruidFilter: boolean
  /** Whether unknown has the same effect as false here: in a condition that selects rows or groups, and in the operands of its AND and OR. */
  readonly isPart: boolean
  /** The zone of time texts without one, and of buckets and parts of times. */
  readonly zone: Zone
  readonly bind: (expression: Expression, context: ExpressionContext) => Bound
  /** Binds a query within the expression. */
  readonly subquery: (query: Query, scope: Scope) => BoundRows
}

/** A condition that selects rows or groups: WHERE, HAVING, FILTER, ON of an inner join. */
export function bindFilter(expression: Expression, context: ExpressionContext, what: string): Bound {
  return bindCondition(expression, { ...context, isDruidFilter: true, isPart: true }, what)
}

/** The context for the parts of a value: comparisons in it are evaluated for each row. */
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

/** Forbids aggregates and window functions in a clause. */
export function forbidden(clause: string): Pick<ExpressionContext, 'noAggregates' | 'noWindows'> {
  return {
    noAggregates: `an aggregate is not allowed in ${clause}`,
    noWindows: `a window function is not allowed in ${clause}`,
  }
}
