// What becomes of the groups that the store has made: values worked out, conditions, order and limits.

import { type Groups, type GroupValue, valueOverNothing } from '../../algebra/aggregation.ts'
import { type Evaluator, evaluator } from '../../algebra/evaluate.ts'
import type { Pacer } from '../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../lib/sort-in-slices.ts'
import { comparingGroups } from '../../lib/value-order.ts'
import type { NativePlan } from './native-plan.ts'

type GroupRow = readonly GroupValue[]

export interface FinishedRow {
  readonly bucketMs: number
  /** Whether it is of no rows at all, as far as the query asks. */
  readonly isEmpty: boolean
  /** By output. */
  readonly values: GroupRow
}

/** The rows of the answer in their order. Throws BeyondPlan. */
export async function finishGroups(
  plan: NativePlan,
  groups: Pick<Groups, 'rows'>,
  pacer: Pacer,
): Promise<readonly FinishedRow[]> {
  const { aggregation, outputs, steps, finish } = plan
  const isOneRow = aggregation.keys.length === 0 && aggregation.granularity.kind === 'all'
  const all = groups.rows.length === 0 && isOneRow ? [emptyRow(plan)] : groups.rows
  const left: FinishedRow[] = []
  const keys: GroupRow[] = []
  const evaluators = outputs.map(({ value }) => evaluator(value))
  const passes = finish.having === null ? null : evaluator(finish.having)
  const keysOf = finish.order.map(({ value }) => evaluator(value))
  const cost = 4 * (outputs.length + finish.order.length) + steps
  for (const row of all) {
    if (pacer.spend(cost)) await pacer.rest()
    // Of a row that the condition leaves out too: the SQL engine has its own way with what is beyond all doubles.
    const cells = withOutputs(row, evaluators)
    if (passes !== null && passes(cells) !== true) continue
    left.push({ bucketMs: Number(row[0]), isEmpty: row.at(-1) === 0n, values: cells.slice(row.length) })
    keys.push(keysOf.map((keyOf) => keyOf(cells) as GroupValue))
  }
  const order = await sortInSlices(inOrder(left.length), 0, comparingGroups(keys, finish.order), pacer)
  return limited(plan, left, order)
}

/** What is said of no rows at all. */
function emptyRow({ aggregation: { aggregates, keys } }: NativePlan): GroupRow {
  return [0, ...keys.map(() => null), ...aggregates.map(valueOverNothing)]
}

/** The values of the outputs over nothing. Throws BeyondPlan. */
export function emptyValues(plan: NativePlan): GroupRow {
  const row = emptyRow(plan)
  return withOutputs(
    row,
    plan.outputs.map(({ value }) => evaluator(value)),
  ).slice(row.length)
}

/** The row of a group and its outputs behind it, each from those before. */
function withOutputs(row: GroupRow, evaluators: readonly Evaluator[]): GroupRow {
  const cells = [...row]
  // No truth value is among them.
  for (const evaluate of evaluators) cells.push(evaluate(cells) as GroupValue)
  return cells
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
