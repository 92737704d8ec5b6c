// Rollups built while a file is written: for each series and UTC hour, the data that means and bounds need.

import { lostIn } from '../../../lib/lost-in-sum.ts'
import type { ColumnType } from '../../../model/column.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { type Chunk, firstAtOrAfter } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { digitsOfOne, roundTo } from '../parquet/decimals.ts'
import { addToSlot } from '../run/sum.ts'
import { HourItemsBuilder } from './hour-items.ts'
import type { Section } from './index-layout.ts'
import { addPooled, type PooledColumn, PooledSumsBuilder } from './pooled-sums.ts'
import { joinArrays, used } from './section-writer.ts'

/** A numeric column: its index in chunks and its place in the file. */
export interface SummedColumn {
  readonly index: number
  readonly place: number
}

export interface HourSumsOptions {
  /** A series with fewer rows per hour on average has no rollups. */
  readonly hourRowsMin: number
  /** When all rollups exceed this size, further series have none: rollups stay in memory until the file is complete. */
  readonly rollupBytesMax: number
  /** When the hours of the file have fewer values of a column on average, the dates of its bounds are omitted. */
  readonly boundDatesRowsMin: number
  /** The same for squares. */
  readonly squaresRowsMin: number
}

export class HourSumsBuilder {
  readonly #columns: readonly ColumnSums[]
  readonly #options: HourSumsOptions
  readonly #pooled: PooledSumsBuilder
  readonly #hours = new GrowableInt32()
  /** By entry: the offset of the first row from the hour's start, and the distance from it to the last row, in steps after the series has ended. */
  readonly #firstAt = new GrowableInt32()
  readonly #lengths = new GrowableInt32()
  /** By series: the dates of its rows within an hour differ by multiples of this. */
  readonly #steps = new GrowableInt32()
  #stepMs = 0
  /** The entry after the last of each series. */
  readonly #ends = new GrowableInt32()
  #firstEntry = 0
  #rows = 0

  constructor(columns: readonly SummedColumn[], options: HourSumsOptions) {
    this.#columns = columns.map((column) => new ColumnSums(column))
    this.#options = options
    this.#pooled = new PooledSumsBuilder(columns.map(({ place }) => place))
  }

