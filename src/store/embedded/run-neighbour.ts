import type { NeighbourPlan } from '../../model/plan.ts'
import type { ResultBatch } from '../series-store.ts'
import { answerItems } from './answer-items.ts'
import type { Segment } from './chunk.ts'
import { resultTooLarge } from './limits.ts'
import { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'
import { isNewer } from './run-latest.ts'
import { SeriesWalk } from './series-walk.ts'

/** Each tag's item before (`last`) or after (`next`) the date, nearest first, after skipping `offset` of them. */
export async function* runNeighbour(plan: NeighbourPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const { series, bounds } = run.selected
  const picked = new PickedRows()
  let count = 0
  for (let group = 0; group + 1 < bounds.length; group++) {
    const walks: SeriesWalk[] = []
    for (let index = bounds[group]; index < bounds[group + 1]; index++) {
      const prepared = run.source.prepare(series[index], run.pacer)
      if (prepared !== null) await prepared
      walks.push(walkFrom(plan, series[index], run))
      if (run.pacer.spend(8)) await run.pacer.rest()
    }
    const found = await nearest(plan, walks, run)
    if (found === null) continue
    count++
    if (count <= run.limits.resultRows) picked.add(found.chunk, found.row, found.series)
  }
  if (count > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, count)
  yield* answerItems(run, picked)
}

function walkFrom(plan: NeighbourPlan, series: number, { source, items }: PlanRun): SeriesWalk {
  if (plan.kind === 'next') {
    const segments = source.run(series, afterMs(plan.dateMs), Number.POSITIVE_INFINITY)
    return new SeriesWalk(series, items, [...segments], 1)
  }
  // Newest first, and no more than can be needed: a row more than are skipped, as long as all of them are items.
  const segments: Segment[] = []
  let found = 0
  source.backward(series, Number.NEGATIVE_INFINITY, beforeMs(plan.dateMs), (chunk, start, end) => {
    segments.push({ chunk, start, end })
    for (let row = end - 1; row >= start && found <= plan.offset; row--) if (items.isItem(chunk, row)) found++
    return found <= plan.offset
  })
  return new SeriesWalk(series, items, segments, -1)
}

// Dates are whole milliseconds.
function beforeMs(ms: number): number {
  return Math.ceil(ms) - 1
}

function afterMs(ms: number): number {
  return Math.floor(ms) + 1
}

/** Goes through the items of several series as if they were one, up to the one that is asked for. */
async function nearest(plan: NeighbourPlan, walks: SeriesWalk[], { pacer }: PlanRun): Promise<SeriesWalk | null> {
  const backwards = plan.kind === 'last'
  for (let skipped = 0; ; skipped++) {
    let best: SeriesWalk | null = null
    for (const walk of walks) {
      if (walk.row === -1) continue
      if (best === null || isNewer(walk, best) === backwards) best = walk
    }
    if (best === null || skipped === plan.offset) return best
    best.advance()
    if (pacer.spend(walks.length)) await pacer.rest()
  }
}
