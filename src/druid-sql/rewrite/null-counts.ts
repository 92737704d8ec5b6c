// If all rows are one group, Druid returns null instead of 0 for counts of no rows next to an aggregate with DISTINCT.
import { callsOfDifferentValues } from '../parse/different-values.ts'
import type { Call, Expression, OrderItem, Select } from '../parse/syntax.ts'

/** Aggregates that are 0 where there are no rows. */
const counts: ReadonlySet<string> = new Set([
  'COUNT',
  'APPROX_COUNT_DISTINCT',
  'APPROX_COUNT_DISTINCT_BUILTIN',
  'APPROX_COUNT_DISTINCT_DS_HLL',
  'APPROX_COUNT_DISTINCT_DS_THETA',
])

/** Whether Druid may return null for a count of this query. */
export function mayHaveNullCounts(
  { groupBy, items, having }: Pick<Select, 'groupBy' | 'items' | 'having'>,
  orderBy: readonly OrderItem[],
): boolean {
  const isOneGroup = (groupBy ?? []).every(
    (one) => one.kind !== 'expression' && one.sets.every((set) => set.length === 0),
  )
  // Calls within subqueries are included: the text written for counts is correct in any case.
  return isOneGroup && callsOfDifferentValues([items, having, orderBy]).length > 0
}

/** Whether Druid returns null for this call, in a query where it may return null for counts. */
export const isNullCount = ({ name, distinct, over }: Call): boolean => counts.has(name) && !distinct && over === null

/**
 * The count, or 0 where no row passes. Druid's planner assumes that counts are never null, and simplifies COALESCE and conditions of them accordingly;
 * a sum may be null.
 */
export function neverNull(count: Call): Expression {
  const { place } = count
  const number = (digits: string): Expression => ({ kind: 'number', digits, place })
  const ones: Call = { ...count, name: 'SUM', operands: [number('1')], star: false, filter: null }
  const some: Expression = { kind: 'comparison', operator: '>', left: ones, right: number('0'), place }
  return { kind: 'case', operand: null, branches: [{ when: some, result: count }], otherwise: number('0'), place }
}
