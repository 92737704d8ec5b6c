// WHERE as the store asks it: bounds of the time, and a filter of tags, dimensions and numbers. Null is what the store does not know to ask.

import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import type { AskedRows } from '../../model/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Range } from '../../model/plan.ts'
import type { RowFilter } from '../../model/row-condition.ts'
import type { RowValue } from '../../model/row-value.ts'
import { readInterval } from '../bind/intervals.ts'
import type { Expression } from '../parse/syntax.ts'
import { baseBounds } from './base-bounds.ts'
import { instantConstant, numberConstant, type QueryClock } from './read-constants.ts'

/** What a name stands for in the one table of a query. */
export interface TableNames {
  /** A column or a computed field; null for what the store cannot compute. */
  readonly fieldOf: (expression: Expression) => EntityField | null
  readonly isTime: (expression: Expression) => boolean
  /** What a computed field is computed from; null for a column. */
  readonly valueOf: (field: EntityField) => RowValue | null
}

export type PlannedWhere = Pick<AskedRows, 'ranges' | 'filter'>

/** Bounds of the time stand at the top, joined by AND. */
export function plannedWhere(where: Expression | null, names: TableNames, clock: QueryClock): PlannedWhere | null {
  let range: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const filters: RowFilter[] = []
  for (const part of where === null ? [] : conjuncts(where)) {
    const bounds = timeBounds(part, names, clock)
    const filter = bounds === null ? rowFilter(part, names, false) : null
    if (bounds !== null) {
      range = { fromMs: Math.max(range.fromMs, bounds.fromMs), toMs: Math.min(range.toMs, bounds.toMs) }
    } else if (filter === null) return null
    else filters.push(filter)
  }
  const ranges = range.fromMs <= range.toMs ? [range] : []
  return { ranges, filter: filters.length > 1 ? { kind: 'and', filters } : (filters[0] ?? null) }
}

function conjuncts(expression: Expression): readonly Expression[] {
  return expression.kind === 'logical' && expression.operator === 'AND'
    ? expression.items.flatMap(conjuncts)
    : [expression]
}

/** Null where it is no bound of the time that is known now. */
function timeBounds(part: Expression, { isTime }: TableNames, clock: QueryClock): Range | null {
  if (part.kind === 'comparison') {
    const isTurned = isTime(part.right)
    if (!isTurned && !isTime(part.left)) return null
    const ms = instantConstant(isTurned ? part.left : part.right, clock)
    return ms === null ? null : boundsBy(isTurned ? turnedRound[part.operator] : part.operator, ms)
  }
  if (part.kind === 'between' && !part.negated && !part.symmetric && isTime(part.operand)) {
    const [fromMs, toMs] = [instantConstant(part.low, clock), instantConstant(part.high, clock)]
    return fromMs === null || toMs === null ? null : { fromMs, toMs }
  }
  if (part.kind === 'call' && part.name === 'TIME_IN_INTERVAL') {
    const [time, interval] = part.operands
    if (time === undefined || !isTime(time) || interval?.kind !== 'text') return null
    const [fromMs, endMs] = readInterval(interval.value, clock.zone, interval.place)
    return { fromMs, toMs: endMs - 1 }
  }
  return null
}

function boundsBy(operator: ComparisonOperator, ms: number): Range | null {
  const all = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  switch (operator) {
    case '=':
      return { fromMs: ms, toMs: ms }
    case '<':
      return { ...all, toMs: ms - 1 }
    case '<=':
      return { ...all, toMs: ms }
    case '>':
      return { ...all, fromMs: ms + 1 }
    case '>=':
      return { ...all, fromMs: ms }
    case '<>':
      return null
  }
}

/** `isNegated`: the rows that the condition is false for, not those that it is unknown for. */
export function rowFilter(condition: Expression, names: TableNames, isNegated: boolean): RowFilter | null {
  switch (condition.kind) {
    case 'boolean':
      return { kind: 'constant', value: condition.value !== isNegated }
    case 'logical': {
      const filters = condition.items.map((item) => rowFilter(item, names, isNegated))
      if (filters.some((one) => one === null)) return null
      const kind = (condition.operator === 'AND') === isNegated ? 'or' : 'and'
      return { kind, filters: filters.filter((one) => one !== null) }
    }
    case 'not':
      return rowFilter(condition.operand, names, !isNegated)
    case 'is': {
      const field = condition.what === 'NULL' ? names.fieldOf(condition.operand) : null
      return field === null ? null : { kind: 'null', field, isNegated: condition.negated !== isNegated }
    }
    case 'comparison':
      return comparison(condition, names, isNegated)
    case 'between':
      return between(condition, names, isNegated)
    case 'inList': {
      const field = isCast(condition.operand) ? null : names.fieldOf(condition.operand)
      return field === null ? null : among(field, condition.items, condition.negated !== isNegated)
    }
    case 'like':
      return like(condition, names, isNegated)
    default:
      return null
  }
}

