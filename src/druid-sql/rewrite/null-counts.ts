// Beside an aggregate of different values Druid answers null for the counts of no rows, where all rows are one group.
import { callsOfDifferentValues } from '../parse/different-values.ts'
import type { Call, Expression, OrderItem, Select } from '../parse/syntax.ts'

/** Those that are 0 of no rows. */
const counts: ReadonlySet<string> = new Set([
  'COUNT',
  'APPROX_COUNT_DISTINCT',
  'APPROX_COUNT_DISTINCT_BUILTIN',
  'APPROX_COUNT_DISTINCT_DS_HLL',
  'APPROX_COUNT_DISTINCT_DS_THETA',
])

/** Whether Druid may have null for a count of this query. */
export function mayHaveNullCounts(
  { groupBy, items, having }: Pick<Select, 'groupBy' | 'items' | 'having'>,
  orderBy: readonly OrderItem[],
): boolean {
  const isOneGroup = (groupBy ?? []).every(
    (one) => one.kind !== 'expression' && one.sets.every((set) => set.length === 0),
  )
  // Those of a query within count too: what is written for them is right in any case.
  return isOneGroup && callsOfDifferentValues([items, having, orderBy]).length > 0
}

/** Whether Druid has null for this call, where it may have null for counts. */
export const isNullCount = ({ name, distinct, over }: Call): boolean => counts.has(name) && !distinct && over === null

/**
 * The number of what passes, or 0 where no row does. Druid's planner takes counts for what is never null, and sees through COALESCE and
 * conditions of them; a sum may be null.
 */
export function neverNull(count: Call): Expression {
  const { place } = count
  const number = (digits: string): Expression => ({ kind: 'number', digits, place })
  const ones: Call = { ...count, name: 'SUM', operands: [number('1')], star: false, filter: null }
  const some: Expression = { kind: 'comparison', operator: '>', left: ones, right: number('0'), place }
  return { kind: 'case', operand: null, branches: [{ when: some, result: count }], otherwise: number('0'), place }
}
