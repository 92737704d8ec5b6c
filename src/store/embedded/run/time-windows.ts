import type { Range } from '../../../model/plan.ts'
import type { RowOutline } from './row-outline.ts'

/** Rows that a window is to have about: what is kept of them stays in the processor's caches. */
const windowRowsMin = 65_536
/** More of them where there are many series, so that each window has a good part of a page of each. */
const seriesRowsMin = 4096
/** How much narrower or wider the next window may be. */
const changeMax = 4

/** Cuts a range into neighbouring windows with about as many rows each, oldest first. */
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

  /** Null when the range is at its end. */
  next(): Range | null {
    const fromMs = this.#fromMs
    if (fromMs > this.#lastMs) return null
    const widthMs = Math.max(1, Math.floor(this.#widthMs))
    const leftMs = this.#lastMs - fromMs + 1
    const toMs = leftMs <= widthMs * 1.5 ? this.#lastMs : fromMs + widthMs - 1
    this.#fromMs = toMs + 1
    return { fromMs, toMs }
  }

  /** Told how many rows the last window had, so that the next one fits better. */
  met(rows: number): void {
    const change = this.#rowsWanted / Math.max(1, rows)
    this.#widthMs *= Math.min(changeMax, Math.max(1 / changeMax, change))
  }
}
