// Translates the expressions of a query over one table for the store: to the table's columns, and to fields computed from them.

import { aggregatedFields } from '../../algebra/aggregation.ts'
import { ComputedFields } from '../../algebra/computed-fields.ts'
import { fieldNode, type Scalar } from '../../algebra/scalar.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { type Bound, keyOf } from '../bind/tree.ts'
import { ScalarReader } from './read-scalar.ts'
import type { TableSelect } from './table-select.ts'

export class TableRows {
  readonly computed = new ComputedFields()
  /** All columns of the table except its time, which is the first one. */
  readonly others: readonly EntityField[]
  readonly resolve: TableSelect['resolve']
  readonly #aggregated: (name: string) => EntityField | null
  /** Values by `keyOf`: the same part of a query is requested many times. */
  readonly #read = new Map<string, Scalar | null>()

  constructor(entity: Entity, { resolve }: TableSelect) {
    this.others = entity.fields.filter(({ role }) => role !== 'time')
    this.resolve = resolve
    this.#aggregated = aggregatedFields(entity)
  }

  /** Whether a node is the time of a row. */
  isTime(node: Bound): boolean {
    const column = node.kind === 'column' ? this.resolve(node) : null
    return column?.kind === 'column' && column.at.column === 0
  }

  /** The field of a column; null for any other node. */
  columnOf(node: Bound): EntityField | null {
    const column = node.kind === 'column' ? this.resolve(node) : null
    const place = column?.kind === 'column' ? column.at.column : 0
    return typeof place === 'number' ? (this.others[place - 1] ?? null) : null
  }

  /** A value of a row; null where the store does not support it. */
  valueOf(node: Bound): Scalar | null {
    const key = keyOf(node)
    const read = this.#read.get(key)
    if (read !== undefined) return read
    const value = this.#reader().value(node)
    this.#read.set(key, value)
    return value
  }

  /** A column or a computed field, the same for equal expressions; null for what the store cannot compute. */
  fieldOf(node: Bound): EntityField | null {
    const value = this.valueOf(node)
    return value && this.computed.fieldOf(value)
  }

  /** The filter of a condition; null where the store does not support it. */
  filterOf(condition: Bound): Scalar | null {
    const read = this.#reader().condition(condition)
    return read && this.computed.filterOf(read)
  }

  /** A new reader each time, since each expression has its own step limit. */
  #reader(): ScalarReader {
    return new ScalarReader({
      leafOf: (node) => {
        const column = this.columnOf(node)
        const field = column && this.#aggregated(column.name)
        return field && fieldNode(field)
      },
      aggregateOf: () => null,
      resolve: this.resolve,
      dividesLongs: true,
    })
  }
}
