// What stands for a value in a query's one table: its columns, and fields that are made of them. Null is what the store does not know.
import { aggregatedFields } from '../../model/aggregation.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { fieldsOfValue, type MadeField, type RowValue, typeOfValue } from '../../model/row-value.ts'
import type { Expression } from '../parse/syntax.ts'
import { readRowValue } from './read-row-value.ts'
import type { TableNames } from './read-where.ts'

/** More are for the SQL engine. */
const madeMax = 50

/** No field of an entity has it in its name. */
const mark = '@'

export const isMade = ({ name }: EntityField): boolean => name.startsWith(mark)

export class MadeFields implements TableNames {
  readonly made: MadeField[] = []
  readonly isTime = isTime
  readonly #columnOf: (name: string) => EntityField | null
  /** By what they are. */
  readonly #known = new Map<string, EntityField>()
  /** A part of an expression is asked for again and again. */
  readonly #read = new Map<Expression, EntityField | null>()

  constructor(entity: Entity) {
    this.#columnOf = aggregatedFields(entity)
  }

  /** A column, or what is made of columns; the same again where it stands twice. */
  fieldOf(expression: Expression): EntityField | null {
    if (expression.kind === 'column') return this.#columnOf(expression.path.at(-1)!)
    const read = this.#read.get(expression)
    if (read !== undefined) return read
    const value = readRowValue(expression, this)
    // What is the same for all rows has rules of its own.
    const field = value === null || fieldsOfValue(value).length === 0 ? null : this.#make(value)
    this.#read.set(expression, field)
    return field
  }

  #make(value: RowValue): EntityField | null {
    if (value.kind === 'field') return value.field
    const key = JSON.stringify(value)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.made.length === madeMax) return null
    const field: EntityField = { name: `${mark}${this.made.length}`, type: typeOfValue(value), role: 'dimension' }
    this.#known.set(key, field)
    this.made.push({ field, value })
    return field
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
