// The operators of Druid's expression language.

import { comparison } from '../../druid-sql/bind/bind-truth.ts'
import { conjunction, disjunction, not } from '../../druid-sql/bind/logic.ts'
import { arithmetic, type NumberOperator } from '../../druid-sql/bind/time-arithmetic.ts'
import { type Bound, called, engineFunction, literal } from '../../druid-sql/bind/tree.ts'
import { arrayOf, boolean, double, isNumeric, long, type SqlType, string } from '../../druid-sql/bind/types.ts'
import { cutQuotient, negated, numbers } from '../../druid-sql/functions/numbers.ts'
import { joinedTexts } from '../../druid-sql/functions/texts.ts'
import { bind } from '../../lib/bind-sql.ts'
import type { ComparisonOperator } from '../../lib/comparison-operator.ts'
import { sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import {
  asType,
  asValue,
  conditionIn,
  divideDoubles,
  nowhere,
  textToDouble,
  toText,
  truth,
  written,
} from '../values/typed.ts'
import { isNull, nullNode, ofBoth } from './call.ts'
import { type BinaryOperator, ExpressionError } from './syntax.ts'

const isTrueText = engineFunction(([x]) => sql`(lower(${x!}) = 'true')`)

/** Converts to a boolean: numbers above 0 and the text "true" are true. Null stays null. */
export function truthOf(node: Bound): Bound {
  const condition = conditionIn(node)
  if (condition !== undefined) return condition
  switch (node.type.kind) {
    case 'string':
      return called(nowhere, boolean, isTrueText, [node])
    case 'long':
      return compared('>', node, literal(nowhere, long, 0n))
    case 'double':
    case 'float':
      return compared('>', asType(node, double), literal(nowhere, double, 0))
    case 'null':
      return literal(nowhere, boolean, null)
    default:
      // The text of a single element decides; arrays with more elements or none are never true.
      return written(
        boolean,
        bind(toText(asValue(node)), (x) => sql`(lower(${x}) = 'true' OR coalesce(${textToDouble(x)} > 0, FALSE))`),
      )
  }
}

export const compared = (operator: ComparisonOperator, left: Bound, right: Bound): Bound =>
  called(nowhere, boolean, comparison, [left, right], { operator, isFilter: false })

export function bindUnary(operator: '-' | '!', operand: Bound): Bound {
  const { kind } = operand.type
  if (kind === 'null') return nullNode
  if (operator === '!') return truth(not(truthOf(operand), nowhere))
  if (kind === 'array') throw new ExpressionError('"-" takes a number, not an array')
  if (kind === 'string') throw new ExpressionError('"-" takes a number, not a string')
  const known = operand.kind === 'literal' ? operand.value : null
  if (typeof known === 'bigint') return literal(nowhere, long, BigInt.asIntN(64, -known))
  // Literals do not keep the sign of zero.
  if (typeof known === 'number' && known !== 0) return literal(nowhere, double, -known)
  const number = kind === 'long' ? operand : asType(operand, double)
  return called(nowhere, number.type, negated, [number])
}

const comparisons: ReadonlyMap<BinaryOperator, ComparisonOperator> = new Map([
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['==', '='],
  ['!=', '<>'],
])

const isText = ({ type: { kind } }: Bound): boolean => kind === 'string' || kind === 'json'

/** The type that two operands are converted to. */
function common(left: Bound, right: Bound): SqlType {
  if (isText(left) && isText(right)) return string
  return left.type.kind === 'long' && right.type.kind === 'long' ? long : double
}

export const equal = (left: Bound, right: Bound): Bound => bindBinary('==', left, right)

export function bindBinary(operator: BinaryOperator, left: Bound, right: Bound): Bound {
  if (operator === '&&' || operator === '||') {
    const join = operator === '&&' ? conjunction : disjunction
    return truth(called(nowhere, boolean, join, [truthOf(left), truthOf(right)]))
  }
  const comparison = comparisons.get(operator)
  if (isNull(left) || isNull(right))
    return comparison === undefined ? nullOf(left, right) : literal(nowhere, long, null)
  const isJson = left.type.kind === 'json' || right.type.kind === 'json'
  if (isJson && comparison === undefined)
    throw new ExpressionError(
      `"${operator}" on JSON without a declared type, such as json_value(x, '$.a', 'LONG') declares,`,
      true,
    )
  if (left.type.kind === 'array' && right.type.kind === 'array' && comparison !== undefined)
    return compareArrays(comparison, left, right)
  const type = common(left, right)
  // Longs and doubles are compared and combined without conversion.
  const areNumbers = isNumeric(left.type) && isNumeric(right.type)
  const sides = areNumbers ? ([left, right] as const) : ([asType(left, type), asType(right, type)] as const)
  if (comparison !== undefined) return truth(compared(comparison, ...sides))
  if (type.kind !== 'string') return calculated(operator, type, sides)
  if (operator !== '+') throw new ExpressionError(`"${operator}" takes numbers, not strings`)
  return joinedTexts(nowhere, sides)
}

/** Compares element by element, in a type that can represent both. */
function compareArrays(operator: ComparisonOperator, left: Bound, right: Bound): Bound {
  const kinds = [left, right].map(({ type }) => (type.kind === 'array' ? type.element.kind : null))
  const type = arrayOf(kinds.includes('string') ? string : kinds.includes('double') ? double : long)
  return truth(compared(operator, asType(left, type), asType(right, type)))
}

/** The result with a null operand: a null with a type. */
function nullOf(left: Bound, right: Bound): Bound {
  const { kind } = (isNull(left) ? right : left).type
  if (kind === 'null') return nullNode
  return literal(nowhere, kind === 'string' ? string : kind === 'long' ? long : double, null)
}

/** The error of a division by zero; the runner turns it into a 400. */
const divisionByZero = sql`CAST(${failing('a long is divided by zero')} AS BIGINT)`

/** Division by zero fails, even if the dividend is null. */
export const longQuotient = ofBoth(
  (x, y) => sql`CASE WHEN ${y} = 0 THEN ${divisionByZero} ELSE ${cutQuotient(x, y, true)} END`,
)

export const longRemainder = ofBoth(
  (x, y) => sql`CASE WHEN ${y} = 0 THEN ${divisionByZero} WHEN ${y} = -1 THEN ${x} * 0 ELSE ${x} % ${y} END`,
)

const longPower = ofBoth(
  (x, y) => sql`CASE WHEN ${y} < 0 THEN CAST(${failing('a long is raised to a power below zero')} AS BIGINT)
        WHEN ${x} IS NOT NULL AND ${y} >= 0 THEN coalesce(TRY(CAST(CAST(pow(${x}, ${y}) AS HUGEINT) AS BIGINT)), 0) END`,
)

export const doubleQuotient = engineFunction(([a, b]) => divideDoubles(a!, b!))

const doubleRemainder = ofBoth(
  (
    x,
    y,
  ) => sql`CASE WHEN ${y} = 0 THEN ${x} * ${sql.double(Number.NaN)} WHEN isfinite(${x}) AND isfinite(${y}) THEN ${x} % ${y}
            WHEN isfinite(${x}) AND isinf(${y}) THEN ${x} ELSE ${x} * ${y} * ${sql.double(Number.NaN)} END`,
)

const others = {
  long: { '/': longQuotient, '%': longRemainder, '^': longPower },
  double: { '/': doubleQuotient, '%': doubleRemainder, '^': numbers.POW.fn },
}

function calculated(operator: BinaryOperator, type: SqlType, operands: readonly [Bound, Bound]): Bound {
  const kind = type.kind === 'long' ? 'long' : 'double'
  return operator === '/' || operator === '%' || operator === '^'
    ? called(
        nowhere,
        type,
        others[kind][operator],
        operands.map((operand) => asType(operand, type)),
      )
    : called(nowhere, type, arithmetic, operands, { operator: operator as NumberOperator })
}
