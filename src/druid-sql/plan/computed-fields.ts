// The fields that the expressions of a query over one table stand for: its columns, and fields that are computed from them.
import { aggregatedFields } from '../../model/aggregation.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { type ComputedField, computedField, computedMax, fieldsOfValue, type RowValue } from '../../model/row-value.ts'
import type { Expression } from '../parse/syntax.ts'
import { readRowValue } from './read-row-value.ts'
import type { TableNames } from './read-where.ts'

export class ComputedFields implements TableNames {
  readonly computed: ComputedField[] = []
  readonly isTime = isTime
  readonly #columnOf: (name: string) => EntityField | null
  /** By their values, as JSON. */
  readonly #known = new Map<string, EntityField>()
  /** The same part of a query is asked for again and again. */
  readonly #read = new Map<Expression, EntityField | null>()

  constructor(entity: Entity) {
    this.#columnOf = aggregatedFields(entity)
  }

  /** A column or a computed field, the same for equal expressions; null for what the store cannot compute. */
  fieldOf(expression: Expression): EntityField | null {
    if (expression.kind === 'column') return this.#columnOf(expression.path.at(-1)!)
    const read = this.#read.get(expression)
    if (read !== undefined) return read
    const value = readRowValue(expression, this)
    // SQL has rules of its own for values that are the same for all rows.
    const field = value === null || fieldsOfValue(value).length === 0 ? null : this.#computedField(value)
    this.#read.set(expression, field)
    return field
  }

  readonly valueOf = (field: EntityField): RowValue | null =>
    this.computed.find((one) => one.field === field)?.value ?? null

  #computedField(value: RowValue): EntityField | null {
    if (value.kind === 'field') return value.field
    const key = JSON.stringify(value)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.computed.length === computedMax) return null
    const made = computedField(value, this.computed.length)
    this.#known.set(key, made.field)
    this.computed.push(made)
    return made.field
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
