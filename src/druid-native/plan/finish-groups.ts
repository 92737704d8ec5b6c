// What becomes of the groups that the store has made: values worked out, conditions, order and limits.

import { BeyondPlan, plannedValue } from '../../druid-values/work-out.ts'
import type { Pacer } from '../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../lib/sort-in-slices.ts'
import { compareNumbers, comparingGroups } from '../../lib/value-order.ts'
import { type Groups, type GroupValue, valueOverNothing } from '../../model/aggregation.ts'
import type { GroupCondition, GroupExpression, NativePlan } from './native-plan.ts'

type GroupRow = readonly GroupValue[]

export interface FinishedRow {
  readonly bucketMs: number
  /** Whether it is of no rows at all, as far as the query asks. */
  readonly isEmpty: boolean
  /** By output. */
  readonly values: GroupRow
}

/** The rows of the answer in their order; null where a value is for the SQL engine: beyond all doubles, or divided by zero. */
export async function finishGroups(
  plan: NativePlan,
  groups: Pick<Groups, 'rows'>,
  pacer: Pacer,
): Promise<readonly FinishedRow[] | null> {
  try {
    return await finished(plan, groups, pacer)
  } catch (error) {
    if (error instanceof BeyondPlan) return null
    throw error
  }
}

async function finished(
  plan: NativePlan,
  groups: Pick<Groups, 'rows'>,
  pacer: Pacer,
): Promise<readonly FinishedRow[] | null> {
  const { aggregation, outputs, steps, finish } = plan
  const isOneRow = aggregation.keys.length === 0 && aggregation.granularity.kind === 'all'
  const all = groups.rows.length === 0 && isOneRow ? [emptyRow(plan)] : groups.rows
  const left: FinishedRow[] = []
  const keys: GroupValue[][] = []
  let isBeyond = false
  const cost = 4 * (outputs.length + finish.order.length) + steps
  for (const row of all) {
    if (pacer.spend(cost)) await pacer.rest()
    const values = outputValues(plan, row)
    // Of a row that the condition leaves out too: the SQL engine has its own way with it there.
    isBeyond ||= values.some((value) => typeof value === 'number' && !Number.isFinite(value))
    if (finish.having !== null && !holds(finish.having, row, values)) continue
    left.push({ bucketMs: Number(row[0]), isEmpty: row.at(-1) === 0n, values })
    keys.push(finish.order.map(({ value }) => evaluated(value, row, values)))
  }
  if (isBeyond) return null
  const order = await sortInSlices(inOrder(left.length), 0, comparingGroups(keys, finish.order), pacer)
  return limited(plan, left, order)
}

/** What is said of no rows at all. */
function emptyRow({ aggregation: { aggregates, keys } }: NativePlan): GroupRow {
  return [0, ...keys.map(() => null), ...aggregates.map(valueOverNothing)]
}

/** The values of the outputs over nothing; null where the SQL engine has its own way with them. */
export function emptyValues(plan: NativePlan): GroupRow | null {
  try {
    return outputValues(plan, emptyRow(plan))
  } catch (error) {
    if (error instanceof BeyondPlan) return null
    throw error
  }
}

/** The values of the outputs, each from the row and from those before it. */
function outputValues({ outputs }: NativePlan, row: GroupRow): GroupRow {
  const values: GroupValue[] = []
  for (const { value } of outputs) values.push(evaluated(value, row, values))
  return values
}

function limited({ finish }: NativePlan, rows: readonly FinishedRow[], order: Int32Array): FinishedRow[] {
  const { offset, limit, isByBucket } = finish
  const left: FinishedRow[] = []
  let taken = 0
  let bucketMs = Number.NaN
  for (const place of order.subarray(offset)) {
    const row = rows[place]!
    if (isByBucket && row.bucketMs !== bucketMs) taken = 0
    bucketMs = row.bucketMs
    if (limit === null || taken++ < limit) left.push(row)
    else if (!isByBucket) break
  }
  return left
}

function evaluated(expression: GroupExpression, row: GroupRow, values: GroupRow): GroupValue {
  switch (expression.kind) {
    case 'cell':
      return row[expression.at]!
    case 'cut': {
      const text = row[expression.at]!
      const isShort = text === null || String(text).length <= expression.characters
      return isShort ? text : Array.from(String(text)).slice(0, expression.characters).join('')
    }
    case 'output':
      return values[expression.at]!
    case 'double':
      return doubleOf(evaluated(expression.value, row, values))
    case 'constant':
      return expression.value
    case 'workedOut':
      return plannedValue(expression.value, values)
    case 'mean': {
      const count = Number(row[expression.countAt])
      return count === 0 ? 0 : Number(row[expression.sumAt]) / count
    }
    case 'arithmetic':
      return expression.fields
        .map((field) => doubleOf(evaluated(field, row, values)))
        .reduce((left, right) => calculated(expression.fn, left, right))
  }
}

const doubleOf = (value: GroupValue): number | null => (value === null ? null : Number(value))

function calculated(fn: '+' | '-' | '*' | '/', left: number | null, right: number | null): number | null {
  if (left === null || right === null) return null
  switch (fn) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return right === 0 ? 0 : left / right
  }
}

function holds(condition: GroupCondition, row: GroupRow, values: GroupRow): boolean {
  switch (condition.kind) {
    case 'always':
      return true
    case 'and':
      return condition.conditions.every((one) => holds(one, row, values))
    case 'or':
      return condition.conditions.some((one) => holds(one, row, values))
    case 'not':
      return !holds(condition.condition, row, values)
    case 'compare': {
      const value = evaluated(condition.value, row, values)
      const { constant, operator } = condition
      if (constant === null) return operator === '=' && value === null
      if (value === null || typeof value === 'string') return false
      const order = compareNumbers(value, constant)
      return operator === '>' ? order > 0 : operator === '<' ? order < 0 : order === 0
    }
  }
}
