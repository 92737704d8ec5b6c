// What a filter by an attribute is in SQL: the list of items takes none, and says so by this.
import type { EntityField } from '../model/entity.ts'
import type { ItemOperator } from '../model/item-operator.ts'

/** A value that is longer is left to the reader. */
const valueChars = 100

/** The statement that asks for the items which a filter of this form would mean; `null` is equality. */
export function attributeSql(table: string, field: EntityField, operator: ItemOperator | null, value: string): string {
  return `SELECT * FROM metadata.${id(table)} WHERE ${conditionOf(field, operator, value)}`
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

function conditionOf(field: EntityField, operator: ItemOperator | null, value: string): string {
  const column = field.type === 'json' ? `JSON_VALUE(${id(field.name)}, '$.name')` : id(field.name)
  if (operator === 'bw') {
    const isPlain = !/[%_]/.test(value)
    return isPlain ? `${column} LIKE ${text(`${value}%`)}` : `LEFT(${column}, ${value.length}) = ${text(value)}`
  }
  if (operator === 'be') {
    const [low = '', high = ''] = value.split(',')
    return `${column} BETWEEN ${constant(field, low)} AND ${constant(field, high)}`
  }
  return `${column} ${operator === null ? '=' : signs[operator]} ${constant(field, value)}`
}

function constant({ type }: EntityField, value: string): string {
  if (type === 'boolean') return value === 'false' || value === '0' ? '0' : '1'
  if (type !== 'long' && type !== 'double') return text(value)
  return /^-?\d{1,18}(\.\d{1,18})?$/.test(value) ? value : '0'
}

function text(value: string): string {
  return value.length > valueChars ? "'...'" : `'${value.replaceAll("'", "''")}'`
}

function id(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
