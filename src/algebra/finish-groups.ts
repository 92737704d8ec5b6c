// Finishes the groups that the store has made: computes values and applies conditions, order and limits, as the SQL engine does.

import type { Pacer } from '../lib/pacer.ts'
import { inOrder, sortInSlices } from '../lib/sort-in-slices.ts'
import { comparingGroups, type ValueOrder } from '../lib/value-order.ts'
import { type AggregationPlan, type Groups, type GroupValue, valueOverNothing } from './aggregation.ts'
import { type Evaluator, evaluator } from './evaluate.ts'
import type { Scalar } from './scalar.ts'

export type GroupRow = readonly GroupValue[]

/** `value` refers to the same row as outputs do. */
export interface GroupOrder extends ValueOrder {
  readonly value: Scalar
}

export interface GroupFinish {
  readonly having: Scalar | null
  readonly order: readonly GroupOrder[]
  readonly offset: number
  /** Null for all. */
  readonly limit: number | null
}

export interface FinishedGroup {
  /** Its bucket, keys and aggregates. */
  readonly row: GroupRow
  /** One for each output. */
  readonly values: GroupRow
}

interface Asked extends GroupFinish {
  readonly aggregation: Pick<AggregationPlan, 'aggregates' | 'keys'>
  /** Evaluated over the row of a group, followed by the outputs before. */
  readonly outputs: readonly Scalar[]
  /** The number of values that are computed for each group, including intermediate ones. */
  readonly steps: number
  /** Whether there is a group even without rows, since there are no keys. */
  readonly isOneGroup: boolean
  /** Whether `limit` applies to each bucket. */
  readonly isByBucket: boolean
}

/** The groups of the result, in order. Throws BeyondPlan. */
export async function finishGroups(
  asked: Asked,
  groups: Pick<Groups, 'rows'>,
  pacer: Pacer,
): Promise<readonly FinishedGroup[]> {
  const { outputs, having, order, steps, isOneGroup } = asked
  const all = groups.rows.length === 0 && isOneGroup ? [emptyRow(asked)] : groups.rows
  const left: FinishedGroup[] = []
  const keys: GroupRow[] = []
  const evaluators = outputs.map(evaluator)
  const passes = having === null ? null : evaluator(having)
  const keysOf = order.map(({ value }) => evaluator(value))
  const cost = 4 * (outputs.length + order.length) + steps
  for (const row of all) {
    if (pacer.spend(cost)) await pacer.rest()
    // This includes rows that the condition excludes: the SQL engine handles results beyond the largest double in its own way.
    const cells = withOutputs(row, evaluators)
    if (passes !== null && passes(cells) !== true) continue
    left.push({ row, values: cells.slice(row.length) })
    keys.push(keysOf.map((keyOf) => keyOf(cells) as GroupValue))
  }
  return limited(asked, left, await sortInSlices(inOrder(left.length), 0, comparingGroups(keys, order), pacer))
}

/** The row of a group without rows. */
function emptyRow({ aggregation: { aggregates, keys } }: Pick<Asked, 'aggregation'>): GroupRow {
  return [0, ...keys.map(() => null), ...aggregates.map(valueOverNothing)]
}

/** The values of the outputs over no rows. Throws BeyondPlan. */
export function emptyValues(asked: Pick<Asked, 'aggregation' | 'outputs'>): GroupRow {
  const row = emptyRow(asked)
  return withOutputs(row, asked.outputs.map(evaluator)).slice(row.length)
}

/** The row of a group, followed by its outputs. Each output may use those before it. */
function withOutputs(row: GroupRow, evaluators: readonly Evaluator[]): GroupRow {
  const cells = [...row]
  // None of them is a boolean.
  for (const evaluate of evaluators) cells.push(evaluate(cells) as GroupValue)
  return cells
}

function limited(
  { offset, limit, isByBucket }: Asked,
  groups: readonly FinishedGroup[],
  order: Int32Array,
): FinishedGroup[] {
  const left: FinishedGroup[] = []
  let taken = 0
  let bucketMs: GroupValue | undefined
  for (const place of order.subarray(offset)) {
    const group = groups[place]!
    if (isByBucket && group.row[0] !== bucketMs) taken = 0
    bucketMs = group.row[0]
    if (limit === null || taken++ < limit) left.push(group)
    else if (!isByBucket) break
  }
  return left
}
