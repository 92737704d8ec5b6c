import { hourMs } from '../../hours/whole-hours.ts'
import type { Chunk } from '../head/chunk.ts'
import type { TableRollups } from '../head/table-hours.ts'
import { type ColumnHours, numbersOf } from './accumulator.ts'
import type { Fields, Grouping } from './grouping.ts'

/** For groupings that count items only: rows in which an aggregated column has a value. Other rows do not make a group. */
export class Items {
  /** The date of the first item found, where it is needed: for a bucket without a start of its own. */
  firstMs: number
  readonly #columns: readonly number[]
  readonly #needsFirst: boolean

  constructor({ granularity, ranges }: Grouping, { columns }: Fields) {
    this.#columns = columns
    this.#needsFirst = granularity.kind === 'all' && ranges.some(({ fromMs }) => fromMs === Number.NEGATIVE_INFINITY)
    this.firstMs = this.#needsFirst ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  }

  /** Whether an item is among rows [start, end). */
  noteItems(chunk: Chunk, start: number, end: number): boolean {
    let first = end
    for (let place = 0; place < this.#columns.length; place++) {
      const values = numbersOf(chunk, this.#columns[place])?.values
      if (values === undefined) continue
      let row = start
      while (row < first && Number.isNaN(values[row])) row++
      first = row
    }
    if (first === end) return false
    if (this.#needsFirst && chunk.times[first] < this.firstMs) this.firstMs = chunk.times[first]
    return true
  }

  /** Whether an item is in an hour of rollups. */
  hasItem(hours: readonly ColumnHours[], hour: number): boolean {
    for (let place = 0; place < hours.length; place++) {
      const { sums } = hours[place]
      if (sums !== null && sums.counts[hour] > 0) return true
    }
    return false
  }

  /** Whether an hour may have the first item: rollups do not have its date. No row of the hour is before `firstMs`. */
  mayHaveFirst(hours: readonly ColumnHours[], hour: number, firstMs: number): boolean {
    return firstMs < this.firstMs && this.hasItem(hours, hour)
  }

  /** Whether the date of the first item is needed. */
  get needsFirst(): boolean {
    return this.#needsFirst
  }

  /** Notes an item whose date is known. */
  meetFirst(firstMs: number): void {
    if (this.#needsFirst && firstMs < this.firstMs) this.firstMs = firstMs
  }

  /** The first row of a table is an item if every row of its hour has a value. */
  meetFirstRow({ hoursMs, length, rows, firstMs }: TableRollups, hours: readonly ColumnHours[]): void {
    const hour = hoursMs.subarray(0, length).indexOf(Math.floor(firstMs / hourMs) * hourMs)
    const isItem = hours.some(({ sums }) => sums !== null && sums.counts[hour] === rows[hour])
    if (isItem && firstMs < this.firstMs) this.firstMs = firstMs
  }
}
