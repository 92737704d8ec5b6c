// What AND and OR put together, and what of it is a column or a constant.
import type { Expression } from '../parse/syntax.ts'

/** A comparison or a list in a condition, and whether it holds where the column has the value. */
export interface Leaf {
  readonly expression: Expression
  readonly isNegated: boolean
}

/** What an AND or an OR is made of, through others of its kind. */
export function leavesOf(expression: Expression, isNegated: boolean, isAny: boolean): readonly Leaf[] {
  if (expression.kind === 'not') return leavesOf(expression.operand, !isNegated, isAny)
  const isTrue = expression.kind === 'is' && expression.what === 'TRUE' && !expression.negated
  if (isTrue) return leavesOf(expression.operand, isNegated, isAny)
  if (expression.kind === 'logical' && ((expression.operator === 'OR') !== isNegated) === isAny)
    return expression.items.flatMap((item) => leavesOf(item, isNegated, isAny))
  return [{ expression, isNegated }]
}

const plainKinds: ReadonlySet<Expression['kind']> = new Set(['column', 'text', 'number', 'time'])

/** A column or a constant: binding it twice changes nothing. */
export function isPlain(expression: Expression): boolean {
  if (expression.kind === 'negate') return expression.operand.kind === 'number'
  return plainKinds.has(expression.kind)
}

/** The same of what is cast, and of calls. */
export function isPlainWithin(expression: Expression): boolean {
  if (expression.kind === 'cast') return isPlainWithin(expression.operand)
  if (expression.kind === 'call') return expression.filter === null && expression.operands.every(isPlainWithin)
  return isPlain(expression)
}
