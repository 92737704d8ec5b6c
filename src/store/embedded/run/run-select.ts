import type { Range, SelectPlan } from '../../../model/plan.ts'
import { resultTooLarge } from '../../limits.ts'
import type { ResultBatch } from '../../series-store.ts'
import { itemBatches } from './item-batches.ts'
import type { PickedRows } from './picked-rows.ts'
import type { PlanRun } from './plan-run.ts'
import { outlineRows, type RowOutline } from './row-outline.ts'

/** Above the limit rows are only counted, up to this many times the limit: rejecting a query must not cost more than answering it. */
const countedRowsFactor = 16

/**
 * Returns each item in the range. Items are read in successive windows of time, so that ordering needs memory for one window, however long
 * the result is.
 */
export async function* runSelect({ range }: SelectPlan, run: PlanRun): AsyncGenerator<ResultBatch> {
  const outline = await outlineRows(range, run)
  if (outline.rowsMax > run.limits.resultRows) await checkCount(range, run)
  const picked = run.newPicks()
  const windows = new TimeWindows(outline, run.selected.series.length)
  for (let window = windows.next(); window !== null; window = windows.next()) {
    picked.clear()
    await pickItems(window, run, picked)
    windows.adjustWidth(picked.length)
    yield* itemBatches(run, picked)
  }
}

async function pickItems({ fromMs, toMs }: Range, run: PlanRun, picked: PickedRows): Promise<void> {
  const { source, selected, items, pacer } = run
  for (const series of selected.series) {
    const prepared = source.prepare(series, pacer)
    if (prepared !== null) await prepared
    for (const slice of source.run(series, fromMs, toMs)) {
      picked.addItems(slice, series, items)
      if (pacer.spend(slice.end - slice.start)) await pacer.rest()
    }
    if (pacer.spend(2)) await pacer.rest()
  }
}

/** Throws Problem `result_too_large` if there are more items than a result may have. */
async function checkCount({ fromMs, toMs }: Range, run: PlanRun): Promise<void> {
  const { source, selected, items, limits, pacer } = run
  let count = 0
  let rows = 0
  for (const series of selected.series) {
    const prepared = source.prepare(series, pacer)
    if (prepared !== null) await prepared
    for (const slice of source.run(series, fromMs, toMs)) {
      count += items.count(slice)
      rows += slice.end - slice.start
      if (rows > limits.resultRows * countedRowsFactor && count > limits.resultRows)
        throw resultTooLarge(limits.resultRows, null)
      if (pacer.spend(slice.end - slice.start)) await pacer.rest()
    }
    if (pacer.spend(2)) await pacer.rest()
  }
  if (count > limits.resultRows) throw resultTooLarge(limits.resultRows, count)
}

/** The approximate number of rows of a window: their working memory fits the processor's caches. */
const windowRowsMin = 65_536
/** With many series a window has this many rows for each, so that it covers a good part of a page of each. */
const seriesRowsMin = 4096
/** The largest factor by which the next window may be narrower or wider. */
const changeMax = 4

/** Splits a range into neighbouring windows with about the same number of rows each, oldest first. */
export class TimeWindows {
  readonly #lastMs: number
  readonly #rowsWanted: number
  #fromMs: number
  #widthMs: number

  constructor({ firstMs, lastMs, rowsExpected }: Omit<RowOutline, 'rowsMax'>, series: number) {
    this.#fromMs = firstMs
    this.#lastMs = lastMs
    this.#rowsWanted = Math.max(windowRowsMin, series * seriesRowsMin)
    this.#widthMs = (lastMs - firstMs + 1) * Math.min(1, this.#rowsWanted / rowsExpected)
  }

  /** Null at the end of the range. */
  next(): Range | null {
    const fromMs = this.#fromMs
    if (fromMs > this.#lastMs) return null
    const widthMs = Math.max(1, Math.floor(this.#widthMs))
    const leftMs = this.#lastMs - fromMs + 1
    const toMs = leftMs <= widthMs * 1.5 ? this.#lastMs : fromMs + widthMs - 1
    this.#fromMs = toMs + 1
    return { fromMs, toMs }
  }

  /** Adjusts the width of the next window to the number of rows of the last one. */
  adjustWidth(rows: number): void {
    const change = this.#rowsWanted / Math.max(1, rows)
    this.#widthMs *= Math.min(changeMax, Math.max(1 / changeMax, change))
  }
}
