// Native expressions as scalars: over the fields of rows, or over the outputs of groups. Null is what the store does not know.
// Tested by `test/druid-native/planned.test.ts`.
import {
  call,
  caseOf,
  commonType,
  isNull,
  isNumeric,
  literal,
  not,
  nullLiteral,
  numberType,
  type Scalar,
} from '../../algebra/scalar.ts'
import type { ComparisonOperator } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import type { BinaryOperator, Expression } from '../expression/syntax.ts'

/** What a name stands for. */
export type LeafOf = (name: string) => Scalar | null

export function readScalar(expression: Expression, leafOf: LeafOf): Scalar | null {
  switch (expression.kind) {
    case 'long':
      return expression.value < 2n ** 63n ? literal('long', expression.value) : null
    case 'double':
      return Number.isFinite(expression.value) ? literal('double', expression.value) : null
    case 'text':
      return hasHalfPair(expression.value) ? null : literal('string', expression.value)
    case 'name':
      return leafOf(expression.name)
    case 'unary':
      if (expression.operator === '!') return truthOf(conditionOf(expression, leafOf))
      return negated(numberOf(expression.operand, leafOf))
    case 'binary':
      return isTruth(expression.operator)
        ? truthOf(conditionOf(expression, leafOf))
        : arithmetic(expression.operator, expression, leafOf)
    case 'call':
      return called(expression, leafOf)
    default:
      return null
  }
}

/** Truth values are numbers. */
const truthOf = (condition: Scalar | null): Scalar | null => condition && call('long', 'toLong', [condition])

function negated(operand: Scalar | null): Scalar | null {
  if (operand?.kind !== 'literal') return operand && call(operand.type, 'negate', [operand])
  const { type, value } = operand
  return literal(type, typeof value === 'bigint' ? BigInt.asIntN(64, -value) : -Number(value))
}

function numberOf(expression: Expression, leafOf: LeafOf): Scalar | null {
  const value = readScalar(expression, leafOf)
  return value !== null && isNumeric(value) ? value : null
}

type Sides = Pick<Extract<Expression, { kind: 'binary' }>, 'left' | 'right'>

function arithmetic(operator: BinaryOperator, sides: Sides, leafOf: LeafOf): Scalar | null {
  const [left, right] = [numberOf(sides.left, leafOf), numberOf(sides.right, leafOf)]
  if (left === null || right === null) return null
  const type = numberType(left, right)
  // What is left of a double has a sign of its own in the SQL engine.
  if (operator === '%' && type === 'double') return null
  const isKnown = operator === '+' || operator === '-' || operator === '*' || operator === '/' || operator === '%'
  return isKnown ? call(type, operator, [left, right]) : null
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
function conditionOf(expression: Expression, leafOf: LeafOf): Scalar | null {
  if (expression.kind === 'unary' && expression.operator === '!') {
    const condition = conditionOf(expression.operand, leafOf)
    return condition && not(condition)
  }
  if (expression.kind === 'binary') {
    const { operator, left, right } = expression
    if (operator === '&&' || operator === '||') {
      const [one, other] = [conditionOf(left, leafOf), conditionOf(right, leafOf)]
      return one && other && call('boolean', operator === '&&' ? 'and' : 'or', [one, other])
    }
    const comparison = comparisons.get(operator)
    if (comparison !== undefined) return compared(comparison, readScalar(left, leafOf), readScalar(right, leafOf))
  }
  const value = numberOf(expression, leafOf)
  if (value?.kind === 'call' && value.name === 'toLong' && value.operands[0]!.type === 'boolean')
    return value.operands[0]!
  return value && call('boolean', '>', [value, literal('long', 0n)])
}

function compared(operator: ComparisonOperator, left: Scalar | null, right: Scalar | null): Scalar | null {
  if (left === null || right === null) return null
  const areAlike = (isNumeric(left) && isNumeric(right)) || (left.type === 'string' && right.type === 'string')
  return areAlike ? call('boolean', operator, [left, right]) : null
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

function called({ name, args }: Extract<Expression, { kind: 'call' }>, leafOf: LeafOf): Scalar | null {
  const named = name.toLowerCase()
  const [least, most] = counts.get(named) ?? [1, 0]
  if (args.length < least || args.length > most) return null
  switch (named) {
    case 'nvl':
    case 'coalesce': {
      const values = args.map((arg) => resultOf(arg, leafOf))
      if (values.includes(null)) return null
      const known = values as readonly Scalar[]
      const type = commonType(known)
      return type && call(type, 'coalesce', known)
    }
    case 'if':
    case 'case_searched':
      return chosen(args, (when) => conditionOf(when, leafOf), leafOf)
    case 'case_simple': {
      const value = readScalar(args[0]!, leafOf)
      return chosen(args.slice(1), (match) => compared('=', value, readScalar(match, leafOf)), leafOf)
    }
    case 'isnull':
    case 'notnull': {
      const value = readScalar(args[0]!, leafOf)
      return value && truthOf(named === 'isnull' ? isNull(value) : not(isNull(value)))
    }
    case 'safe_divide': {
      const [left, right] = args.map((arg) => numberOf(arg, leafOf))
      return left && right ? call(numberType(left, right), 'safeDivide', [left, right]) : null
    }
    case 'cast':
      return cast(numberOf(args[0]!, leafOf), args[1]!)
    default: {
      // All but `abs` make doubles of longs too.
      const operand = numberOf(args[0]!, leafOf)
      return operand && call(named === 'abs' ? operand.type : 'double', named as 'floor', [operand])
    }
  }
}

function cast(operand: Scalar | null, type: Expression): Scalar | null {
  const to = type.kind === 'text' ? type.value.toUpperCase() : null
  if (operand === null || (to !== 'LONG' && to !== 'DOUBLE')) return null
  return asNumber(operand, to === 'LONG' ? 'long' : 'double')
}

/** A number as one of a type. */
export function asNumber(operand: Scalar, type: 'long' | 'double'): Scalar {
  return operand.type === type ? operand : call(type, type === 'long' ? 'toLong' : 'toDouble', [operand])
}

/** Pairs of condition and result, and the result where none holds. */
function chosen(
  args: readonly Expression[],
  conditionFor: (when: Expression) => Scalar | null,
  leafOf: LeafOf,
): Scalar | null {
  const branches: { when: Scalar; result: Scalar }[] = []
  for (let at = 0; at + 1 < args.length; at += 2) {
    const [when, result] = [conditionFor(args[at]!), resultOf(args[at + 1]!, leafOf)]
    if (when === null || result === null) return null
    branches.push({ when, result })
  }
  const last = args.length % 2 === 1 ? resultOf(args.at(-1)!, leafOf) : nullLiteral
  return last && caseOf(branches, last)
}

const resultOf = (expression: Expression, leafOf: LeafOf): Scalar | null =>
  expression.kind === 'null' ? nullLiteral : readScalar(expression, leafOf)
