// Rollups of a table over all its series together: for each UTC hour, the sums and bounds of each column. They are updated as rows are written,
// so that queries over hours do not read the rows again.
import type { ColumnVector } from '../../../model/column.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import type { BoundedRollups, HourRollups } from '../reading/sealed-source.ts'
import type { HourRange } from '../reading/whole-hours.ts'
import type { EntityColumn } from '../registry/entity-columns.ts'
import { addToSlot, type SummedSlots } from '../run/sum.ts'

/** Rollups are dropped at more than `freeHours` hours plus one for each `hourRowsMin` rows, so that they stay small next to the rows. */
const freeHours = 64
const hourRowsMin = 128
const firstSlots = 4
const arraysOfColumn = 5
const none = -1

/** Rollups of the rows of a table at one point in time. Hours are in the order in which their first rows came. */
export interface TableRollups extends BoundedRollups {
  /** The number of rows of each hour. */
  readonly rows: Float64Array
  readonly firstMs: number
  readonly lastMs: number
}

/** The rollups of one column, by slot. Each slot is an hour. */
interface HourSlots extends SummedSlots {
  readonly counts: Float64Array
}

export class TableHours {
  readonly #slots = new Map<number, number>()
  /** By column index; absent where no number has come. */
  #columns: (HourSlots | undefined)[] = []
  #hoursMs: Float64Array = new Float64Array(firstSlots)
  #rows: Float64Array = new Float64Array(firstSlots)
  #allRows = 0
  /** Whether the arrays are in use by a reader: then they are copied before more is added. */
  #isTaken = false
  #isGivenUp = false
  #lastHour = Number.NaN
  #lastSlot = none

  /** Adds the rows of a batch; `columns` are those of its fields. */
  add(
    times: Float64Array,
    rows: number,
    columns: readonly (EntityColumn | null)[],
    vectors: readonly ColumnVector[],
  ): void {
    if (this.#isGivenUp) return
    if (this.#isTaken) this.#copy()
    for (let start = 0; start < rows; ) {
      const hour = Math.floor(times[start] / hourMs)
      const end = endOfHour(times, start, rows, hour * hourMs)
      const slot = this.#slotOf(hour, end - start)
      if (slot === none) {
        this.giveUp()
        return
      }
      for (let field = 0; field < columns.length; field++) {
        const vector = vectors[field]
        const column = columns[field]
        if (column === null || (vector.type !== 'double' && vector.type !== 'long')) continue
        addValues(this.#columnOf(column.index), slot, vector.values, start, end)
      }
      start = end
    }
  }

  /** Drops the rollups for good: from now on rows are read instead. */
  giveUp(): void {
    if (this.#isGivenUp) return
    this.#isGivenUp = true
    this.#slots.clear()
    this.#columns = []
    this.#hoursMs = new Float64Array(0)
    this.#rows = new Float64Array(0)
  }

  /** The rollups as they are now, unaffected by later rows; null after they were dropped. `firstMs` and `lastMs` are the dates of the rows. */
  take(firstMs: number, lastMs: number): TableRollups | null {
    if (this.#isGivenUp) return null
    this.#isTaken = true
    const columns = this.#columns
    return {
      length: this.#slots.size,
      hoursMs: this.#hoursMs,
      rows: this.#rows,
      firstMs,
      lastMs,
      column: (index) => columns[index] ?? null,
      bounds: (index) => columns[index] ?? null,
    }
  }

  get bytes(): number {
    const columns = this.#columns.reduce((count) => count + 1, 0)
    return this.#hoursMs.byteLength * (2 + columns * arraysOfColumn)
  }

  /** Adds `rows` rows to an hour and returns its slot; -1 if there are too many hours. */
  #slotOf(hour: number, rows: number): number {
    this.#allRows += rows
    if (hour !== this.#lastHour) {
      this.#lastSlot = this.#slots.get(hour) ?? this.#addSlot(hour)
      this.#lastHour = hour
    }
    if (this.#lastSlot !== none) this.#rows[this.#lastSlot] += rows
    return this.#lastSlot
  }

  #addSlot(hour: number): number {
    const slot = this.#slots.size
    if (slot >= freeHours + this.#allRows / hourRowsMin) return none
    if (slot === this.#hoursMs.length) this.#resize(slot * 2)
    this.#slots.set(hour, slot)
    this.#hoursMs[slot] = hour * hourMs
    return slot
  }

  #columnOf(index: number): HourSlots {
    const known = this.#columns[index]
    if (known !== undefined) return known
    const column = newSlots(this.#hoursMs.length)
    this.#columns[index] = column
    return column
  }

  #copy(): void {
    this.#resize(this.#hoursMs.length)
    this.#isTaken = false
  }

  #resize(length: number): void {
    this.#hoursMs = resized(this.#hoursMs, length)
    this.#rows = resized(this.#rows, length)
    this.#columns = this.#columns.map((column) => {
      return column === undefined ? undefined : newSlots(length, column)
    })
  }
}

/** The places of the hours [fromMs, toMs) in the arrays of the rollups, in ascending order of time. */
export function hoursWithin({ hoursMs, length }: HourRollups, { fromMs, toMs }: HourRange): number[] {
  const hours: number[] = []
  for (let hour = 0; hour < length; hour++) if (hoursMs[hour] >= fromMs && hoursMs[hour] < toMs) hours.push(hour)
  return hours.sort((left, right) => hoursMs[left] - hoursMs[right])
}

function newSlots(length: number, from?: HourSlots): HourSlots {
  const least = new Float64Array(length).fill(Number.NaN)
  const greatest = new Float64Array(length).fill(Number.NaN)
  if (from !== undefined) {
    least.set(from.least)
    greatest.set(from.greatest)
  }
  return {
    counts: resized(from?.counts, length),
    sums: resized(from?.sums, length),
    errors: resized(from?.errors, length),
    least,
    greatest,
  }
}

function resized(values: Float64Array | undefined, length: number): Float64Array {
  const copy = new Float64Array(length)
  if (values !== undefined) copy.set(values)
  return copy
}

/** The first row after `start` that is not in the hour that starts at `startMs`. */
function endOfHour(times: Float64Array, start: number, end: number, startMs: number): number {
  const endMs = startMs + hourMs
  let row = start + 1
  while (row < end && times[row] >= startMs && times[row] < endMs) row++
  return row
}

/** A sum that is not finite becomes NaN and stays so: its rows are read instead. */
function addValues(slots: HourSlots, slot: number, values: Float64Array, start: number, end: number): void {
  addToSlot(slots, slot, values, start, end)
  if (Number.isFinite(slots.sums[slot] + slots.errors[slot])) return
  slots.sums[slot] = Number.NaN
  slots.errors[slot] = 0
}
