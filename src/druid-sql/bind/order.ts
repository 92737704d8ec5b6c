// The sort keys of rows.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { type Bound, called, engineFunction, type OrderKey, optionsOf } from './tree.ts'
import { boolean } from './types.ts'

/** Nulls within arrays sort first too. */
export const arrayOrder = (x: Sql): Sql => sql`list_transform(${x}, lambda e: row(e IS NOT NULL, e))`

const orderOfArray = engineFunction(([x]) => arrayOrder(x!))
const finite = engineFunction(([x]) => sql`isfinite(${x!})`)

/** The sort key of a value. */
export const orderKey = (node: Bound): Bound =>
  node.type.kind === 'array' ? called(node.place, node.type, orderOfArray, [node]) : node

/** Whether nulls come before values. If the query does not say, nulls are the least. */
export const areNullsFirst = ({ descending, nulls }: OrderKey): boolean =>
  nulls === null ? !descending : nulls === 'FIRST'

/** Whether a number is finite. */
export const hasEnd = (node: Bound): Bound => called(node.place, boolean, finite, [node])

export const endsFirst = (node: Bound): boolean => optionsOf(node, finite) !== undefined
