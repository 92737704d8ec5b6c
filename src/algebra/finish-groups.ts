// What becomes of the groups that the store has made: values worked out, conditions, order and limits, as the SQL engine does them.

import type { Pacer } from '../lib/pacer.ts'
import { inOrder, sortInSlices } from '../lib/sort-in-slices.ts'
import { comparingGroups, type ValueOrder } from '../lib/value-order.ts'
import { type AggregationPlan, type Groups, type GroupValue, valueOverNothing } from './aggregation.ts'
import { type Evaluator, evaluator } from './evaluate.ts'
import type { Scalar } from './scalar.ts'

export type GroupRow = readonly GroupValue[]

/** Its values are as those of outputs. */
export interface GroupOrder extends ValueOrder {
  readonly value: Scalar
}

export interface GroupFinish {
  readonly having: Scalar | null
  readonly order: readonly GroupOrder[]
  readonly offset: number
  /** Null is all. */
  readonly limit: number | null
}

export interface FinishedGroup {
  /** Its bucket, its keys, its aggregates. */
  readonly row: GroupRow
  /** By output. */
  readonly values: GroupRow
}

interface Asked extends GroupFinish {
  readonly aggregation: Pick<AggregationPlan, 'aggregates' | 'keys'>
  /** Over the row of a group, and the outputs that come before, behind it. */
  readonly outputs: readonly Scalar[]
  /** How many values are worked out of each group, those in between too. */
  readonly steps: number
  /** Whether there is a group of no rows too: nothing is grouped by. */
  readonly isOneGroup: boolean
  /** Whether `limit` is that of each bucket. */
  readonly isByBucket: boolean
}

/** The groups of the answer in their order. Throws BeyondPlan. */
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
    // Of a row that the condition leaves out too: the SQL engine has its own way with what is beyond all doubles.
    const cells = withOutputs(row, evaluators)
    if (passes !== null && passes(cells) !== true) continue
    left.push({ row, values: cells.slice(row.length) })
    keys.push(keysOf.map((keyOf) => keyOf(cells) as GroupValue))
  }
  return limited(asked, left, await sortInSlices(inOrder(left.length), 0, comparingGroups(keys, order), pacer))
}

/** What is said of no rows at all. */
function emptyRow({ aggregation: { aggregates, keys } }: Pick<Asked, 'aggregation'>): GroupRow {
  return [0, ...keys.map(() => null), ...aggregates.map(valueOverNothing)]
}

/** The values of the outputs over nothing. Throws BeyondPlan. */
export function emptyValues(asked: Pick<Asked, 'aggregation' | 'outputs'>): GroupRow {
  const row = emptyRow(asked)
  return withOutputs(row, asked.outputs.map(evaluator)).slice(row.length)
}

/** The row of a group and its outputs behind it, each from those before. */
function withOutputs(row: GroupRow, evaluators: readonly Evaluator[]): GroupRow {
  const cells = [...row]
  // No truth value is among them.
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
