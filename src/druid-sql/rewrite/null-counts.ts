// Beside a COUNT(DISTINCT) Druid answers null for the other counts of no rows, where all rows are one group.
import type { Call, Expression, Select } from '../parse/syntax.ts'

/** Whether Druid may have null for a count of this query. */
export function mayHaveNullCounts({ groupBy, items, having }: Pick<Select, 'groupBy' | 'items' | 'having'>): boolean {
  const isOneGroup = (groupBy ?? []).every(
    (one) => one.kind !== 'expression' && one.sets.every((set) => set.length === 0),
  )
  return isOneGroup && holdsDistinctCount([items, having])
}

/** That of a query within counts too: what is written for it is right in any case. */
function holdsDistinctCount(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { kind, name, distinct } = node as Partial<Call>
  if (kind === 'call' && name === 'COUNT' && distinct) return true
  return Object.values(node).some(holdsDistinctCount)
}

/** The number of what passes, or 0. Druid's planner sees through COALESCE. */
export function neverNull(count: Call): Expression {
  const { place } = count
  const zero: Expression = { kind: 'number', digits: '0', place }
  const some: Expression = { kind: 'comparison', operator: '>', left: count, right: zero, place }
  return { kind: 'case', operand: null, branches: [{ when: some, result: count }], otherwise: zero, place }
}
