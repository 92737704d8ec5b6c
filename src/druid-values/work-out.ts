// What is worked out of a group: values and conditions, as the SQL engine has them.
// Tested by `test/druid-sql/planned.test.ts`.
import { compareCodePoints } from '../lib/compare-code-points.ts'
import { isMetBy } from '../lib/comparison-operator.ts'
import { roundedTo } from '../lib/rounded-to.ts'
import { compareNumbers } from '../lib/value-order.ts'
import type { GroupValue } from '../model/aggregation.ts'
import type { PlannedCondition, PlannedValue } from './planned-value.ts'

export type GroupRow = readonly GroupValue[]

/** Thrown where a value is for the SQL engine: it is beyond all doubles, or something is divided by zero. */
export class BeyondPlan extends Error {}

export function plannedValue(value: PlannedValue, group: GroupRow): GroupValue {
  switch (value.kind) {
    case 'cell':
      return finite(group[value.at]!)
    case 'constant':
    case 'text':
      return value.value
    case 'mean': {
      const count = Number(group[value.countAt])
      return count === 0 ? null : finite(Number(group[value.sumAt]) / count)
    }
    case 'constants':
      return sumOfConstants(value, group)
    case 'sumOrZero': {
      const sum = finite(group[value.sumAt]!)
      if (sum !== null || group[value.allAt] === group[value.passedAt]) return sum
      return value.type === 'long' ? 0n : 0
    }
    case 'negated': {
      const operand = numberOf(value.operand, group)
      return typeof operand === 'bigint' ? BigInt.asIntN(64, -operand) : operand === null ? null : -operand
    }
    case 'rounded': {
      const operand = numberOf(value.operand, group)
      return operand === null ? null : roundedTo(Number(operand), value.places)
    }
    case 'truth': {
      const is = holds(value.condition, group)
      return is === null ? null : is ? 1n : 0n
    }
    case 'unary':
      return changed(value.operator, numberOf(value.operand, group))
    case 'first':
      return firstOf(value, group)
    case 'choice': {
      const chosen = value.branches.find(({ when }) => holds(when, group) === true)
      return asType(value.type, chosen === undefined ? value.otherwise : chosen.value, group)
    }
    case 'safeQuotient': {
      const [left, right] = [numberOf(value.left, group), numberOf(value.right, group)]
      if (left === null || right === null) return null
      if (typeof left === 'bigint' && typeof right === 'bigint') return right === 0n ? null : ofLongs('/', left, right)
      if (Number(right) !== 0) return finite(Number(left) / Number(right))
      return Number(left) === 0 ? 0 : null
    }
    case 'arithmetic': {
      const [left, right] = [numberOf(value.left, group), numberOf(value.right, group)]
      // Of nothing too.
      if (value.type === 'long' && right === 0n && (value.operator === '/' || value.operator === '%'))
        throw new BeyondPlan()
      if (left === null || right === null) return null
      if (typeof left === 'bigint' && typeof right === 'bigint') return ofLongs(value.operator, left, right)
      return finite(ofDoubles(value.operator, Number(left), Number(right)))
    }
  }
}

function sumOfConstants(
  { type, allAt, passedAt, passed, others }: Extract<PlannedValue, { kind: 'constants' }>,
  group: GroupRow,
): GroupValue {
  const ofPassed = Number(group[passedAt])
  const ofOthers = Number(group[allAt]) - ofPassed
  if (ofPassed + (others === null ? 0 : ofOthers) === 0) return null
  const sum = ofPassed * passed + ofOthers * (others ?? 0)
  return type === 'long' ? BigInt(sum) : sum
}

/** A value where one of some type stands: a long may be a double there. Null is null. */
function asType(type: PlannedValue['type'], value: PlannedValue | null, group: GroupRow): GroupValue {
  const found = value === null ? null : plannedValue(value, group)
  return type === 'double' && typeof found === 'bigint' ? Number(found) : found
}

function firstOf({ type, values }: Extract<PlannedValue, { kind: 'first' }>, group: GroupRow): GroupValue {
  for (const value of values) {
    const found = asType(type, value, group)
    if (found !== null) return found
  }
  return null
}

type Change = Extract<PlannedValue, { kind: 'unary' }>['operator']

/** The rounded and the root are of doubles. */
function changed(operator: Change, operand: number | bigint | null): number | bigint | null {
  if (operand === null) return null
  switch (operator) {
    case 'long':
      return cut(Number(operand))
    case 'double':
      return Number(operand)
    case 'floor':
      return Math.floor(Number(operand))
    case 'ceil':
      return Math.ceil(Number(operand))
    case 'abs':
      if (typeof operand === 'number') return Math.abs(operand)
      return BigInt.asIntN(64, operand < 0n ? -operand : operand)
    case 'sqrt':
      return finite(Math.sqrt(Number(operand)))
  }
}

const [leastLong, greatestLong] = [-(2n ** 63n), 2n ** 63n - 1n]

function cut(value: number): bigint {
  const whole = BigInt(Math.trunc(value))
  return whole > greatestLong ? greatestLong : whole < leastLong ? leastLong : whole
}

function numberOf(value: PlannedValue, group: GroupRow): number | bigint | null {
  const found = plannedValue(value, group)
  if (typeof found === 'string') throw new Error('only numbers are calculated with')
  return found
}

type Operator = Extract<PlannedValue, { kind: 'arithmetic' }>['operator']

/** They go round beyond 64 bits. */
function ofLongs(operator: Operator, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return BigInt.asIntN(64, left + right)
    case '-':
      return BigInt.asIntN(64, left - right)
    case '*':
      return BigInt.asIntN(64, left * right)
    case '/':
      return BigInt.asIntN(64, left / right)
    case '%':
      return left % right
  }
}

function ofDoubles(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      throw new Error('remainders are of longs')
  }
}

function finite<Value extends GroupValue>(value: Value): Value {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new BeyondPlan()
  return value
}

/** Null is unknown. */
export function holds(condition: PlannedCondition, group: GroupRow): boolean | null {
  switch (condition.kind) {
    case 'and':
      return all(condition.conditions.map((one) => holds(one, group)))
    case 'or': {
      const isNone = all(condition.conditions.map((one) => not(holds(one, group))))
      return not(isNone)
    }
    case 'not':
      return not(holds(condition.condition, group))
    case 'null':
      return (plannedValue(condition.value, group) === null) !== condition.isNegated
    case 'compare': {
      const [left, right] = [plannedValue(condition.left, group), plannedValue(condition.right, group)]
      return left === null || right === null ? null : isMetBy(condition.operator, compared(left, right))
    }
  }
}

function compared(left: string | number | bigint, right: string | number | bigint): number {
  if (typeof left === 'string' && typeof right === 'string') return compareCodePoints(left, right)
  if (typeof left === 'string' || typeof right === 'string') throw new Error('only texts are compared with texts')
  return compareNumbers(left, right)
}

const not = (is: boolean | null): boolean | null => (is === null ? null : !is)

function all(parts: readonly (boolean | null)[]): boolean | null {
  if (parts.includes(false)) return false
  return parts.includes(null) ? null : true
}
