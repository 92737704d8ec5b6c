import type { ResultBatch } from '../series-store.ts'
import { answerItems } from './answer-items.ts'
import type { Chunk } from './chunk.ts'
import { resultTooLarge } from './limits.ts'
import { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'

interface Item {
  readonly chunk: Chunk
  readonly row: number
  readonly series: number
}

export function isNewer(left: Item, right: Item): boolean {
  const leftMs = left.chunk.times[left.row]
  const rightMs = right.chunk.times[right.row]
  if (leftMs !== rightMs) return leftMs > rightMs
  return left.chunk.positions[left.row] > right.chunk.positions[right.row]
}

/** Each tag's newest item within the range. */
export async function* runLatest(fromMs: number, toMs: number, run: PlanRun): AsyncGenerator<ResultBatch> {
  const picked = await pickNewest(fromMs, toMs, run)
  yield* answerItems(run, picked)
}

/** Picks each tag's newest item within the range, in the order of the tags. */
export async function pickNewest(fromMs: number, toMs: number, run: PlanRun): Promise<PickedRows> {
  const { series, bounds } = run.selected
  const picked = new PickedRows()
  let count = 0
  for (let group = 0; group + 1 < bounds.length; group++) {
    let newest: Item | null = null
    for (let index = bounds[group]; index < bounds[group + 1]; index++) {
      const prepared = run.source.prepare(series[index], run.pacer)
      if (prepared !== null) await prepared
      const item = newestOf(series[index], fromMs, toMs, run)
      if (item !== null && (newest === null || isNewer(item, newest))) newest = item
      if (run.pacer.spend(4)) await run.pacer.rest()
    }
    if (newest === null) continue
    count++
    if (count <= run.limits.resultRows) picked.add(newest.chunk, newest.row, newest.series)
  }
  if (count > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, count)
  return picked
}

function newestOf(series: number, fromMs: number, toMs: number, { source, items, pacer }: PlanRun): Item | null {
  let item: Item | null = null
  source.backward(series, fromMs, toMs, (chunk, start, end) => {
    const row = items.last(chunk, start, end)
    // The time of a walk over many nulls counts, though it ends before the pacer can rest.
    pacer.spend(row === -1 ? end - start : 0)
    if (row !== -1) item = { chunk, row, series }
    return row === -1
  })
  return item
}
