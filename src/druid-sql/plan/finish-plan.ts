// What becomes of the groups that the store has made: values worked out, conditions, order and limits, as the SQL engine does them.

import { type AggregationPlan, type Groups, type GroupValue, valueOverNothing } from '../../algebra/aggregation.ts'
import { type Evaluator, evaluator } from '../../algebra/evaluate.ts'
import type { Pacer } from '../../lib/pacer.ts'
import { inOrder, sortInSlices } from '../../lib/sort-in-slices.ts'
import { comparingGroups } from '../../lib/value-order.ts'
import type { SqlPlan } from './sql-plan.ts'

type GroupRow = readonly GroupValue[]

/** The rows of the answer in their order. Throws BeyondPlan. */
export async function finishPlan(
  plan: SqlPlan,
  groups: Pick<Groups, 'rows'>,
  pacer: Pacer,
): Promise<readonly GroupRow[]> {
  const { outputs, having, order, offset, limit, isOneGroup, aggregation, steps } = plan
  const all = groups.rows.length === 0 && isOneGroup ? [noRows(aggregation)] : groups.rows
  const rows: GroupRow[] = []
  const keys: GroupRow[] = []
  const [evaluated, keysOf] = [outputs, order.map(({ value }) => value)].map((values) => values.map(evaluator))
  const passes = having === null ? null : evaluator(having)
  const cost = 4 * (outputs.length + order.length) + steps
  for (const group of all) {
    if (pacer.spend(cost)) await pacer.rest()
    const values = valuesOf(evaluated!, group)
    if (passes !== null && passes(group) !== true) continue
    rows.push(values)
    keys.push(valuesOf(keysOf!, group))
  }
  const sorted = await sortInSlices(inOrder(rows.length), 0, comparingGroups(keys, order), pacer)
  return Array.from(sorted.subarray(offset, limit === null ? rows.length : offset + limit), (place) => rows[place]!)
}

function noRows({ aggregates, keys }: AggregationPlan): GroupRow {
  return [0, ...keys.map(() => null), ...aggregates.map(valueOverNothing)]
}

/** No truth value is among them. */
const valuesOf = (evaluators: readonly Evaluator[], group: GroupRow): GroupRow =>
  evaluators.map((evaluate) => evaluate(group) as GroupValue)