function comparison(
  { operator, left, right }: Extract<Expression, { kind: 'comparison' }>,
  names: TableNames,
  isNegated: boolean,
): RowFilter | null {
  if (isCast(left) || isCast(right)) return null
  const [leftField, rightField] = [names.fieldOf(left), names.fieldOf(right)]
  if (leftField === null && rightField === null) return comparedConstants(operator, left, right, isNegated)
  if (leftField !== null) return compared(leftField, names, operator, right, isNegated)
  return rightField === null ? null : compared(rightField, names, turnedRound[operator], left, isNegated)
}

/** Druid leaves out what is cast in a condition, which is left to the SQL engine. */
const isCast = ({ kind }: Expression): boolean => kind === 'cast'

/** `1 = 1`, which tools write before conditions of their own. */
function comparedConstants(
  operator: ComparisonOperator,
  left: Expression,
  right: Expression,
  isNegated: boolean,
): RowFilter | null {
  const [a, b] = [numberConstant(left), numberConstant(right)]
  if (a?.type !== 'long' || b?.type !== 'long' || (operator !== '=' && operator !== '<>')) return null
  return { kind: 'constant', value: ((a.value === b.value) === (operator === '=')) !== isNegated }
}

function compared(
  field: EntityField,
  names: TableNames,
  operator: ComparisonOperator,
  constant: Expression,
  isNegated: boolean,
): RowFilter | null {
  if (operator === '=') return among(field, [constant], isNegated)
  if (operator === '<>') return among(field, [constant], !isNegated)
  const isLower = operator === '>' || operator === '>='
  return bounded(field, names, isLower ? constant : null, isLower ? null : constant, operator.length === 1, isNegated)
}

function between(
  { operand, low, high, negated, symmetric }: Extract<Expression, { kind: 'between' }>,
  names: TableNames,
  isNegated: boolean,
): RowFilter | null {
  const field = isCast(operand) ? null : names.fieldOf(operand)
  return field === null || symmetric ? null : bounded(field, names, low, high, false, negated !== isNegated)
}

function among(field: EntityField, items: readonly Expression[], isNegated: boolean): RowFilter | null {
  if (field.type === 'string') {
    const values = items.map(textConstant)
    if (values.some((value) => value === null)) return null
    return { kind: 'texts', field, values: values.filter((value) => value !== null), isNegated }
  }
  const values = items.map((item) => comparedNumber(field, item))
  if (values.some((value) => value === null)) return null
  return { kind: 'numbers', field, values: values.filter((value) => value !== null), isNegated }
}

function bounded(
  field: EntityField,
  names: TableNames,
  low: Expression | null,
  high: Expression | null,
  isOpen: boolean,
  isNegated: boolean,
): RowFilter | null {
  const open = { isLowerOpen: isOpen, isUpperOpen: isOpen, isNegated }
  if (field.type === 'string') {
    const [lower, upper] = [low, high].map((bound) => (bound === null ? null : textConstant(bound))) as [
      string | null,
      string | null,
    ]
    const isKnown = (low === null || lower !== null) && (high === null || upper !== null)
    return isKnown ? { kind: 'textRange', field, lower, upper, ...open } : null
  }
  const lower = low === null ? null : comparedNumber(field, low)
  const upper = high === null ? null : comparedNumber(field, high)
  const isKnown = (low === null || lower !== null) && (high === null || upper !== null)
  if (!isKnown) return null
  const value = names.valueOf(field)
  const base = value === null ? null : baseBounds(value, { lower, upper, ...open })
  if (base !== null) return { kind: 'numberRange', field: base.field, ...base.bounds, isNegated }
  return { kind: 'numberRange', field, lower, upper, ...open }
}

/** The engine takes another character for half of one. */
export function textConstant(expression: Expression): string | null {
  return expression.kind === 'text' && !hasHalfPair(expression.value) ? expression.value : null
}

/** A number that a field is compared with as a double: longs are, below 2^53 in size, where it says the same. */
function comparedNumber(field: EntityField, expression: Expression): number | null {
  const constant = numberConstant(expression)
  if (constant === null) return null
  const value = Number(constant.value)
  if (constant.type === 'double' || field.type === 'double') return value
  return Math.abs(value) < 2 ** 53 ? value : null
}

function like(
  { operand, pattern, escape: escapedWith, negated }: Extract<Expression, { kind: 'like' }>,
  names: TableNames,
  isNegated: boolean,
): RowFilter | null {
  const field = names.fieldOf(operand)
  const text = textConstant(pattern)
  const escapedBy = escapedWith === null ? null : textConstant(escapedWith)
  if (field?.type !== 'string' || text === null || text.length > patternMax) return null
  if (escapedWith !== null && escapedBy === null) return null
  return { kind: 'like', field, pattern: text, escapedBy, isNegated: negated !== isNegated }
}

/** A long pattern is tried at many places of a text. */
const patternMax = 200
