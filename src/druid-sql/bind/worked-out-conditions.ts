// Conditions of a column of texts that hold all numbers or none together, such as `s = 7 OR s <> 7`. Druid's planner makes "it is a number" of them, and no filter.
import { isMetBy, turnedRound } from '../../lib/comparison-operator.ts'
import type { Expression } from '../parse/syntax.ts'
import type { SoughtNumbers } from './column-filters.ts'
import { type Bind, type Group, type Leaf, soughtIn } from './condition-leaves.ts'

/** Longer conditions are filters: to look at each number in each part of them would take seconds. */
const partsMax = 1000

/** Where a number stands in the order of all that a condition names. */
type PlaceOf = (number: number | bigint) => number
type HoldsAt = (place: number) => boolean

/** What a comparison or a list holds of the numbers of a column. */
interface Range extends SoughtNumbers {
  readonly holds: (placeOf: PlaceOf) => HoldsAt
}

/** Whether the planner works out the comparisons and lists that stand together, because they hold all numbers or none. */
export function isWorkedOut({ leaves, isAny }: Group, bind: Bind): boolean {
  if (leaves.length > partsMax) return false
  const ranges = leaves.map((leaf) => rangeOf(leaf, bind))
  const known = ranges.filter((range) => range !== null)
  const [first] = known
  if (known.length < ranges.length || known.some((range) => !isOfOne(range, first!))) return false
  const named = [...new Set(known.flatMap((range) => range.numbers))]
  if (named.length > partsMax) return false
  // A place of its own for each number, and one below, between and above them.
  const places = new Map(
    named.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((number, at) => [number, 2 * at + 1]),
  )
  const holds = known.map((range) => range.holds((number) => places.get(number)!))
  return Array.from({ length: 2 * named.length + 1 }, (_, place) => place).every((place) =>
    isAny ? holds.some((holdsAt) => holdsAt(place)) : !holds.every((holdsAt) => holdsAt(place)),
  )
}

const isOfOne = (one: Range, other: Range): boolean =>
  one.column === other.column && one.comparedAs === other.comparedAs

function rangeOf({ expression, isNegated }: Leaf, bind: Bind): Range | null {
  const range = heldBy(expression, bind)
  if (range === null || !isNegated) return range
  const holds = (placeOf: PlaceOf): HoldsAt => {
    const holdsAt = range.holds(placeOf)
    return (place) => !holdsAt(place)
  }
  return { ...range, holds }
}

function heldBy(expression: Expression, bind: Bind): Range | null {
  switch (expression.kind) {
    case 'comparison':
      return heldByComparison(expression, bind)
    case 'inList': {
      const sought = soughtIn(expression.operand, expression.items, bind)
      return sought && { ...sought, holds: (placeOf) => isAmong(sought.numbers.map(placeOf), expression.negated) }
    }
    case 'between':
      return heldByBetween(expression, bind)
    default:
      return null
  }
}

function isAmong(places: readonly number[], isNegated: boolean): HoldsAt {
  const own = new Set(places)
  return (place) => own.has(place) !== isNegated
}

function heldByComparison(
  { left, operator, right }: Extract<Expression, { kind: 'comparison' }>,
  bind: Bind,
): Range | null {
  const ordered = soughtIn(left, [right], bind)
  const sought = ordered ?? soughtIn(right, [left], bind)
  if (sought === null) return null
  const met = ordered === null ? turnedRound[operator] : operator
  return {
    ...sought,
    holds(placeOf) {
      const own = placeOf(sought.numbers[0]!)
      return (place) => isMetBy(met, Math.sign(place - own))
    },
  }
}

function heldByBetween(
  { operand, low, high, negated, symmetric }: Extract<Expression, { kind: 'between' }>,
  bind: Bind,
): Range | null {
  const sought = soughtIn(operand, [low, high], bind)
  if (sought === null) return null
  return {
    ...sought,
    holds(placeOf) {
      const [from, to] = sought.numbers.map(placeOf) as [number, number]
      const isTurned = symmetric && from > to
      const [least, most] = isTurned ? [to, from] : [from, to]
      return (place) => (place >= least && place <= most) !== negated
    },
  }
}
