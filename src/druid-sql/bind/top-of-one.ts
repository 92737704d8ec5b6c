// Detects where Druid makes a topN of groups by one column. In a topN null comes first, whatever the direction of the order.
import { hasDistinctAggregate } from '../parse/different-values.ts'
import type { OrderItem, Select } from '../parse/syntax.ts'
import type { SelectFrom } from './from-context.ts'
import { type Bound, keyOf, type QueryColumn } from './tree.ts'

/** The parts of a query that determine its groups. */
export interface Grouped {
  readonly select: Select
  readonly from: SelectFrom
  readonly keys: readonly Bound[]
  readonly isGrouped: boolean
  readonly outputs: readonly { readonly bound: Bound }[]
}

interface Ordered extends Grouped {
  readonly order: readonly { readonly bound: Bound; readonly item: OrderItem }[]
  /** Whether there is a LIMIT without OFFSET, small enough for Druid to make a topN of groups by one column. */
  readonly isTopped: boolean
}

/** Whether the groups are a topN: grouped by the one column that also orders them, with a LIMIT. */
export function isTopOfOne(groups: Ordered): boolean {
  const { select, isTopped, order, from } = groups
  const [only, ...others] = keysOf(groups)
  if (!isTopped || only === undefined || others.length > 0 || hasSets(select) || select.having !== null) return false
  if (only.type.kind === 'array' || order.length !== 1 || hasDistinctAggregate(select, order[0]!.item)) return false
  return keyOf(order[0]!.bound) === keyOf(only) && (!isOverQuery(from) || isOnlyKey(from, only))
}

/** Whether rows are grouped by several sets of columns: ROLLUP, CUBE and GROUPING SETS. */
export const hasSets = ({ groupBy }: Pick<Select, 'groupBy'>): boolean =>
  groupBy?.some(({ kind }) => kind === 'sets') ?? false

const keysOf = ({ select, keys, isGrouped, outputs }: Grouped): readonly Bound[] =>
  select.distinct ? outputs.map(({ bound }) => bound) : isGrouped ? keys : []

/** Whether the rows come from a query that runs before this one. */
const isOverQuery = ({ relations: [relation, ...others] }: SelectFrom): boolean =>
  relation !== undefined && others.length === 0 && relation.columns.every((column) => column.ofQuery !== undefined)

/** Grouping by the only key of such a query again makes the same groups. */
const isOnlyKey = ({ relations: [relation] }: SelectFrom, key: Bound): boolean =>
  relation?.columns.find(({ value }) => keyOf(value) === keyOf(key))?.ofQuery === 'onlyKey'

/** How an enclosing query sees a column of this one. `runsBefore`: Druid runs this query separately because of its LIMIT or windows. */
export function ofQuery(groups: Grouped, output: Bound, runsBefore: boolean): QueryColumn['ofQuery'] {
  const { select, from, isGrouped } = groups
  if (!runsBefore && !isGrouped && !select.distinct) return isOverQuery(from) ? 'other' : undefined
  const [only, ...others] = keysOf(groups)
  const isOnly =
    !runsBefore && others.length === 0 && select.having === null && only !== undefined && keyOf(only) === keyOf(output)
  return isOnly ? 'onlyKey' : 'other'
}
