import type { RowTest } from '../aggregate/row-conditions.ts'
import type { Stretch } from '../head/chunk.ts'
import { firstAtOrAfter } from '../head/chunk.ts'
import { hourMs } from '../reading/whole-hours.ts'
import type { HourMetric, HourRow } from './hour-row.ts'
import { RunningHour } from './running-hour.ts'

export interface HoursAsked {
  /** The metrics that hours are kept of, and the index of the column of each in chunks of rows; -1 where no row has one. */
  readonly metrics: readonly (HourMetric & { readonly index: number })[]
  /** Null where all rows are good. */
  readonly isGood: RowTest | null
}

/** The hours of a series' rows, which come in the order of time and position. */
export function* hoursOfRows(
  stretches: Iterable<Stretch>,
  series: number,
  { metrics, isGood }: HoursAsked,
): Generator<HourRow> {
  let atMs = Number.NaN
  let rows = 0
  let position = 0
  let running: readonly RunningHour[] = []
  const finished = (): HourRow => ({ hourMs: atMs, position, rows, metrics: running.map((one) => one.finish()) })
  for (const { chunk, start, end } of stretches) {
    for (let row = start; row < end; ) {
      const startMs = Math.floor(chunk.times[row]! / hourMs) * hourMs
      if (startMs !== atMs) {
        if (rows > 0) yield finished()
        atMs = startMs
        rows = 0
        position = 0
        running = metrics.map(({ type }) => new RunningHour(type === 'long'))
      }
      const next = firstAtOrAfter(chunk.times, row, end, startMs + hourMs)
      for (const [place, { index }] of metrics.entries())
        addRows({ chunk, start: row, end: next }, index, running[place]!)
      for (let at = row; at < next; at++) position = Math.max(position, chunk.positions[at]!)
      rows += next - row
      row = next
    }
  }
  if (rows > 0) yield finished()

  function addRows({ chunk, start, end }: Stretch, index: number, to: RunningHour): void {
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
