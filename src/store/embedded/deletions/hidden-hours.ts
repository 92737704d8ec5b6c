// The hours of a series with hidden rows or values. A file's rollups of such an hour include them, so its rows are read.

import { hourMs } from '../../hours/whole-hours.ts'
import type { StoredPages } from '../reading/sealed-source.ts'
import type { HiddenOfSeries } from './deletion-vector.ts'
import { pairs, union } from './row-ranges.ts'

/** Pairs of the starts of a first and a last hour, ascending. */
export type HourSpans = Float64Array

/** The hours of a series, from that of the first row of each hidden range to that of its last. */
export function hiddenHours(pages: StoredPages, place: number, { rows, metrics }: HiddenOfSeries): HourSpans {
  const dates = new RowDates(pages, place)
  const spans: number[] = []
  for (const [start, end] of pairs(union([rows, ...metrics.values()]))) {
    const first = hourOf(dates.of(start))
    const last = hourOf(dates.of(end - 1))
    if (spans.at(-1) === first) spans[spans.length - 1] = last
    else spans.push(first, last)
  }
  return Float64Array.from(spans)
}

/** By hour: 1 if it lies in one of the spans. `hoursMs` is ascending. */
export function areHidden(spans: HourSpans, hoursMs: Float64Array): Uint8Array {
  const hidden = new Uint8Array(hoursMs.length)
  let span = 0
  for (let hour = 0; hour < hoursMs.length; hour++) {
    while (span < spans.length && spans[span + 1]! < hoursMs[hour]!) span += 2
    if (span < spans.length && spans[span]! <= hoursMs[hour]!) hidden[hour] = 1
  }
  return hidden
}

const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs

/** Dates of rows that are requested in ascending order, so that each page is read once. */
class RowDates {
  readonly #pages: StoredPages
  readonly #place: number
  #times: Float64Array = new Float64Array(0)
  /** The number of the row whose date is the first of `#times`. */
  #first = 0

  constructor(pages: StoredPages, place: number) {
    this.#pages = pages
    this.#place = place
  }

  of(row: number): number {
    if (row - this.#first >= this.#times.length) {
      for (const { chunk, start, end } of this.#pages.rowsAt(this.#place, row, this.#pages.rows(this.#place))) {
        this.#times = chunk.times.subarray(start, end)
        this.#first = row
        break
      }
    }
    return this.#times[row - this.#first]!
  }
}