  /** Adds the next rows of the current series. */
  add(chunk: Chunk, start: number, end: number): void {
    const { times } = chunk
    this.#rows += end - start
    for (let row = start; row < end; ) {
      const hour = Math.floor(times[row] / hourMs)
      const hourEnd = (hour + 1) * hourMs
      const next = times[end - 1] < hourEnd ? end : firstAtOrAfter(times, row, end, hourEnd)
      const entry = this.#entryOf(hour, times[row] - hour * hourMs)
      this.#addDates(entry, times, row, next, hour * hourMs)
      for (const column of this.#columns) column.add(entry, chunk, row, next)
      row = next
    }
  }

  endSeries(): void {
    const entries = this.#hours.length - this.#firstEntry
    const isSparse = this.#rows < entries * this.#options.hourRowsMin
    this.#endHour()
    const bytes = this.#columns.reduce((sum, column) => sum + column.bytes, this.#hours.length * 12)
    if (isSparse || bytes > this.#options.rollupBytesMax) this.#cut(this.#firstEntry)
    const stepMs = Math.max(1, this.#stepMs)
    for (const column of this.#columns) column.endSeries(this.#firstEntry, stepMs)
    for (let entry = this.#firstEntry; entry < this.#hours.length; entry++) this.#lengths.values[entry] /= stepMs
    this.#steps.push(stepMs)
    this.#stepMs = 0
    this.#pool()
    this.#ends.push(this.#hours.length)
    this.#firstEntry = this.#hours.length
    this.#rows = 0
  }

  *sections(): Generator<Section> {
    const entries = this.#hours.length
    if (entries === 0) return
    const arrays = [this.#ends, this.#hours, this.#steps, this.#firstAt, this.#lengths]
    yield { kind: 'hours', column: 0, bytes: joinArrays(arrays.map(used)) }
    for (const column of this.#columns) yield* column.sections(entries, this.#options)
    yield* this.#pooled.sections()
  }

  /** Adds the entries of the current series to the sums of all series. */
  #pool(): void {
    const { length, values: hours } = this.#hours
    this.#pooled.endSeries(this.#firstEntry === length)
    for (let entry = this.#firstEntry; entry < length; entry++) {
      const slot = this.#pooled.slotOf(hours[entry])
      for (const [index, column] of this.#columns.entries()) column.pool(entry, this.#pooled.columns[index], slot)
    }
  }

  #entryOf(hour: number, firstAt: number): number {
    const last = this.#hours.length - 1
    if (last >= this.#firstEntry && this.#hours.values[last] === hour) return last
    this.#endHour()
    this.#hours.push(hour)
    this.#firstAt.push(firstAt)
    this.#lengths.push(0)
    return last + 1
  }

  /** Adds the dates of rows of an hour. */
  #addDates(entry: number, times: Float64Array, start: number, end: number, startMs: number): void {
    let before = this.#firstAt.values[entry] + this.#lengths.values[entry]
    for (let row = start; row < end && this.#stepMs !== 1; row++) {
      const at = times[row] - startMs
      this.#stepMs = commonDivisor(this.#stepMs, at - before)
      before = at
    }
    this.#lengths.values[entry] = times[end - 1] - startMs - this.#firstAt.values[entry]
  }

  /** Completes the current hour. */
  #endHour(): void {
    const entry = this.#hours.length - 1
    if (entry < this.#firstEntry) return
    const firstMs = this.#hours.values[entry] * hourMs + this.#firstAt.values[entry]
    for (const column of this.#columns) column.endHour(entry, firstMs, firstMs + this.#lengths.values[entry])
  }

  #cut(entries: number): void {
    for (const array of [this.#hours, this.#firstAt, this.#lengths]) array.length = entries
    for (const column of this.#columns) column.cut(entries)
  }
}

/** The sums of one column by entry, up to the last entry that has a value. */
class ColumnSums {
  readonly #column: SummedColumn
  readonly #items: HourItemsBuilder
  readonly #sums = new GrowableFloat64()
  readonly #errors = new GrowableFloat64()
  readonly #counts = new GrowableInt32()
  readonly #least = new GrowableFloat64()
  readonly #greatest = new GrowableFloat64()
  /** Digits of the bounds so far; null after one that is not a decimal. */
  #digits: number | null = 0

  constructor(column: SummedColumn) {
    this.#column = column
    this.#items = new HourItemsBuilder(column.place)
  }

  get bytes(): number {
    return this.#counts.length * 36 + this.#items.bytes
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
    this.#items.add(chunk.times, column, start, end)
  }

  endHour(entry: number, firstMs: number, lastMs: number): void {
    this.#items.endHour(entry, firstMs, lastMs)
  }

  endSeries(firstEntry: number, stepMs: number): void {
    this.#round(firstEntry)
    this.#items.endSeries(firstEntry, stepMs)
  }

  cut(entries: number): void {
    this.#items.cut(entries)
    for (const array of [this.#sums, this.#errors, this.#counts, this.#least, this.#greatest])
      array.length = Math.min(array.length, entries)
  }

  /** For decimals, splits each sum from an entry on into the nearest decimal and the exact rest, which together take fewer bytes. */
  #round(start: number): void {
    const { values: sums } = this.#sums
    const { values: errors } = this.#errors
    for (let entry = start; entry < this.#counts.length; entry++) {
      if (this.#counts.values[entry] === 0) continue
      if (this.#digits !== null) this.#digits = digitsOfOne(this.#least.values[entry], this.#digits)
      if (this.#digits !== null) this.#digits = digitsOfOne(this.#greatest.values[entry], this.#digits)
      if (this.#digits === null) return
      const sum = sums[entry]
      const error = errors[entry]
      // Adding 0 turns -0 into 0.
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

  sections(entries: number, options: HourSumsOptions): Section[] {
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
      ...this.#items.sections(entries, used(this.#counts), options),
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

/** The greatest common divisor of whole numbers not less than 0. */
function commonDivisor(left: number, right: number): number {
  let [one, other] = [left | 0, right | 0]
  while (other !== 0) [one, other] = [other, (one % other) | 0]
  return one
}

/** The numeric columns among these. */
export function summedColumns(columns: readonly (SummedColumn & { readonly type: ColumnType })[]): SummedColumn[] {
  return columns.filter(({ type }) => type === 'double' || type === 'long')
}
