import type { SelectPlan } from '../../../model/plan.ts'
import type { ResultBatch } from '../../series-store.ts'
import { answerItems } from './answer-items.ts'
import { resultTooLarge } from './limits.ts'
import type { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'

/** Beyond the limit, rows are only counted, and this many times the limit at most: a refusal must not cost more than an answer. */
const countedRowsFactor = 16

/** Each item in the range. */
export async function* runSelect(plan: SelectPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  yield* answerItems(run, await pickItems(plan, run))
}

async function pickItems(plan: SelectPlan, run: PlanRun): Promise<PickedRows> {
  const { source, selected, items, limits, pacer } = run
  let picked = run.newPicks()
  let count = 0
  let rows = 0
  for (const series of selected.series) {
    const prepared = source.prepare(series, pacer)
    if (prepared !== null) await prepared
    for (const segment of source.run(series, plan.range.fromMs, plan.range.toMs)) {
      if (count > limits.resultRows) count += items.count(segment)
      else {
        picked.addItems(segment, series, items)
        count = picked.length
        if (count > limits.resultRows) picked = run.newPicks()
      }
      rows += segment.end - segment.start
      if (rows > limits.resultRows * countedRowsFactor && count > limits.resultRows)
        throw resultTooLarge(limits.resultRows, null)
      if (pacer.spend(segment.end - segment.start)) await pacer.rest()
    }
    if (pacer.spend(2)) await pacer.rest()
  }
  if (count > limits.resultRows) throw resultTooLarge(limits.resultRows, count)
  return picked
}
