// Which queries of SQL for rows as they are the store answers from its own columns, and how.
// Tested by `test/druid-sql/planned-scans.test.ts`.
import type { PlannedType } from '../../druid-values/planned-value.ts'
import { askedRows, boundsOfWork } from '../../model/aggregation.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { fieldsOfFilter } from '../../model/row-condition.ts'
import { isComputed } from '../../model/row-value.ts'
import { scanUnitsMax } from '../../model/scan-plan.ts'
import type { Query, Select } from '../parse/syntax.ts'
import type { CheckedSql } from '../translate.ts'
import type { PlannedWhere, TableNames } from './read-where.ts'
import type { SqlScanPlan } from './sql-plan.ts'

/** More is asked for than there are rows. */
const allOf = 2n ** 31n

/** A column of the answer: a field, or the time. */
type Shown = EntityField | 'time'

/** Null where the SQL engine answers. */
export function planSqlScan(
  query: Query,
  select: Select,
  entity: Entity,
  names: TableNames,
  checked: CheckedSql,
  where: PlannedWhere,
): SqlScanPlan | null {
  if (select.groupBy !== null || select.having !== null || select.distinct || query.limit === 0n) return null
  // A scan computes fields of the rows that it has found, not while it looks for them.
  if (where.filter !== null && fieldsOfFilter(where.filter).some(isComputed)) return null
  const asked = askedRows(entity, where)
  const shown = shownColumns(select, entity, names)
  if (asked === null || shown === null) return null
  const direction = directionOf(query, shown, checked, names)
  if (direction === null || shown.length !== checked.columns.length) return null
  const columns = [...new Set(shown.filter((one) => one !== 'time'))]
  const outputs = shown.map((one) => outputOf(one, columns))
  if (outputs.some(({ type }, at) => type !== checked.columns[at]!.type)) return null
  // A column may be shown many times.
  const { groupsMax: rowsMax } = boundsOfWork(Math.max(1 + columns.length, outputs.length))
  const offset = Number(query.offset === null ? 0 : query.offset > allOf ? allOf : query.offset)
  const limit = query.limit === null || query.limit > allOf ? null : Number(query.limit)
  return {
    scan: {
      ...asked,
      columns,
      isDescending: direction === 'descending',
      limit: limit === null ? null : limit + offset,
      rowsMax,
      unitsMax: scanUnitsMax,
    },
    fields: checked.columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' })),
    outputs,
    offset,
  }
}

/** Null where one is more than a column. */
function shownColumns({ items }: Select, { fields }: Entity, names: TableNames): readonly Shown[] | null {
  const others = fields.filter(({ role }) => role !== 'time')
  const shown: Shown[] = []
  for (const item of items) {
    if (item.kind === 'star') {
      shown.push('time', ...others)
      continue
    }
    const { expression } = item
    if (expression.kind !== 'column') return null
    const field = names.isTime(expression) ? 'time' : others.find(({ name }) => name === expression.path.at(-1))
    if (field === undefined) return null
    shown.push(field)
  }
  return shown
}

/** By time alone, or as they come; null for other orders. */
function directionOf(
  { orderBy }: Query,
  shown: readonly Shown[],
  { columns }: CheckedSql,
  names: TableNames,
): 'ascending' | 'descending' | null {
  const [first, ...others] = orderBy
  if (first === undefined) return 'ascending'
  const { expression, descending } = first
  if (others.length > 0) return null
  const named = (name: string): number => columns.findIndex((column) => column.name === name)
  const at =
    expression.kind === 'number'
      ? Number(expression.digits) - 1
      : expression.kind === 'column' && expression.path.length === 1
        ? named(expression.path[0]!)
        : -1
  const isByTime = at === -1 ? names.isTime(expression) : shown[at] === 'time'
  if (!isByTime) return null
  return descending ? 'descending' : 'ascending'
}

function outputOf(shown: Shown, columns: readonly EntityField[]): { type: PlannedType; at: number } {
  if (shown === 'time') return { type: 'timestamp', at: 0 }
  const { type } = shown
  return { type: type === 'boolean' ? 'long' : type === 'json' ? 'string' : type, at: 1 + columns.indexOf(shown) }
}
