// The expressions of a query over one table as the store knows them: its columns, and fields that are computed from them.

import { aggregatedFields } from '../../algebra/aggregation.ts'
import { ComputedFields } from '../../algebra/computed-fields.ts'
import { fieldNode, type Scalar } from '../../algebra/scalar.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { type Bound, keyOf } from '../bind/tree.ts'
import { ScalarReader } from './read-scalar.ts'
import type { TableSelect } from './table-select.ts'

export class TableRows {
  readonly computed = new ComputedFields()
  /** All columns of the table but its time, which is the first. */
  readonly others: readonly EntityField[]
  readonly meant: TableSelect['meant']
  readonly #aggregated: (name: string) => EntityField | null
  /** The same part of a query is asked for again and again. */
  readonly #read = new Map<string, Scalar | null>()

  constructor(entity: Entity, { meant }: TableSelect) {
    this.others = entity.fields.filter(({ role }) => role !== 'time')
    this.meant = meant
    this.#aggregated = aggregatedFields(entity)
  }

  /** The time of a row. */
  isTime(node: Bound): boolean {
    const column = node.kind === 'column' ? this.meant(node) : null
    return column?.kind === 'column' && column.at.column === 0
  }

  /** The field that a column is; null for anything else. */
  columnOf(node: Bound): EntityField | null {
    const column = node.kind === 'column' ? this.meant(node) : null
    const place = column?.kind === 'column' ? column.at.column : 0
    return typeof place === 'number' ? (this.others[place - 1] ?? null) : null
  }

  /** A value of a row; null for what the store does not know. */
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

  /** Which rows pass; null where the store cannot ask for them. */
  filterOf(condition: Bound): Scalar | null {
    const read = this.#reader().condition(condition)
    return read && this.computed.filterOf(read)
  }

  /** Each expression has steps of its own. */
  #reader(): ScalarReader {
    return new ScalarReader({
      leafOf: (node) => {
        const column = this.columnOf(node)
        const field = column && this.#aggregated(column.name)
        return field && fieldNode(field)
      },
      aggregateOf: () => null,
      meant: this.meant,
      dividesLongs: true,
    })
  }
}
