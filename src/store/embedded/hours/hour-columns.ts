// Hours as rows of a file of hours, in the format of docs/formats/kept-hours.md.

import {
  type HourMetric,
  HourOfMetric,
  type HourPart,
  type HourRow,
  hourParts,
  partColumn,
} from '../../hours/hour-row.ts'
import { type Chunk, exactOf, type NumberColumn, newChunk, newColumn, type RowSlice } from '../head/chunk.ts'
import type { EntityColumns } from '../registry/entity-columns.ts'

/** The column with the number of rows of the series in an hour. Field names cannot contain this sign. */
const rowsName = '@rows'
/** Hours of a series that are written at once. */
const rowsAtOnce = 1024

interface PartColumn {
  readonly part: HourPart
  readonly type: 'double' | 'long'
  readonly index: number
}

/** Maps the parts of metrics to columns in chunks of hours. */
export class HourColumns {
  readonly #rows: number
  readonly #parts: readonly (readonly PartColumn[])[]

  constructor(columns: EntityColumns, metrics: readonly HourMetric[]) {
    const learn = (name: string, type: 'double' | 'long'): number => columns.learn(name, type).index
    this.#rows = learn(rowsName, 'double')
    this.#parts = metrics.map((metric) =>
      hourParts.map((part) => {
        const { name, type } = partColumn(metric, part)
        return { part, type, index: learn(name, type) }
      }),
    )
  }

  /** The columns to read. */
  get indices(): readonly number[] {
    return [this.#rows, ...this.#parts.flatMap((parts) => parts.map(({ index }) => index))]
  }

  /** The hours in a range of rows. */
  *read({ chunk, start, end }: RowSlice): Generator<HourRow> {
    const rows = numbers(chunk, this.#rows)
    for (let row = start; row < end; row++) {
      yield {
        hourMs: chunk.times[row]!,
        position: chunk.positions[row]!,
        rows: rows?.values[row] ?? 0,
        metrics: this.#parts.map((parts) => metricAt(chunk, parts, row)),
      }
    }
  }

  /** Hours, in ascending order, as rows of a file. */
  *write(hours: Iterable<HourRow>): Generator<RowSlice> {
    let held: HourRow[] = []
    for (const hour of hours) {
      if (held.push(hour) < rowsAtOnce) continue
      yield this.#slice(held)
      held = []
    }
    if (held.length > 0) yield this.#slice(held)
  }

  #slice(hours: readonly HourRow[]): RowSlice {
    const chunk = newChunk(hours.length)
    for (const [row, { hourMs, position, rows, metrics }] of hours.entries()) {
      chunk.times[row] = hourMs
      chunk.positions[row] = position
      set(chunk, this.#rows, 'double', row, rows, null)
      for (const [place, metric] of metrics.entries())
        if (metric !== null) writeMetric(chunk, this.#parts[place]!, row, metric)
    }
    return { chunk, start: 0, end: hours.length }
  }
}

function metricAt(chunk: Chunk, parts: readonly PartColumn[], row: number): HourOfMetric | null {
  const count = parts[0]!
  const counts = numbers(chunk, count.index)
  if (counts === null || Number.isNaN(counts.values[row]!)) return null
  const metric = new HourOfMetric()
  for (const { part, index } of parts) {
    const column = numbers(chunk, index)
    if (column === null) continue
    const value = column.values[row]!
    metric.set(part, value, column.exact !== null && Math.abs(value) >= 2 ** 53 ? column.exact[row]! : null)
  }
  return metric
}

function writeMetric(chunk: Chunk, parts: readonly PartColumn[], row: number, metric: HourOfMetric): void {
  for (const { part, type, index } of parts) {
    const value = metric.get(part)
    if (!Number.isNaN(value)) set(chunk, index, type, row, value, metric.digits(part))
  }
}

function set(
  chunk: Chunk,
  index: number,
  type: 'double' | 'long',
  row: number,
  value: number,
  digits: bigint | null,
): void {
  const column = numbers(chunk, index) ?? (newColumn(type, chunk.times.length, []) as NumberColumn)
  chunk.columns[index] = column
  column.values[row] = value
  if (type === 'long' && digits !== null) exactOf(column)[row] = digits
}

function numbers(chunk: Chunk, index: number): NumberColumn | null {
  const column = chunk.columns[index]
  return column === undefined || column.type === 'string' || column.type === 'boolean' ? null : column
}
