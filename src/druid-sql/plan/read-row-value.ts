// SQL to values that the store computes from each row: arithmetic, functions and CASE over columns. Null is what the store cannot compute.
import type { RowFilter } from '../../model/row-condition.ts'
import { type RowBranch, type RowValue, typeOfValue } from '../../model/row-value.ts'
import type { Expression } from '../parse/syntax.ts'
import { numberConstant } from './read-constants.ts'
import { rowFilter, type TableNames, textConstant } from './read-where.ts'

/** The SQL engine rounds to more places in another way. */
const roundedPlacesMax = 12n

type Call = Extract<Expression, { kind: 'call' }>

export function readRowValue(expression: Expression, names: TableNames): RowValue | null {
  const constant = numberConstant(expression)
  if (constant !== null) {
    const value = Number(constant.value)
    return constant.type === 'long' && !Number.isSafeInteger(value)
      ? null
      : { kind: 'number', type: constant.type, value }
  }
  switch (expression.kind) {
    case 'column': {
      const field = names.fieldOf(expression)
      return field === null ? null : { kind: 'field', field }
    }
    case 'arithmetic': {
      const { operator } = expression
      if (operator === '||') return null
      const [left, right] = [numberValue(expression.left, names), numberValue(expression.right, names)]
      return left && right && arithmetic(operator, left, right)
    }
    case 'negate': {
      const operand = numberValue(expression.operand, names)
      const zero: RowValue = { kind: 'number', type: 'long', value: 0 }
      return operand && arithmetic('-', zero, operand)
    }
    case 'cast':
      return castValue(expression, names)
    case 'case':
      return choiceValue(expression, names)
    case 'call':
      return calledValue(expression, names)
    default:
      return null
  }
}

function numberValue(expression: Expression, names: TableNames): RowValue | null {
  const value = readRowValue(expression, names)
  return value === null || typeOfValue(value) === 'string' ? null : value
}

function arithmetic(
  operator: Extract<RowValue, { kind: 'arithmetic' }>['operator'],
  left: RowValue,
  right: RowValue,
): RowValue | null {
  // SQL has rules of its own for constants alone.
  if (left.kind === 'number' && right.kind === 'number') return null
  const isDouble = typeOfValue(left) === 'double' || typeOfValue(right) === 'double'
  if (isDouble && operator === '%') return null
  return { kind: 'arithmetic', type: isDouble ? 'double' : 'long', operator, left, right }
}

function castValue({ operand, type }: Extract<Expression, { kind: 'cast' }>, names: TableNames): RowValue | null {
  const value = numberValue(operand, names)
  if (value === null || value.kind === 'number' || type.isArray || type.scale !== null) return null
  if (type.name !== 'BIGINT' && type.name !== 'DOUBLE') return null
  const to = type.name === 'BIGINT' ? 'long' : 'double'
  return typeOfValue(value) === to ? value : { kind: 'unary', type: to, operator: to, operand: value }
}

function calledValue({ name, operands, unit, over, distinct, star, filter }: Call, names: TableNames): RowValue | null {
  if (unit !== null || over !== null || distinct || star || filter !== null) return null
  const [first, second, ...more] = operands
  if (first === undefined) return null
  if (name === 'COALESCE') return coalesced(operands, names)
  if (more.length > 0) return null
  switch (name) {
    case 'FLOOR':
    case 'CEIL':
    case 'CEILING':
    case 'ABS': {
      const operand = second === undefined ? numberValue(first, names) : null
      return operand && unary(({ FLOOR: 'floor', ABS: 'abs' } as const)[name as 'FLOOR'] ?? 'ceil', operand)
    }
    case 'ROUND':
      return rounded(numberValue(first, names), second)
    case 'MOD': {
      const [left, right] = [first, second].map((one) => (one === undefined ? null : numberValue(one, names)))
      return left && right ? arithmetic('%', left, right) : null
    }
    case 'NULLIF':
      return second === undefined ? null : nullIf(first, second, names)
    default:
      return null
  }
}

function unary(operator: 'floor' | 'ceil' | 'abs', operand: RowValue): RowValue | null {
  if (operand.kind === 'number') return null
  const type = typeOfValue(operand) === 'long' ? 'long' : 'double'
  return type === 'long' && operator !== 'abs' ? operand : { kind: 'unary', type, operator, operand }
}

function rounded(operand: RowValue | null, digits: Expression | undefined): RowValue | null {
  const places = digits === undefined ? { type: 'long', value: 0n } : numberConstant(digits)
  if (operand === null || operand.kind === 'number' || places?.type !== 'long') return null
  if (places.value < 0n || places.value > roundedPlacesMax) return null
  return typeOfValue(operand) === 'long' ? operand : { kind: 'rounded', places: Number(places.value), operand }
}

/** `NULLIF(V, 0)` is `CASE WHEN V = 0 THEN NULL ELSE V END`. */
function nullIf(expression: Expression, constant: Expression, names: TableNames): RowValue | null {
  const { place } = expression
  const isEqual: Expression = { kind: 'comparison', operator: '=', left: expression, right: constant, place }
  const passes = rowFilter(isEqual, names, false)
  const value = readRowValue(expression, names)
  return passes && value && choiceOf([{ passes, value: null }], value)
}

/** `COALESCE(V, W, 0)` is `CASE WHEN V IS NOT NULL THEN V WHEN W IS NOT NULL THEN W ELSE 0 END`. */
function coalesced(operands: readonly Expression[], names: TableNames): RowValue | null {
  const branches: RowBranch[] = []
  for (const operand of operands.slice(0, -1)) {
    const field = names.fieldOf(operand)
    if (field === null) return null
    branches.push({ passes: { kind: 'null', field, isNegated: true }, value: { kind: 'field', field } })
  }
  const last = resultValue(operands.at(-1)!, names)
  return last === undefined || branches.length === 0 ? null : choiceOf(branches, last)
}

function choiceValue(
  { operand, branches, otherwise }: Extract<Expression, { kind: 'case' }>,
  names: TableNames,
): RowValue | null {
  const read: RowBranch[] = []
  for (const { when, result } of branches) {
    const condition: Expression =
      operand === null ? when : { kind: 'comparison', operator: '=', left: operand, right: when, place: when.place }
    const passes: RowFilter | null = rowFilter(condition, names, false)
    const value = resultValue(result, names)
    if (passes === null || value === undefined) return null
    read.push({ passes, value })
  }
  const last = otherwise === null ? null : resultValue(otherwise, names)
  return last === undefined ? null : choiceOf(read, last)
}

/** Null is SQL's NULL; undefined is what the store cannot compute. */
function resultValue(expression: Expression, names: TableNames): RowValue | null | undefined {
  if (expression.kind === 'null') return null
  const text = textConstant(expression)
  if (text !== null) return { kind: 'text', value: text }
  const value = readRowValue(expression, names)
  if (value === null) return undefined
  // A text result is a constant or a column.
  return typeOfValue(value) === 'string' && value.kind !== 'field' ? undefined : value
}

function choiceOf(branches: readonly RowBranch[], otherwise: RowValue | null): RowValue | null {
  const results = [...branches.map(({ value }) => value), otherwise].filter((value) => value !== null)
  const types = new Set(results.map(typeOfValue))
  if (types.size === 0 || (types.has('string') && types.size > 1)) return null
  const type = types.has('string') ? 'string' : types.has('double') ? 'double' : 'long'
  return { kind: 'choice', type, branches, otherwise }
}
