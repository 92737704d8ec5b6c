// Plans the SQL queries for plain rows that the store answers from its own columns.
// Tested by `test/druid-sql/planned-scans.test.ts`.

import { boundsOfWork, selectedRows } from '../../algebra/aggregation.ts'
import { cellNode, fieldNode, fieldsOf as fieldsIn, isComputed, type Scalar } from '../../algebra/scalar.ts'
import { scanUnitsMax } from '../../algebra/scan-plan.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { Bound, SelectNode } from '../bind/tree.ts'
import { type CheckedSql, fieldsOf } from '../translate.ts'
import { ScalarReader } from './read-scalar.ts'
import type { PlannedWhere } from './read-where.ts'
import type { SqlScanPlan } from './sql-plan.ts'
import type { TableRows } from './table-rows.ts'
import type { TableSelect } from './table-select.ts'

/** Null where the SQL engine answers. */
export function planSqlScan(
  { select, rows: { limit, offset } }: TableSelect,
  entity: Entity,
  table: TableRows,
  checked: CheckedSql,
  where: PlannedWhere,
): SqlScanPlan | null {
  if (select.groups !== null || select.having !== null || select.distinct || limit === 0) return null
  // A scan reads one table or file after the other, so replaced rows would appear next to those that replaced them.
  if (entity.duplicates === 'replace') return null
  // A scan computes fields of the rows that it has found, and cannot filter by them.
  if (fieldsIn(where.filter).some(isComputed)) return null
  const askedOf = selectedRows(entity, where)
  const values = new RowValues(table)
  const outputs = values.outputs(select)
  const direction = directionOf(select, table)
  if (askedOf === null || outputs === null || direction === null) return null
  const { columns, steps } = values
  if (outputs.some(({ type }, at) => type !== checked.columns[at]!.type)) return null
  // The same column may be shown many times.
  const { groupsMax: rowsMax } = boundsOfWork(Math.max(1 + columns.length, outputs.length) + Math.floor(steps / 8))
  return {
    scan: {
      columns,
      isDescending: direction === 'descending',
      limit: limit === null ? null : limit + offset,
      rowsMax,
      unitsMax: scanUnitsMax,
      ...askedOf,
    },
    fields: fieldsOf(checked.columns),
    outputs,
    steps,
    offset,
  }
}

/** The values of rows: their time, their columns, and values computed from these. */
class RowValues {
  /** The columns that are shown, or from which a shown value is computed. */
  readonly columns: EntityField[] = []
  readonly #table: TableRows
  readonly #reader: ScalarReader

  constructor(table: TableRows) {
    this.#table = table
    this.#reader = new ScalarReader({
      leafOf: (node) => this.#leaf(node),
      aggregateOf: () => null,
      resolve: table.resolve,
      dividesLongs: false,
    })
  }

  /** The number of values that are read or computed for each row. */
  get steps(): number {
    return this.#reader.steps
  }

  /** Null where the store cannot compute one of them. */
  outputs({ outputs }: SelectNode): readonly Scalar[] | null {
    return this.#reader.all(outputs, (output) => this.#shown(output))
  }

  /** A column is shown as it is, whatever its type. A computed truth value is not shown. */
  #shown(node: Bound): Scalar | null {
    const field = this.#table.columnOf(node)
    if (field !== null) return this.#cell(field)
    const value = this.#reader.value(node)
    return value?.type === 'boolean' ? null : value
  }

  #leaf(node: Bound): Scalar | null {
    if (this.#table.isTime(node)) return time
    const field = this.#table.columnOf(node)
    return field === null || field.type === 'json' ? null : this.#cell(field)
  }

  #cell(field: EntityField): Scalar {
    const known = this.columns.indexOf(field)
    const { type } = fieldNode(field)
    return cellNode(type === 'boolean' ? 'long' : type, 1 + (known === -1 ? this.columns.push(field) - 1 : known))
  }
}

const time: Scalar = cellNode('timestamp', 0)

/** The direction of an order by time alone, ascending where there is no order; null for any other order. */
function directionOf({ orderBy }: SelectNode, table: TableRows): 'ascending' | 'descending' | null {
  const [first, ...others] = orderBy
  if (first === undefined) return 'ascending'
  if (others.length > 0 || typeof first.key === 'number' || !table.isTime(first.key)) return null
  return first.descending ? 'descending' : 'ascending'
}
