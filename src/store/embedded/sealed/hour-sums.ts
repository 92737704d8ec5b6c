// Rollups while a file is written: of each series, for each UTC hour, what means and bounds need.

import { lostIn } from '../../../lib/lost-in-sum.ts'
import type { ColumnType } from '../../../model/column.ts'
import { type Chunk, firstAtOrAfter } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { digitsOfOne, roundTo } from '../parquet/decimals.ts'
import { hourMs } from '../reading/whole-hours.ts'
import { addToSlot } from '../run/sum.ts'
import type { Section } from './index-layout.ts'
import { addPooled, type PooledColumn, PooledSumsBuilder } from './pooled-sums.ts'
import { joinArrays, used } from './section-writer.ts'

/** A numeric column: where it is in chunks, and in the file. */
export interface SummedColumn {
  readonly index: number
  readonly place: number
}

export interface HourSumsOptions {
  /** A series with fewer rows to the hour, on the average, has no rollups. */
  readonly hourRowsMin: number
  /** Once all rollups take so many bytes, further series have none: they are in memory until the file is complete. */
  readonly rollupBytesMax: number
}

export class HourSumsBuilder {
  readonly #columns: readonly ColumnSums[]
  readonly #options: HourSumsOptions
  readonly #pooled: PooledSumsBuilder
  readonly #hours = new GrowableInt32()
  /** The entry after the last of each series. */
  readonly #ends = new GrowableInt32()
  #firstEntry = 0
  #rows = 0

  constructor(columns: readonly SummedColumn[], options: HourSumsOptions) {
    this.#columns = columns.map((column) => new ColumnSums(column))
    this.#options = options
    this.#pooled = new PooledSumsBuilder(columns.map(({ place }) => place))
  }

  /** Takes the next rows of the series at hand. */
  add(chunk: Chunk, start: number, end: number): void {
    const { times } = chunk
    this.#rows += end - start
    for (let row = start; row < end; ) {
      const hour = Math.floor(times[row] / hourMs)
      const hourEnd = (hour + 1) * hourMs
      const next = times[end - 1] < hourEnd ? end : firstAtOrAfter(times, row, end, hourEnd)
      const entry = this.#entryOf(hour)
      for (const column of this.#columns) column.add(entry, chunk, row, next)
      row = next
    }
  }

  endSeries(): void {
    const entries = this.#hours.length - this.#firstEntry
    const isSparse = this.#rows < entries * this.#options.hourRowsMin
    const entryBytes = 4 + this.#columns.length * 36
    if (isSparse || this.#hours.length * entryBytes > this.#options.rollupBytesMax) this.#cut(this.#firstEntry)
    for (const column of this.#columns) column.round(this.#firstEntry)
    this.#pool()
    this.#ends.push(this.#hours.length)
    this.#firstEntry = this.#hours.length
    this.#rows = 0
  }

  *sections(): Generator<Section> {
    const entries = this.#hours.length
    if (entries === 0) return
    yield { kind: 'hours', column: 0, bytes: joinArrays([used(this.#ends), used(this.#hours)]) }
    for (const column of this.#columns) yield* column.sections(entries)
    yield* this.#pooled.sections()
  }

  /** Adds the entries of the series at hand to those of all. */
  #pool(): void {
    const { length, values: hours } = this.#hours
    this.#pooled.endSeries(this.#firstEntry === length)
    for (let entry = this.#firstEntry; entry < length; entry++) {
      const slot = this.#pooled.slotOf(hours[entry])
      for (const [index, column] of this.#columns.entries()) column.pool(entry, this.#pooled.columns[index], slot)
    }
  }

  #entryOf(hour: number): number {
    const last = this.#hours.length - 1
    if (last >= this.#firstEntry && this.#hours.values[last] === hour) return last
    this.#hours.push(hour)
    return last + 1
  }

  #cut(entries: number): void {
    this.#hours.length = entries
    for (const column of this.#columns) column.cut(entries)
  }
}

/** The sums of one column by entry; they end with the last entry that has a value. */
class ColumnSums {
  readonly #column: SummedColumn
  readonly #sums = new GrowableFloat64()
  readonly #errors = new GrowableFloat64()
  readonly #counts = new GrowableInt32()
  readonly #least = new GrowableFloat64()
  readonly #greatest = new GrowableFloat64()
  /** Those of the bounds so far; null once they are no decimals. */
  #digits: number | null = 0

  constructor(column: SummedColumn) {
    this.#column = column
  }

  add(entry: number, chunk: Chunk, start: number, end: number): void {
    const column = chunk.columns[this.#column.index]
    if (column === undefined) return
    if (column.type !== 'double' && column.type !== 'long') throw new Error('only numbers are summed')
    this.#fill(entry + 1)
    const slots = {
      sums: this.#sums.values,
      errors: this.#errors.values,
      counts: this.#counts.values,
      least: this.#least.values,
      greatest: this.#greatest.values,
    }
    addToSlot(slots, entry, column.values, start, end)
  }

  cut(entries: number): void {
    for (const array of [this.#sums, this.#errors, this.#counts, this.#least, this.#greatest])
      array.length = Math.min(array.length, entries)
  }

  /** Of decimals, sums from an entry on become the nearest decimal and the rest, which add up to the same: both take fewer bytes so. */
  round(start: number): void {
    const { values: sums } = this.#sums
    const { values: errors } = this.#errors
    for (let entry = start; entry < this.#counts.length; entry++) {
      if (this.#counts.values[entry] === 0) continue
      if (this.#digits !== null) this.#digits = digitsOfOne(this.#least.values[entry], this.#digits)
      if (this.#digits !== null) this.#digits = digitsOfOne(this.#greatest.values[entry], this.#digits)
      if (this.#digits === null) return
      const sum = sums[entry]
      const error = errors[entry]
      // Zero, never -0.
      const rounded = roundTo(sum, this.#digits) + 0
      const left = sum - rounded
      const rest = left + error
      if (lostIn(sum, -rounded, left) !== 0 || lostIn(left, error, rest) !== 0) continue
      sums[entry] = rounded
      errors[entry] = rest + 0
    }
  }

  pool(entry: number, pooled: PooledColumn, slot: number): void {
    const count = entry < this.#counts.length ? this.#counts.values[entry] : 0
    if (count > 0) addPooled(pooled, slot, this.#sums.values[entry], this.#errors.values[entry], count)
  }

  sections(entries: number): Section[] {
    if (!used(this.#counts).some((count) => count > 0)) return []
    this.#fill(entries)
    const sums = used(this.#sums)
    const errors = used(this.#errors)
    for (let entry = 0; entry < entries; entry++) {
      if (Number.isFinite(sums[entry] + errors[entry])) continue
      sums[entry] = Number.NaN
      errors[entry] = 0
    }
    const column = this.#column.place
    return [
      { kind: 'sums', column, bytes: joinArrays([sums, errors, used(this.#counts)]) },
      { kind: 'bounds', column, bytes: joinArrays([used(this.#least), used(this.#greatest)]) },
    ]
  }

  #fill(entries: number): void {
    while (this.#counts.length < entries) {
      this.#sums.push(0)
      this.#errors.push(0)
      this.#counts.push(0)
      this.#least.push(Number.NaN)
      this.#greatest.push(Number.NaN)
    }
  }
}

/** The numeric ones of some columns. */
export function summedColumns(columns: readonly (SummedColumn & { readonly type: ColumnType })[]): SummedColumn[] {
  return columns.filter(({ type }) => type === 'double' || type === 'long')
}
