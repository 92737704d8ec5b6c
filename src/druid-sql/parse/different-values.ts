// Aggregates with DISTINCT, which Druid computes from separate groups.
import type { Call, Expression, OrderItem, Select } from './syntax.ts'

const fromGroups: ReadonlySet<string> = new Set(['COUNT', 'SUM', 'AVG'])

/** All such calls in a part of the query's tree. */
export function callsOfDifferentValues(node: unknown): readonly Call[] {
  if (typeof node !== 'object' || node === null) return []
  const call = node as Call
  const isOne = call.kind === 'call' && call.distinct && fromGroups.has(call.name)
  return [...(isOne ? [call] : []), ...Object.values(node).flatMap(callsOfDifferentValues)]
}

/** Whether such an aggregate is selected next to the key that orders the groups. Druid then makes no topN. One of the key itself does not count. */
export function hasDistinctAggregate({ items }: Pick<Select, 'items'>, order: OrderItem): boolean {
  const key = keyOf(order.expression, items)
  const isKey = ({ operands }: Call): boolean =>
    key !== null && operands.length === 1 && isSameColumn(operands[0]!, key)
  return callsOfDifferentValues(items).some((call) => !isKey(call))
}

/** The expression of the SELECT that an ORDER BY refers to. */
function keyOf(expression: Expression, items: Select['items']): Expression | null {
  const item =
    expression.kind === 'number'
      ? items[Number(expression.digits) - 1]
      : items.find(
          (one) => one.kind === 'expression' && expression.kind === 'column' && one.alias === expression.path[0],
        )
  if (item !== undefined) return item.kind === 'expression' ? item.expression : null
  return expression
}

const isSameColumn = (one: Expression, other: Expression): boolean =>
  one.kind === 'column' && other.kind === 'column' && one.path.at(-1) === other.path.at(-1)
