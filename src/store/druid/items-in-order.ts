import { inOrder, sortInSlices } from '../../lib/sort-in-slices.ts'
import type { Range, Selection } from '../../model/plan.ts'
import type { DruidRun } from './druid-run.ts'
import { items } from './selected-items.ts'

/** An item as read: its time, tags and fields, metrics, position. */
export type Row = readonly unknown[]

/** The items of a window, sorted by time, then position. All of them are in memory. */
export async function itemsInOrder(selection: Selection, window: Range, run: DruidRun): Promise<readonly Row[]> {
  const rows: Row[] = []
  for await (const part of items({ selection, ranges: [window], filter: null, limit: null }, run)) {
    for (const row of part) rows.push(row)
  }
  return byTimeAndPosition(rows, run)
}

export async function byTimeAndPosition(
  rows: readonly Row[],
  { pacer }: Pick<DruidRun, 'pacer'>,
): Promise<readonly Row[]> {
  const times = Float64Array.from(rows, ([ms]) => Number(ms))
  const positions = Float64Array.from(rows, (row) => Number(row.at(-1)))
  const compare = (left: number, right: number): number =>
    times[left]! - times[right]! || positions[left]! - positions[right]!
  return Array.from(await sortInSlices(inOrder(rows.length), 0, compare, pacer), (place) => rows[place]!)
}
