// What AND and OR put together, and what of it is a column or a constant.
import type { Expression } from '../parse/syntax.ts'
import { type SoughtNumbers, soughtNumbers } from './column-filters.ts'
import type { Bound } from './tree.ts'

export type Bind = (expression: Expression) => Bound

/** A comparison or a list in a condition, and whether it holds where the column has the value. */
export interface Leaf {
  readonly expression: Expression
  readonly isNegated: boolean
}

export interface Group {
  readonly leaves: readonly Leaf[]
  /** Whether one of them suffices. */
  readonly isAny: boolean
}

/** What AND and OR put together in a condition, and within the leaves of that. */
export function groupsOf(expression: Expression, isNegated = false): readonly Group[] {
  if (expression.kind === 'not') return groupsOf(expression.operand, !isNegated)
  // Whichever side it is asked for, AND and OR of it turn round together.
  if (expression.kind === 'is') return groupsOf(expression.operand, isNegated)
  if (expression.kind !== 'logical') return []
  const isAny = (expression.operator === 'OR') !== isNegated
  const leaves = leavesOf(expression, isNegated, isAny)
  return [{ leaves, isAny }, ...leaves.flatMap((leaf) => groupsOf(leaf.expression, leaf.isNegated))]
}

/** What an AND or an OR is made of, through others of its kind. */
function leavesOf(expression: Expression, isNegated: boolean, isAny: boolean): readonly Leaf[] {
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
function isPlainWithin(expression: Expression): boolean {
  if (expression.kind === 'cast') return isPlainWithin(expression.operand)
  if (expression.kind === 'call') return expression.filter === null && expression.operands.every(isPlainWithin)
  return isPlain(expression)
}

/** The numbers that a column of texts is compared with. `bind` is asked for columns and constants alone. */
export function soughtIn(operand: Expression, items: readonly Expression[], bind: Bind): SoughtNumbers | null {
  if (!isPlainWithin(operand) || !items.every(isPlain)) return null
  return soughtNumbers(bind(operand), items.map(bind))
}
