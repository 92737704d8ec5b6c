import { HourMaker } from '../../hours/hour-maker.ts'
import type { HourMetric, HourRow } from '../../hours/hour-row.ts'
import type { RunningHour } from '../../hours/running-hour.ts'
import type { RowTest } from '../aggregate/row-conditions.ts'
import type { RowSlice } from '../head/chunk.ts'
import { firstAtOrAfter } from '../head/chunk.ts'

export interface RequestedHours {
  /** The metrics whose hours are kept, with the index of each one's column in chunks of rows; -1 if no row has it. */
  readonly metrics: readonly (HourMetric & { readonly index: number })[]
  /** Null where all rows are good. */
  readonly isGood: RowTest | null
}

/** The hours of a series, computed from its rows, which come ordered by time and position. */
export function* hoursOfRows(
  slices: Iterable<RowSlice>,
  series: number,
  { metrics, isGood }: RequestedHours,
): Generator<HourRow> {
  const maker = new HourMaker(metrics)
  for (const { chunk, start, end } of slices) {
    for (let row = start; row < end; ) {
      const over = maker.enter(chunk.times[row]!)
      if (over !== null) yield over
      const next = firstAtOrAfter(chunk.times, row, end, maker.endMs)
      for (const [place, { index }] of metrics.entries())
        addRows({ chunk, start: row, end: next }, index, maker.metric(place))
      for (; row < next; row++) maker.count(chunk.positions[row]!)
    }
  }
  const last = maker.finish()
  if (last !== null) yield last

  function addRows({ chunk, start, end }: RowSlice, index: number, to: RunningHour): void {
    const column = chunk.columns[index]
    if (column === undefined || (column.type !== 'double' && column.type !== 'long')) return
    const { values, exact } = column
    for (let row = start; row < end; row++) {
      const value = values[row]!
      if (Number.isNaN(value)) continue
      const digits = exact !== null && Math.abs(value) >= 2 ** 53 ? exact[row]! : null
      to.add(chunk.times[row]!, value, digits, isGood === null || isGood(chunk, row, series))
    }
  }
}
