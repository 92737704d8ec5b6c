// Where Druid makes a topN of groups by one column: null comes first in it, whichever way it is ordered.
import { isBesideDifferentValues } from '../parse/different-values.ts'
import type { OrderItem, Select } from '../parse/syntax.ts'
import type { Bound } from './bound.ts'
import type { BoundFrom } from './from-context.ts'
import type { ScopeColumn } from './scope.ts'

/** What groups are made of, and their order. */
export interface Grouped {
  readonly select: Select
  readonly from: BoundFrom
  readonly keys: readonly Bound[]
  readonly isGrouped: boolean
  readonly outputs: readonly { readonly bound: Bound }[]
}

interface Ordered extends Grouped {
  readonly order: readonly { readonly bound: Bound; readonly item: OrderItem }[]
  /** Whether there is a LIMIT alone, of so many that Druid makes a topN of one column's groups. */
  readonly isTopped: boolean
}

/** Whether the groups are a topN: by one column that orders them, and no more of them than a LIMIT. */
export function isTopOfOne(groups: Ordered): boolean {
  const { select, isTopped, order, from } = groups
  const [only, ...others] = keysOf(groups)
  const hasSets = select.groupBy?.some((grouping) => grouping.kind === 'sets') ?? false
  if (!isTopped || only === undefined || others.length > 0 || hasSets || select.having !== null) return false
  if (only.type.kind === 'array' || order.length !== 1 || isBesideDifferentValues(select, order[0]!.item)) return false
  return order[0]!.bound.sql.text === only.sql.text && !isOverQuery(from, only)
}

const keysOf = ({ select, keys, isGrouped, outputs }: Grouped): readonly Bound[] =>
  select.distinct ? outputs.map(({ bound }) => bound) : isGrouped ? keys : []

/** The groups of a query that runs before are none; but groups by its only key once more are its own. */
function isOverQuery({ relations: [relation, ...others] }: BoundFrom, key: Bound): boolean {
  if (relation === undefined || others.length > 0) return false
  const column = relation.columns.find(({ sql }) => sql.text === key.sql.text)
  return column?.ofQuery !== 'onlyKey' && relation.columns.every(({ ofQuery }) => ofQuery !== undefined)
}

/** What a column of this query is to a query around it; `runsBefore` says that Druid runs this one by itself for its LIMIT or its windows. */
export function ofQuery(groups: Grouped, output: Bound, runsBefore: boolean): ScopeColumn['ofQuery'] {
  const { select, from, isGrouped } = groups
  const isOver =
    from.relations.length === 1 && from.relations[0]!.columns.every((column) => column.ofQuery !== undefined)
  if (!runsBefore && !isGrouped && !select.distinct) return isOver ? 'other' : undefined
  const [only, ...others] = keysOf(groups)
  const isOnlyKey = !runsBefore && others.length === 0 && select.having === null && only?.sql.text === output.sql.text
  return isOnlyKey ? 'onlyKey' : 'other'
}
