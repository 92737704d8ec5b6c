import type { Zone } from '../../druid-time/zone.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import type { Expression, Query, Window } from '../parse/syntax.ts'
import type { Bound } from './bound.ts'
import { as } from './conversions.ts'
import { type Filters, filtersOf } from './filters.ts'
import type { Scope, ScopeColumn } from './scope.ts'
import { boolean, typeName } from './types.ts'

/** What a place of a query allows. */
export interface ExpressionContext extends Filters {
  readonly scope: Scope
  /** Why no aggregate may stand here; null where it may. */
  readonly noAggregates: string | null
  /** The same for window functions. */
  readonly noWindows: string | null
  /** What the query groups by, as SQL; null where it does not group. */
  readonly groupKeys: ReadonlySet<string> | null
  /** Columns of the result by their names, where ORDER BY may use them. */
  readonly aliases: ReadonlyMap<string, Bound> | null
  readonly windows: ReadonlyMap<string, Window>
  /** Whether rows are chosen here, by WHERE or ON. */
  readonly isFilter: boolean
  /** Overflow goes round, as in Java, at the cost of speed; else it ends the query. */
  readonly wraps: boolean
  /** Of the clocks that texts of times without a zone go by, and buckets and parts of times. */
  readonly zone: Zone
  readonly bind: (expression: Expression, context: ExpressionContext) => Bound
  /** Is told of a key of GROUP BY that is the name of a column of the result. */
  readonly namesKey: (place: Place) => void
  /** Is told that rows are grouped by an array, or by several sets of columns. */
  readonly needsWholeGroups: () => void
  /** Binds a query that stands within the expression. */
  readonly subquery: (query: Query, scope: Scope) => BoundSubquery
}

export type QueryColumn = Pick<ScopeColumn, 'name' | 'type' | 'isStored' | 'isOfValues' | 'ofQuery'>

export interface BoundSubquery {
  readonly sql: Sql
  readonly columns: readonly QueryColumn[]
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
