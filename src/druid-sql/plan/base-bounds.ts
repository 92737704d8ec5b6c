// Bounds of what is computed from one column, as bounds of the column: `V * 1.8 + 32 > 140` is `V >= 60.00000000000001`. Each step rounds, but
// it keeps the order of numbers or reverses it, so the column's bound is found by halving. It is exact: the two say the same of each double.
import type { EntityField } from '../../model/entity.ts'
import type { ValueBounds } from '../../model/row-condition.ts'
import { isComputed, type RowValue } from '../../model/row-value.ts'

interface BaseBounds {
  readonly field: EntityField
  readonly bounds: ValueBounds<number>
}

interface Steps {
  readonly field: EntityField
  readonly rises: boolean
  readonly of: (value: number) => number
}

/** Null where the value has no such column, or no number is as near as the bound. */
export function baseBounds(value: RowValue, bounds: ValueBounds<number>): BaseBounds | null {
  const steps = stepsOf(value)
  if (steps === null || value.kind === 'field') return null
  const { lower, upper, isLowerOpen, isUpperOpen } = bounds
  const isAbove = (one: number): boolean =>
    lower === null || (isLowerOpen ? steps.of(one) > lower : steps.of(one) >= lower)
  const isBelow = (one: number): boolean =>
    upper === null || (isUpperOpen ? steps.of(one) < upper : steps.of(one) <= upper)
  const [meetsLow, meetsHigh] = steps.rises ? [isAbove, isBelow] : [isBelow, isAbove]
  const [hasLow, hasHigh] = steps.rises ? [lower !== null, upper !== null] : [upper !== null, lower !== null]
  const low = hasLow ? firstOf(meetsLow) : null
  const high = hasHigh ? lastOf(meetsHigh) : null
  if (low === undefined || high === undefined) return null
  return { field: steps.field, bounds: { lower: low, upper: high, isLowerOpen: false, isUpperOpen: false } }
}

/** A chain of `+`, `-`, `*` and `/` of a column of doubles and constants. */
function stepsOf(value: RowValue): Steps | null {
  if (value.kind === 'field') {
    const isBase = value.field.type === 'double' && !isComputed(value.field)
    return isBase ? { field: value.field, rises: true, of: (one) => one } : null
  }
  if (value.kind !== 'arithmetic' || value.type !== 'double') return null
  const { operator, left, right } = value
  if (right.kind === 'number') return withRight(operator, stepsOf(left), right.value)
  return left.kind === 'number' ? withLeft(operator, left.value, stepsOf(right)) : null
}

type Operator = Extract<RowValue, { kind: 'arithmetic' }>['operator']

function withRight(operator: Operator, steps: Steps | null, constant: number): Steps | null {
  if (steps === null) return null
  const { field, rises, of } = steps
  switch (operator) {
    case '+':
      return { field, rises, of: (one) => of(one) + constant }
    case '-':
      return { field, rises, of: (one) => of(one) - constant }
    case '*':
      return constant === 0 ? null : { field, rises: rises === constant > 0, of: (one) => of(one) * constant }
    case '/':
      return constant === 0 ? null : { field, rises: rises === constant > 0, of: (one) => of(one) / constant }
    case '%':
      return null
  }
}

function withLeft(operator: Operator, constant: number, steps: Steps | null): Steps | null {
  if (steps === null || operator === '/') return null
  if (operator !== '-') return withRight(operator, steps, constant)
  return { ...steps, rises: !steps.rises, of: (one) => constant - steps.of(one) }
}

const bits = new DataView(new ArrayBuffer(8))

/** Doubles in their order, by whole numbers. */
function doubleAt(place: bigint): number {
  bits.setBigInt64(0, place >= 0n ? place : BigInt.asIntN(64, -(2n ** 63n) - place - 1n))
  return bits.getFloat64(0)
}

bits.setFloat64(0, Number.MAX_VALUE)
const lastPlace = bits.getBigInt64(0)
const firstPlace = -lastPlace - 1n

/** The least double that meets a condition which all greater ones meet; undefined where all do, or none. */
function firstOf(meets: (value: number) => boolean): number | undefined {
  return edge(firstPlace, lastPlace, meets)
}

/** The greatest double that meets a condition which all lesser ones meet; undefined where all do, or none. */
function lastOf(meets: (value: number) => boolean): number | undefined {
  return edge(lastPlace, firstPlace, meets)
}

/** The double that meets the condition and is next to one that does not. */
function edge(fromPlace: bigint, toPlace: bigint, meets: (value: number) => boolean): number | undefined {
  let [outside, inside] = [fromPlace, toPlace]
  if (meets(doubleAt(outside)) || !meets(doubleAt(inside))) return undefined
  while (inside - outside > 1n || outside - inside > 1n) {
    const middle = (outside + inside) >> 1n
    if (meets(doubleAt(middle))) inside = middle
    else outside = middle
  }
  // There is one zero.
  return doubleAt(inside) + 0
}
