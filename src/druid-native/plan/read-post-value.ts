// Expressions of post-aggregators as values that are worked out of groups. Null is what the store does not know.
import type { NumberValue, PlannedCondition, PlannedType, PlannedValue } from '../../druid-values/planned-value.ts'
import type { ComparisonOperator } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import type { BinaryOperator, Expression } from '../expression/syntax.ts'

/** What a name stands for among the outputs that come before. */
export type InputOf = (name: string) => PlannedValue | null

export function readPostValue(expression: Expression, inputOf: InputOf): PlannedValue | null {
  switch (expression.kind) {
    case 'long':
      return expression.value < 2n ** 63n ? { kind: 'constant', type: 'long', value: expression.value } : null
    case 'double':
      return Number.isFinite(expression.value) ? { kind: 'constant', type: 'double', value: expression.value } : null
    case 'text':
      return hasHalfPair(expression.value) ? null : { kind: 'text', type: 'string', value: expression.value }
    case 'name':
      return inputOf(expression.name)
    case 'unary': {
      if (expression.operator === '!') return truthOf(conditionOf(expression, inputOf))
      const operand = numberOf(expression.operand, inputOf)
      return operand && { kind: 'negated', type: operand.type, operand }
    }
    case 'binary':
      return isTruth(expression.operator)
        ? truthOf(conditionOf(expression, inputOf))
        : arithmetic(expression.operator, expression, inputOf)
    case 'call':
      return called(expression, inputOf)
    default:
      return null
  }
}

const truthOf = (condition: PlannedCondition | null): PlannedValue | null =>
  condition && { kind: 'truth', type: 'long', condition }

function numberOf(expression: Expression, inputOf: InputOf): NumberValue | null {
  const value = readPostValue(expression, inputOf)
  return value !== null && isNumber(value) ? value : null
}

export const isNumber = (value: PlannedValue): value is NumberValue => value.type === 'long' || value.type === 'double'

type Sides = Pick<Extract<Expression, { kind: 'binary' }>, 'left' | 'right'>

function arithmetic(operator: BinaryOperator, sides: Sides, inputOf: InputOf): PlannedValue | null {
  const [left, right] = [numberOf(sides.left, inputOf), numberOf(sides.right, inputOf)]
  if (left === null || right === null) return null
  const type = left.type === 'double' || right.type === 'double' ? 'double' : 'long'
  // What is left of a double has a sign of its own in the SQL engine.
  if (operator === '%' && type === 'double') return null
  const isKnown = operator === '+' || operator === '-' || operator === '*' || operator === '/' || operator === '%'
  return isKnown ? { kind: 'arithmetic', type, operator, left, right } : null
}

const comparisons: ReadonlyMap<BinaryOperator, ComparisonOperator> = new Map([
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['==', '='],
  ['!=', '<>'],
])

const isTruth = (operator: BinaryOperator): boolean =>
  operator === '&&' || operator === '||' || comparisons.has(operator)

/** Numbers above 0 are true. */
function conditionOf(expression: Expression, inputOf: InputOf): PlannedCondition | null {
  if (expression.kind === 'unary' && expression.operator === '!') {
    const condition = conditionOf(expression.operand, inputOf)
    return condition && { kind: 'not', condition }
  }
  if (expression.kind === 'binary') {
    const { operator, left, right } = expression
    if (operator === '&&' || operator === '||') {
      const conditions = [conditionOf(left, inputOf), conditionOf(right, inputOf)]
      if (conditions.some((one) => one === null)) return null
      return { kind: operator === '&&' ? 'and' : 'or', conditions: conditions.filter((one) => one !== null) }
    }
    const comparison = comparisons.get(operator)
    if (comparison !== undefined)
      return compared(comparison, readPostValue(left, inputOf), readPostValue(right, inputOf))
  }
  const value = readPostValue(expression, inputOf)
  if (value === null || !isNumber(value)) return null
  if (value.kind === 'truth') return value.condition
  return { kind: 'compare', operator: '>', left: value, right: { kind: 'constant', type: 'long', value: 0n } }
}

function compared(
  operator: ComparisonOperator,
  left: PlannedValue | null,
  right: PlannedValue | null,
): PlannedCondition | null {
  if (left === null || right === null) return null
  const areAlike = (isNumber(left) && isNumber(right)) || (left.type === 'string' && right.type === 'string')
  return areAlike ? { kind: 'compare', operator, left, right } : null
}

