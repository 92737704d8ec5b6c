import { resultTooLarge } from '../../limits.ts'
import type { ResultBatch } from '../../series-store.ts'
import type { Chunk } from '../head/chunk.ts'
import { itemBatches } from './item-batches.ts'
import type { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'

export interface LatestItem {
  readonly chunk: Chunk
  readonly row: number
  readonly series: number
}

export function isNewer(left: LatestItem, right: LatestItem): boolean {
  const leftMs = left.chunk.times[left.row]
  const rightMs = right.chunk.times[right.row]
  if (leftMs !== rightMs) return leftMs > rightMs
  return left.chunk.positions[left.row] > right.chunk.positions[right.row]
}

/** Each tag's newest item within the range. */
export async function* runLatest(fromMs: number, toMs: number, run: PlanRun): AsyncGenerator<ResultBatch> {
  const picked = await pickNewest(fromMs, toMs, run)
  yield* itemBatches(run, picked)
}

/** Picks each tag's newest item within the range, in the order of the tags. */
export async function pickNewest(fromMs: number, toMs: number, run: PlanRun): Promise<PickedRows> {
  const { series, bounds } = run.selected
  const picked = run.newPicks()
  let count = 0
  for (let group = 0; group + 1 < bounds.length; group++) {
    const newest = await newestOfAll(series.subarray(bounds[group], bounds[group + 1]), fromMs, toMs, run)
    if (newest === null) continue
    count++
    if (count <= run.limits.resultRows) picked.add(newest.chunk, newest.row, newest.series)
  }
  if (count > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, count)
  return picked
}

/** The newest item of several series within the range. */
export async function newestOfAll(
  series: Int32Array,
  fromMs: number,
  toMs: number,
  run: PlanRun,
): Promise<LatestItem | null> {
  let newest: LatestItem | null = null
  for (const one of series) {
    const item = await newestItem(one, fromMs, toMs, run)
    if (item !== null && (newest === null || isNewer(item, newest))) newest = item
    if (run.pacer.spend(4)) await run.pacer.rest()
  }
  return newest
}

/** The newest item of a series within the range. */
export async function newestItem(
  series: number,
  fromMs: number,
  toMs: number,
  run: PlanRun,
): Promise<LatestItem | null> {
  const prepared = run.source.prepare(series, run.pacer)
  if (prepared !== null) await prepared
  const item = newestNear(series, fromMs, toMs, run)
  return item === undefined ? newestOf(series, fromMs, toMs, run) : item
}

/** Reads only the newest rows, which usually include an item. Undefined if they do not, though older rows may. */
function newestNear(
  series: number,
  fromMs: number,
  toMs: number,
  { source, items }: PlanRun,
): LatestItem | null | undefined {
  let item: LatestItem | null | undefined = null
  source.backward(series, fromMs, toMs, (chunk, start, end) => {
    const row = items.last(chunk, start, end)
    item = row === -1 ? undefined : { chunk, row, series }
    return false
  })
  return item
}

async function newestOf(series: number, fromMs: number, toMs: number, run: PlanRun): Promise<LatestItem | null> {
  for (const { chunk, start, end } of run.source.runBackward(series, fromMs, toMs)) {
    const row = run.items.last(chunk, start, end)
    if (row !== -1) return { chunk, row, series }
    if (run.pacer.spend(end - start)) await run.pacer.rest()
  }
  return null
}
