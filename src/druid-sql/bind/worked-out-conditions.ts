// Conditions of a column of texts that hold all numbers or none together, such as `s = 7 OR s <> 7`. Druid's planner makes "it is a number" of them, and no filter.
import { isMetBy, turnedRound } from '../../lib/comparison-operator.ts'
import type { Expression } from '../parse/syntax.ts'
import type { Bound } from './bound.ts'
import { type SoughtNumbers, soughtNumbers } from './column-filters.ts'
import { isPlain, isPlainWithin, type Leaf, leavesOf } from './condition-leaves.ts'

type Bind = (expression: Expression) => Bound

/** The comparisons and lists in a condition that the planner works out with those beside them. */
export function workedOutIn(expression: Expression, bind: Bind, isNegated = false): readonly Expression[] {
  if (expression.kind === 'not') return workedOutIn(expression.operand, bind, !isNegated)
  if (expression.kind === 'is') return workedOutIn(expression.operand, bind, isNegated)
  if (expression.kind !== 'logical') return []
  const isAny = (expression.operator === 'OR') !== isNegated
  const leaves = leavesOf(expression, isNegated, isAny)
  if (holdAllOrNone(leaves, isAny, bind)) return leaves.map((leaf) => leaf.expression)
  return leaves.flatMap((leaf) => workedOutIn(leaf.expression, bind, leaf.isNegated))
}

/** What a comparison or a list holds of the numbers of a column, by how a number is ordered to each of its own. */
interface Range extends SoughtNumbers {
  readonly holds: (orderTo: (number: number | bigint) => number) => boolean
}

function holdAllOrNone(leaves: readonly Leaf[], isAny: boolean, bind: Bind): boolean {
  const ranges = leaves.map((leaf) => rangeOf(leaf, bind))
  const known = ranges.filter((range) => range !== null)
  if (known.length < ranges.length || known.some(({ column }) => column !== known[0]!.column)) return false
  const numbers = [...new Set(known.flatMap((range) => range.numbers))].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  // A number of its own each, and one below, between and above them.
  return Array.from({ length: 2 * numbers.length + 1 }, (_, place) => place).every((place) => {
    const holds = ({ holds: isHeld }: Range): boolean =>
      isHeld((number) => Math.sign(place - (2 * numbers.indexOf(number) + 1)))
    return isAny ? known.some(holds) : !known.every(holds)
  })
}

function rangeOf({ expression, isNegated }: Leaf, bind: Bind): Range | null {
  const range = heldBy(expression, bind)
  return range === null || !isNegated ? range : { ...range, holds: (orderTo) => !range.holds(orderTo) }
}

function heldBy(expression: Expression, bind: Bind): Range | null {
  switch (expression.kind) {
    case 'comparison':
      return heldByComparison(expression, bind)
    case 'inList': {
      const sought = soughtIn(expression.operand, expression.items, bind)
      if (sought === null) return null
      return {
        ...sought,
        holds: (orderTo) => sought.numbers.some((number) => orderTo(number) === 0) !== expression.negated,
      }
    }
    case 'between':
      return heldByBetween(expression, bind)
    default:
      return null
  }
}

function heldByComparison(
  { left, operator, right }: Extract<Expression, { kind: 'comparison' }>,
  bind: Bind,
): Range | null {
  const ordered = soughtIn(left, [right], bind)
  if (ordered !== null) return { ...ordered, holds: (orderTo) => isMetBy(operator, orderTo(ordered.numbers[0]!)) }
  const turned = soughtIn(right, [left], bind)
  if (turned === null) return null
  return { ...turned, holds: (orderTo) => isMetBy(turnedRound[operator], orderTo(turned.numbers[0]!)) }
}

function heldByBetween(
  { operand, low, high, negated, symmetric }: Extract<Expression, { kind: 'between' }>,
  bind: Bind,
): Range | null {
  const sought = soughtIn(operand, [low, high], bind)
  if (sought === null) return null
  const [least, most] = sought.numbers
  return {
    ...sought,
    holds: (orderTo) => {
      const isBetween = orderTo(least!) >= 0 && orderTo(most!) <= 0
      const isTurned = symmetric && orderTo(most!) >= 0 && orderTo(least!) <= 0
      return (isBetween || isTurned) !== negated
    },
  }
}

function soughtIn(operand: Expression, items: readonly Expression[], bind: Bind): SoughtNumbers | null {
  if (!isPlainWithin(operand) || !items.every(isPlain)) return null
  return soughtNumbers(bind(operand), items.map(bind))
}