/** With as many arguments as it takes. */
const counts: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['nvl', [2, 2]],
  ['coalesce', [1, 1000]],
  ['if', [3, 3]],
  ['case_searched', [2, 1000]],
  ['case_simple', [3, 1000]],
  ['isnull', [1, 1]],
  ['notnull', [1, 1]],
  ['cast', [2, 2]],
  ['floor', [1, 1]],
  ['ceil', [1, 1]],
  ['abs', [1, 1]],
  ['sqrt', [1, 1]],
  ['safe_divide', [2, 2]],
])

function called({ name, args }: Extract<Expression, { kind: 'call' }>, inputOf: InputOf): PlannedValue | null {
  const named = name.toLowerCase()
  const [least, most] = counts.get(named) ?? [1, 0]
  if (args.length < least || args.length > most) return null
  switch (named) {
    case 'nvl':
    case 'coalesce': {
      const values = args.map((arg) => resultOf(arg, inputOf)).filter((value) => value !== null)
      const type = commonType(values)
      return type === null ? null : { kind: 'first', type, values: values.filter((value) => value !== undefined) }
    }
    case 'if':
    case 'case_searched':
      return chosen(args, (when) => conditionOf(when, inputOf), inputOf)
    case 'case_simple': {
      const equalTo = (match: Expression): PlannedCondition | null =>
        compared('=', readPostValue(args[0]!, inputOf), readPostValue(match, inputOf))
      return chosen(args.slice(1), equalTo, inputOf)
    }
    case 'isnull':
    case 'notnull': {
      const value = readPostValue(args[0]!, inputOf)
      return value && truthOf({ kind: 'null', value, isNegated: named === 'notnull' })
    }
    case 'safe_divide': {
      const [left, right] = args.map((arg) => numberOf(arg, inputOf))
      if (!left || !right) return null
      const type = left.type === 'double' || right.type === 'double' ? 'double' : 'long'
      return { kind: 'safeQuotient', type, left, right }
    }
    case 'cast':
      return cast(numberOf(args[0]!, inputOf), args[1]!)
    default:
      return changed(named as 'floor', numberOf(args[0]!, inputOf))
  }
}

function cast(operand: NumberValue | null, type: Expression): PlannedValue | null {
  const to = type.kind === 'text' ? type.value.toUpperCase() : null
  if (operand === null || (to !== 'LONG' && to !== 'DOUBLE')) return null
  return asNumber(operand, to === 'LONG' ? 'long' : 'double')
}

/** A number as one of a type. */
export function asNumber(operand: NumberValue, type: NumberValue['type']): NumberValue {
  return operand.type === type ? operand : { kind: 'unary', type, operator: type, operand }
}

/** All but `abs` make doubles of longs too. */
function changed(operator: 'floor' | 'ceil' | 'abs' | 'sqrt', operand: NumberValue | null): PlannedValue | null {
  return operand && { kind: 'unary', type: operator === 'abs' ? operand.type : 'double', operator, operand }
}

/** Pairs of condition and result, and the result where none holds. */
function chosen(
  args: readonly Expression[],
  conditionFor: (when: Expression) => PlannedCondition | null,
  inputOf: InputOf,
): PlannedValue | null {
  const branches: { when: PlannedCondition; value: PlannedValue | null }[] = []
  for (let at = 0; at + 1 < args.length; at += 2) {
    const [when, value] = [conditionFor(args[at]!), resultOf(args[at + 1]!, inputOf)]
    if (when === null || value === undefined) return null
    branches.push({ when, value })
  }
  const last = args.length % 2 === 1 ? resultOf(args.at(-1)!, inputOf) : null
  if (last === undefined) return null
  const results = [...branches.map(({ value }) => value), last]
  const type = commonType(results.filter((value) => value !== null))
  return type === null ? null : { kind: 'choice', type, branches, otherwise: last }
}

/** Null is null; undefined is what the store does not know. */
function resultOf(expression: Expression, inputOf: InputOf): PlannedValue | null | undefined {
  return expression.kind === 'null' ? null : (readPostValue(expression, inputOf) ?? undefined)
}

/** Null where there is none, or a text would be made of a number. */
function commonType(values: readonly (PlannedValue | undefined)[]): PlannedType | null {
  const types = new Set(values.map((value) => value?.type))
  const [first] = types
  if (first === undefined || types.has(undefined)) return null
  if (types.size === 1) return first
  return types.has('string') ? null : 'double'
}
