// The expressions of a query over one table as the store knows them: its columns, and fields that are computed from them.

import { aggregatedFields } from '../../algebra/aggregation.ts'
import { ComputedFields } from '../../algebra/computed-fields.ts'
import { fieldNode, type Scalar } from '../../algebra/scalar.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { Expression } from '../parse/syntax.ts'
import { ScalarReader } from './read-scalar.ts'

export class TableExpressions {
  readonly computed = new ComputedFields()
  readonly isTime = isTime
  readonly #columnOf: (name: string) => EntityField | null
  /** The same part of a query is asked for again and again. */
  readonly #read = new Map<Expression, Scalar | null>()

  constructor(entity: Entity) {
    this.#columnOf = aggregatedFields(entity)
  }

  /** A value of a row; null for what the store does not know. */
  valueOf(expression: Expression): Scalar | null {
    const read = this.#read.get(expression)
    if (read !== undefined) return read
    const value = this.#reader().value(expression)
    this.#read.set(expression, value)
    return value
  }

  /** A column or a computed field, the same for equal expressions; null for what the store cannot compute. */
  fieldOf(expression: Expression): EntityField | null {
    const value = this.valueOf(expression)
    return value && this.computed.fieldOf(value)
  }

  /** Which rows pass; null where the store cannot ask for them. */
  filterOf(condition: Expression): Scalar | null {
    const read = this.#reader().condition(condition)
    return read && this.computed.filterOf(read)
  }

  /** Each expression has steps of its own. */
  #reader(): ScalarReader {
    return new ScalarReader({
      leafOf: (expression) => {
        const field = expression.kind === 'column' ? this.#columnOf(expression.path.at(-1)!) : null
        return field && fieldNode(field)
      },
      calledOf: () => null,
      dividesLongs: true,
    })
  }
}

/** The time of a row, also where it is cast to what it is: SQLAlchemy and Superset write it so. */
function isTime(expression: Expression): boolean {
  if (expression.kind === 'column') return expression.path.at(-1) === '__time'
  const { kind } = expression
  return (
    kind === 'cast' && expression.type.name === 'TIMESTAMP' && !expression.type.isArray && isTime(expression.operand)
  )
}
