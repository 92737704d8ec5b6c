// Parses the query string of an item list into a range of keys: any combination of filters is one range of the index.
import { type EntityField, indexField, type MetadataEntity } from '../model/entity.ts'
import { allKeys, intersection, type KeyRange, keyAfter, keysBeginningWith } from '../model/item-key.ts'
import { type ItemOperator, itemOperators } from '../model/item-operator.ts'
import { limitOf, pageLimit } from '../model/page.ts'
import { invalidRequest, type Problem } from '../model/problem.ts'
import { type QueryParameter, queryParameters } from '../model/query-parameters.ts'
import { identifierForms, keyOfText } from './identifier.ts'

export interface ItemQuery {
  readonly range: KeyRange
  readonly limit: number
  readonly token: string | null
}

type Table = Pick<MetadataEntity, 'name' | 'fields'>
type Index = Pick<EntityField, 'name' | 'type'>

/** Parses a query string. Throws Problem `invalid_request`, which names the index field if a filter is not valid. */
export function itemQuery(query: string, table: Table): ItemQuery {
  const index = indexField(table)
  let range = allKeys
  let limit: string | null = null
  let token: string | null = null
  const betweens: QueryParameter[] = []
  for (const parameter of queryParameters(query)) {
    const { name, value } = parameter
    if (name === 'limit') limit = once(name, limit, value)
    else if (name === 'NextToken') token = once(name, token, value)
    else if (name === `${index.name}[be]`) betweens.push(parameter)
    else range = intersection(range, rangeOf(parameter, index, table))
  }
  if (betweens.length > 0) range = intersection(range, rangeBetween(betweens, index))
  return { range, limit: pageLimit({ limit: limit === null ? undefined : limitOf(limit) }), token }
}

function once(name: string, standing: string | null, value: string): string {
  if (standing === null) return value
  throw invalidRequest(name, 'is given more than once')
}

function rangeOf({ name, value }: QueryParameter, index: Index, table: Table): KeyRange {
  const operator = name === index.name ? 'eq' : operatorOf(name, index.name)
  if (operator === null) throw unknownParameter({ name, value }, index, table)
  if (operator === 'bw' && index.type !== 'string') {
    throw invalidRequest(name, `a prefix needs a string, and the index field "${index.name}" is a ${index.type}`)
  }
  const key = keyOf(name, value, index)
  switch (operator) {
    case 'eq':
      return { from: key, to: keyAfter(key) }
    case 'bw':
      return keysBeginningWith(key)
    case 'gt':
      return { from: keyAfter(key), to: null }
    case 'gte':
      return { from: key, to: null }
    case 'lt':
      return { from: allKeys.from, to: key }
    case 'lte':
      return { from: allKeys.from, to: keyAfter(key) }
    default:
      operator satisfies 'be'
      throw new Error('be is read from all of its parameters at once')
  }
}

function operatorOf(name: string, field: string): ItemOperator | null {
  return itemOperators.find((candidate) => name === `${field}[${candidate}]`) ?? null
}

function unknownParameter({ name, value }: QueryParameter, index: Index, { name: table, fields }: Table): Problem {
  const filters = [index.name, ...itemOperators.map((operator) => `${index.name}[${operator}]`)].join(', ')
  const attribute = fields.find((field) => name === field.name || operatorOf(name, field.name) !== null)
  const statement =
    attribute === undefined ? '' : attributeSql(table, attribute, operatorOf(name, attribute.name), value)
  const bySql = attribute === undefined ? '' : `. SQL filters by any attribute: ${statement}`
  return invalidRequest(
    name.slice(0, 128),
    `this list is filtered by the index field "${index.name}" only. Use ${filters}, limit or NextToken${bySql}`,
  )
}

function keyOf(name: string, value: string, index: Index): Uint8Array {
  const key = keyOfText(index.type, value)
  if (key !== null) return key
  throw invalidRequest(name, `the index field "${index.name}" is a ${index.type}: give ${identifierForms[index.type]}`)
}

/** One value `low,high`, or two values with the low one first. */
function rangeBetween(parameters: readonly QueryParameter[], index: Index): KeyRange {
  const name = `${index.name}[be]`
  const ends = parameters.length === 1 ? parameters[0]!.value.split(',') : parameters.map(({ value }) => value)
  if (ends.length !== 2) {
    throw invalidRequest(
      name,
      `takes two values of the index field "${index.name}": write low,high, or give the parameter twice if the values hold commas`,
    )
  }
  const [low, high] = ends.map((end) => keyOf(name, end, index)) as [Uint8Array, Uint8Array]
  if (Buffer.compare(low, high) > 0) {
    throw invalidRequest(name, `the low end of "${index.name}" must not be above the high end. Swap the two values`)
  }
  return { from: low, to: keyAfter(high) }
}

/** Longer values are shown as '...'. */
const valueChars = 100

/** The list has no filters on attributes; its error suggests the equivalent SQL statement. A null `operator` is equality. */
function attributeSql(table: string, field: EntityField, operator: ItemOperator | null, value: string): string {
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
