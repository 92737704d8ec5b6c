import { inOrder } from '../../../lib/sort-in-slices.ts'
import type { ResultBatch } from '../../series-store.ts'
import { compareKeys, keyAt, sameTags } from './field-accessor.ts'
import { orderByTime } from './order-by-time.ts'
import { orderWithin } from './order-within.ts'
import type { PickedRows } from './picked-rows.ts'
import { mayTie, type PlanRun } from './plan-run.ts'

/** The most rows of one batch of a result. */
export const batchRows = 4096

/**
 * Returns items as their time, tags, fields and metrics, ordered by time, tags, fields and position. The picks must come in the order of their
 * tags.
 */
export async function* itemBatches(run: PlanRun, picked: PickedRows): AsyncGenerator<ResultBatch> {
  const order = await orderItems(run, picked)
  const accessors = [{ kind: 'time', type: 'timestamp' } as const, ...run.tags, ...run.fields, ...run.metrics]
  for (let start = 0; start < picked.length; start += batchRows) {
    const end = Math.min(picked.length, start + batchRows)
    yield picked.batch(accessors, order, start, end)
    if (run.pacer.spend((end - start) * accessors.length)) await run.pacer.rest()
  }
}

async function orderItems(run: PlanRun, picked: PickedRows): Promise<Int32Array | null> {
  const times = picked.times
  const order = await orderByTime(times, run.pacer, run.memory.order)
  if (!mayTie(run)) return order
  const areSame = sameTags(run.tags)
  const placed = order ?? inOrder(picked.length)
  const same = (left: number, right: number): boolean =>
    times[left] === times[right] && areSame(picked.series(left), picked.series(right))
  await orderWithin(placed, same, (left, right) => compareItems(run, picked, left, right), run.pacer)
  return placed
}

function compareItems({ fields }: PlanRun, picked: PickedRows, left: number, right: number): number {
  const leftChunk = picked.chunk(left)
  const rightChunk = picked.chunk(right)
  for (const field of fields) {
    const leftKey = keyAt(field, leftChunk, picked.row(left), picked.series(left))
    const order = compareKeys(field, leftKey, keyAt(field, rightChunk, picked.row(right), picked.series(right)))
    if (order !== 0) return order
  }
  return leftChunk.positions[picked.row(left)] - rightChunk.positions[picked.row(right)]
}
