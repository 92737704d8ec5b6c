import type { SelectPlan } from '../../model/plan.ts'
import type { ResultBatch } from '../series-store.ts'
import { answerItems } from './answer-items.ts'
import type { Segment } from './chunk.ts'
import { resultTooLarge } from './limits.ts'
import { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'

interface SeriesSegments {
  readonly series: number
  readonly segments: readonly Segment[]
}

/** Each item in the range. */
export async function* runSelect(plan: SelectPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const found: SeriesSegments[] = []
  let rows = 0
  for (const series of run.selected.series) {
    const prepared = run.source.prepare(series, run.pacer)
    if (prepared !== null) await prepared
    const segments = run.source.run(series, plan.range.fromMs, plan.range.toMs)
    if (segments.length > 0) found.push({ series, segments })
    for (const segment of segments) rows += segment.end - segment.start
    if (run.pacer.spend(2 + segments.length * 4)) await run.pacer.rest()
  }
  if (rows > run.limits.resultRows) await countItems(found, run)
  yield* answerItems(run, await pickItems(found, run))
}

/** Refuses an answer over the limit before anything is gathered for it. */
async function countItems(found: readonly SeriesSegments[], { items, limits, pacer }: PlanRun): Promise<void> {
  let count = 0
  for (const { segments } of found) {
    for (const { chunk, start, end } of segments) {
      for (let row = start; row < end; row++) if (items.isItem(chunk, row)) count++
      if (pacer.spend(end - start)) await pacer.rest()
    }
  }
  if (count > limits.resultRows) throw resultTooLarge(limits.resultRows, count)
}

async function pickItems(found: readonly SeriesSegments[], { items, pacer }: PlanRun): Promise<PickedRows> {
  const picked = new PickedRows()
  for (const { series, segments } of found) {
    for (const { chunk, start, end } of segments) {
      for (let row = start; row < end; row++) if (items.isItem(chunk, row)) picked.add(chunk, row, series)
      if (pacer.spend(end - start)) await pacer.rest()
    }
  }
  return picked
}
