// Which queries of SQL for rows as they are the store answers from its own columns, and how.
// Tested by `test/druid-sql/planned-scans.test.ts`.

import { askedRows, boundsOfWork } from '../../algebra/aggregation.ts'
import { cellNode, fieldNode, fieldsOf, isComputed, type Scalar } from '../../algebra/scalar.ts'
import { scanUnitsMax } from '../../algebra/scan-plan.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { Expression, Query, Select } from '../parse/syntax.ts'
import type { CheckedSql } from '../translate.ts'
import { ScalarReader } from './read-scalar.ts'
import type { PlannedWhere } from './read-where.ts'
import type { SqlScanPlan } from './sql-plan.ts'
import type { TableExpressions } from './table-expressions.ts'

/** More is asked for than there are rows. */
const allOf = 2n ** 31n

/** Null where the SQL engine answers. */
export function planSqlScan(
  query: Query,
  select: Select,
  entity: Entity,
  names: TableExpressions,
  checked: CheckedSql,
  where: PlannedWhere,
): SqlScanPlan | null {
  if (select.groupBy !== null || select.having !== null || select.distinct || query.limit === 0n) return null
  // A scan takes rows from one table or file after the other: older ones would come beside those that replaced them.
  if (entity.duplicates === 'replace') return null
  // A scan computes fields of the rows that it has found, not while it looks for them.
  if (fieldsOf(where.filter).some(isComputed)) return null
  const asked = askedRows(entity, where)
  const rows = new RowValues(entity, names)
  const outputs = rows.outputs(select)
  if (asked === null || outputs === null) return null
  const direction = directionOf(query, outputs, checked, names)
  if (direction === null || outputs.length !== checked.columns.length) return null
  const { columns, steps } = rows
  if (outputs.some(({ type }, at) => type !== checked.columns[at]!.type)) return null
  // A column may be shown many times.
  const { groupsMax: rowsMax } = boundsOfWork(Math.max(1 + columns.length, outputs.length) + Math.floor(steps / 8))
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
    steps,
    offset,
  }
}

/** The values of rows: their time, columns, and what is worked out of both. */
class RowValues {
  /** Those that are shown, or something shown is worked out of. */
  readonly columns: EntityField[] = []
  readonly #others: readonly EntityField[]
  readonly #names: TableExpressions
  readonly #reader: ScalarReader

  constructor({ fields }: Entity, names: TableExpressions) {
    this.#others = fields.filter(({ role }) => role !== 'time')
    this.#names = names
    this.#reader = new ScalarReader({
      leafOf: (expression) => this.#leaf(expression),
      calledOf: () => null,
      dividesLongs: false,
    })
  }

  /** How many values are worked out of each row, those that are there already too. */
  get steps(): number {
    return this.#reader.steps
  }

  /** Null where the store does not know one of them. */
  outputs({ items }: Select): readonly Scalar[] | null {
    const outputs: Scalar[] = []
    for (const item of items) {
      if (item.kind === 'star') outputs.push(time, ...this.#others.map((field) => this.#cell(field)))
      else {
        const output = this.#shown(item.expression)
        if (output === null) return null
        outputs.push(output)
      }
    }
    return outputs
  }

  /** What has a type that nothing is worked out of is shown as it is. A truth value that is made of others is not shown. */
  #shown(expression: Expression): Scalar | null {
    const field = expression.kind === 'column' ? this.#field(expression.path) : undefined
    if (field !== undefined) return this.#cell(field)
    const value = this.#reader.value(expression)
    return value?.type === 'boolean' ? null : value
  }

  #field(path: readonly string[]): EntityField | undefined {
    return this.#others.find(({ name }) => name === path.at(-1))
  }

  #leaf(expression: Expression): Scalar | null {
    if (this.#names.isTime(expression)) return time
    const field = expression.kind === 'column' ? this.#field(expression.path) : undefined
    return field === undefined || field.type === 'json' ? null : this.#cell(field)
  }

  #cell(field: EntityField): Scalar {
    const known = this.columns.indexOf(field)
    const { type } = fieldNode(field)
    return cellNode(type === 'boolean' ? 'long' : type, 1 + (known === -1 ? this.columns.push(field) - 1 : known))
  }
}

const time: Scalar = cellNode('timestamp', 0)

/** By time alone, or as they come; null for other orders. */
function directionOf(
  { orderBy }: Query,
  outputs: readonly Scalar[],
  { columns }: CheckedSql,
  names: TableExpressions,
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
  const isByTime = at === -1 ? names.isTime(expression) : outputs[at] === time
  if (!isByTime) return null
  return descending ? 'descending' : 'ascending'
}
