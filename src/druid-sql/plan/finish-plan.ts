// What becomes of the groups that the store has made: values worked out, conditions, order and limits, as the SQL engine does them.

import type { Pacer } from '../../lib/pacer.ts'
import { roundedTo } from '../../lib/rounded-to.ts'
import { inOrder, sortInSlices } from '../../lib/sort-in-slices.ts'
import { compareNumbers, comparingGroups } from '../../lib/value-order.ts'
import { type AggregationPlan, type Groups, type GroupValue, valueOverNothing } from '../../model/aggregation.ts'
import { isMetBy } from '../parse/comparison-operator.ts'
import type { PlannedCondition, PlannedValue, SqlPlan } from './sql-plan.ts'

type GroupRow = readonly GroupValue[]

/** Thrown where a value is for the SQL engine: it is beyond all doubles, or something is divided by zero. */
class BeyondPlan extends Error {}

/** The rows of the answer in their order; null where the SQL engine has to make them. */
export async function finishPlan(
  plan: SqlPlan,
  groups: Pick<Groups, 'rows'>,
  pacer: Pacer,
): Promise<readonly GroupRow[] | null> {
  try {
    return await finished(plan, groups.rows, pacer)
  } catch (error) {
    if (error instanceof BeyondPlan) return null
    throw error
  }
}

async function finished(plan: SqlPlan, groups: readonly GroupRow[], pacer: Pacer): Promise<readonly GroupRow[]> {
  const { outputs, having, order, offset, limit, isOneGroup, aggregation } = plan
  const all = groups.length === 0 && isOneGroup ? [noRows(aggregation)] : groups
  const rows: GroupRow[] = []
  const keys: GroupRow[] = []
  const cost = 4 * (outputs.length + order.length)
  for (const group of all) {
    if (pacer.spend(cost)) await pacer.rest()
    const values = outputs.map((output) => plannedValue(output, group))
    if (having !== null && holds(having, group) !== true) continue
    rows.push(values)
    keys.push(order.map(({ value }) => plannedValue(value, group)))
  }
  const sorted = await sortInSlices(inOrder(rows.length), 0, comparingGroups(keys, order), pacer)
  return Array.from(sorted.subarray(offset, limit === null ? rows.length : offset + limit), (place) => rows[place]!)
}

function noRows({ aggregates, keys }: AggregationPlan): GroupRow {
  return [0, ...keys.map(() => null), ...aggregates.map(valueOverNothing)]
}

function plannedValue(value: PlannedValue, group: GroupRow): GroupValue {
  switch (value.kind) {
    case 'cell':
      return finite(group[value.at]!)
    case 'constant':
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
    case 'arithmetic': {
      const [left, right] = [numberOf(value.left, group), numberOf(value.right, group)]
      // Of nothing too.
      if (value.type === 'long' && value.operator === '/' && right === 0n) throw new BeyondPlan()
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
  }
}

function finite<Value extends GroupValue>(value: Value): Value {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new BeyondPlan()
  return value
}

/** Null is unknown. */
function holds(condition: PlannedCondition, group: GroupRow): boolean | null {
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
      const [left, right] = [numberOf(condition.left, group), numberOf(condition.right, group)]
      return left === null || right === null ? null : isMetBy(condition.operator, compareNumbers(left, right))
    }
  }
}

const not = (is: boolean | null): boolean | null => (is === null ? null : !is)

function all(parts: readonly (boolean | null)[]): boolean | null {
  if (parts.includes(false)) return false
  return parts.includes(null) ? null : true
}
