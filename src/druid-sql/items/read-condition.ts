// From a condition of a query to one on the items of one table, where it says so much by itself.

import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import { parseInstant } from '../../model/instant.ts'
import type { SqlType } from '../bind/types.ts'
import type { Expression } from '../parse/syntax.ts'
import type { ItemCondition, ItemConstant } from './item-condition.ts'

/** A column of an item that a name of the query means. */
export interface NamedItemColumn {
  /** Which table of the query: the number of its relation. */
  readonly relation: number
  readonly column: number
  readonly type: SqlType
}

/** What a name means; null where it is no column of items. */
export type FindColumn = (path: readonly string[]) => NamedItemColumn | null

export interface TableCondition {
  readonly relation: number
  readonly condition: ItemCondition
}

/**
 * The conditions on items that a condition holds: each is met by the items of all rows for which the whole is true. None is met by a row that an outer
 * join filled with nulls, unless `nullsToo`.
 */
export function itemConditions(expression: Expression, find: FindColumn, nullsToo: boolean): readonly TableCondition[] {
  if (expression.kind === 'logical' && expression.operator === 'AND')
    return expression.items.flatMap((item) => itemConditions(item, find, nullsToo))
  const condition = conditionOf(expression, find)
  return condition === null || (holdsNulls(condition.condition) && !nullsToo) ? [] : [condition]
}

function holdsNulls(condition: ItemCondition): boolean {
  if (condition.kind === 'all' || condition.kind === 'any') return condition.conditions.some(holdsNulls)
  return condition.kind === 'isNull'
}

/** Null where it says nothing of one table's items by themselves. */
function conditionOf(expression: Expression, find: FindColumn): TableCondition | null {
  switch (expression.kind) {
    case 'logical':
      return combined(
        expression.operator === 'AND' ? 'all' : 'any',
        expression.items.map((item) => conditionOf(item, find)),
      )
    case 'comparison':
      return (
        comparison(expression.left, expression.operator, expression.right, find) ??
        comparison(expression.right, turnedRound[expression.operator], expression.left, find)
      )
    case 'between': {
      if (expression.negated || expression.symmetric) return null
      const { operand, low, high } = expression
      return combined('all', [comparison(operand, '>=', low, find), comparison(operand, '<=', high, find)])
    }
    case 'inList':
      return inList(expression, find)
    case 'is': {
      const column = expression.what === 'NULL' ? columnOf(expression.operand, find) : null
      if (column === null) return null
      const kind = expression.negated ? 'isNotNull' : 'isNull'
      return { relation: column.relation, condition: { kind, column: column.column } }
    }
    case 'like':
      return like(expression, find)
    default:
      return null
  }
}

/** All of them known and of one table: of some that all hold, those that are not known may be left out, but then they are not one condition. */
function combined(kind: 'all' | 'any', parts: readonly (TableCondition | null)[]): TableCondition | null {
  const [first] = parts
  if (first === null || first === undefined) return null
  const conditions: ItemCondition[] = []
  for (const part of parts) {
    if (part === null || part.relation !== first.relation) return null
    conditions.push(part.condition)
  }
  return { relation: first.relation, condition: { kind, conditions } }
}

function columnOf(expression: Expression, find: FindColumn): NamedItemColumn | null {
  return expression.kind === 'column' ? find(expression.path) : null
}

function comparison(
  operand: Expression,
  operator: ComparisonOperator,
  other: Expression,
  find: FindColumn,
): TableCondition | null {
  const column = columnOf(operand, find)
  const value = column === null ? null : constantOf(other, column.type)
  if (column === null || value === null) return null
  return { relation: column.relation, condition: { kind: 'compare', column: column.column, operator, value } }
}

function inList(
  { negated, operand, items }: Extract<Expression, { kind: 'inList' }>,
  find: FindColumn,
): TableCondition | null {
  const column = negated ? null : columnOf(operand, find)
  if (column === null) return null
  const values = new Set<ItemConstant>()
  for (const item of items) {
    const value = constantOf(item, column.type)
    if (value === null) return null
    values.add(value)
  }
  if (values.size === 0) return null
  return { relation: column.relation, condition: { kind: 'in', column: column.column, values } }
}

/** A text with `%` at its ends alone. */
const plainPattern = /^(%?)([^%_]+)(%?)$/su

function like(
  { negated, operand, pattern, escape: escapedBy }: Extract<Expression, { kind: 'like' }>,
  find: FindColumn,
): TableCondition | null {
  const column = negated || escapedBy !== null ? null : columnOf(operand, find)
  if (column === null || column.type.kind !== 'string' || pattern.kind !== 'text') return null
  const [, before, text, after] = plainPattern.exec(pattern.value) ?? []
  if (text === undefined || hasHalfPair(text)) return null
  const { relation, column: place } = column
  if (before === '' && after === '')
    return { relation, condition: { kind: 'compare', column: place, operator: '=', value: text } }
  const how = before === '' ? 'begins' : after === '' ? 'ends' : 'holds'
  return { relation, condition: { kind: 'text', column: place, how, text } }
}

/** A constant as a value of the column; null where it is none, or would be turned into the column's type, or the column into its. */
function constantOf(expression: Expression, { kind }: SqlType): ItemConstant | null {
  switch (kind) {
    case 'string':
      return expression.kind === 'text' && !hasHalfPair(expression.value) ? expression.value : null
    case 'timestamp':
      return expression.kind === 'text' || expression.kind === 'time' ? parseInstant(expression.value) : null
    case 'long':
    case 'double':
      return numberOf(expression, kind)
    default:
      return null
  }
}

function numberOf(expression: Expression, kind: 'long' | 'double'): number | bigint | null {
  if (expression.kind === 'negate') {
    const value = numberOf(expression.operand, kind)
    return value === null ? null : -value
  }
  if (expression.kind !== 'number') return null
  const isWhole = /^\d{1,18}$/.test(expression.digits)
  if (kind === 'long') return isWhole ? BigInt(expression.digits) : null
  const value = Number(expression.digits)
  return Number.isFinite(value) ? value : null
}
