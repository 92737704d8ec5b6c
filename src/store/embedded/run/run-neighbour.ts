import type { NeighbourPlan } from '../../../model/plan.ts'
import { resultTooLarge } from '../../limits.ts'
import type { ResultBatch } from '../../series-store.ts'
import type { RowSlice } from '../head/chunk.ts'
import { SeriesWalk } from '../reading/series-walk.ts'
import { itemBatches } from './item-batches.ts'
import type { PlanRun } from './plan-run.ts'
import { isNewer } from './run-latest.ts'

/** Each tag's item before (`last`) or after (`next`) the date, nearest first, after skipping `offset` of them. */
export async function* runNeighbour(plan: NeighbourPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const { series, bounds } = run.selected
  const picked = run.newPicks()
  let count = 0
  for (let group = 0; group + 1 < bounds.length; group++) {
    const walks: SeriesWalk[] = []
    for (let index = bounds[group]; index < bounds[group + 1]; index++) {
      const prepared = run.source.prepare(series[index], run.pacer)
      if (prepared !== null) await prepared
      const walk = plan.kind === 'next' ? walkForward(plan, series[index], run) : walkBackward(plan, series[index], run)
      if (walk.isSeeking) await walk.seek(run.pacer)
      walks.push(walk)
      if (run.pacer.spend(8)) await run.pacer.rest()
    }
    const found = await nearest(plan, walks, run)
    if (found === null) continue
    count++
    if (count <= run.limits.resultRows) picked.add(found.chunk, found.row, found.series)
  }
  if (count > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, count)
  yield* itemBatches(run, picked)
}

function walkForward(plan: NeighbourPlan, series: number, { source, items }: PlanRun): SeriesWalk {
  const slices = source.run(series, afterMs(plan.dateMs), Number.POSITIVE_INFINITY)
  return new SeriesWalk(series, items, slices, 1)
}

function walkBackward(plan: NeighbourPlan, series: number, { source, items }: PlanRun): SeriesWalk {
  const toMs = beforeMs(plan.dateMs)
  if (plan.offset > 0)
    return new SeriesWalk(series, items, source.runBackward(series, Number.NEGATIVE_INFINITY, toMs), -1)
  // The newest rows usually include the item. They are read directly, without the overhead of a walk that can rest.
  let found: RowSlice | null = null
  source.backward(series, Number.NEGATIVE_INFINITY, toMs, (chunk, start, end) => {
    if (items.last(chunk, start, end) !== -1) found = { chunk, start, end }
    return false
  })
  const slices = found === null ? source.runBackward(series, Number.NEGATIVE_INFINITY, toMs) : [found]
  return new SeriesWalk(series, items, slices, -1)
}

// Dates are whole milliseconds.
function beforeMs(ms: number): number {
  return Math.ceil(ms) - 1
}

function afterMs(ms: number): number {
  return Math.floor(ms) + 1
}

/** Walks through the items of several series as if they were one, until `offset` items are skipped. */
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
    if (best.isSeeking) await best.seek(pacer)
    if (pacer.spend(walks.length)) await pacer.rest()
  }
}
