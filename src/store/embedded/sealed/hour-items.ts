// Aggregates that depend on the order of an hour's items: the first and the last one, the intervals between neighbours, and falls of the
// value. Gathered while a file is written, and decoded when it is read.

import { lostIn } from '../../../lib/lost-in-sum.ts'
import type { NumberColumn } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { digitsMax, roundTo } from '../parquet/decimals.ts'
import type { HourBoundDates, HourFalls, HourItems, HourSquares, HourSums } from '../reading/sealed-source.ts'
import type { Section } from './index-layout.ts'
import type { Arrays } from './section-arrays.ts'
import { joinArrays, used } from './section-writer.ts'

/** Stored instead of an hour's longest gap, falls or squares when its rows have to be read. */
const notKept = -1
/** An hour with more falls is not that of a counter, so the number of its resets is not needed. */
export const fallsMax = 4
/** Smaller sums of squares have lost digits. */
const squaresMin = 2 ** -900
/** From here on neighbouring longs map to the same double. */
const exactFrom = 2 ** 53

/** The hours of a file as they are stored. */
export interface Hours {
  /** The entry after the last of each series. */
  readonly ends: Uint32Array
  /** By series: the dates of the rows within an hour differ by multiples of this. */
  readonly stepsMs: Uint32Array
  /** By entry: the start of the hour; the offset of its first row from that; and the distance from its first to its last row, in steps. */
  readonly hoursMs: Float64Array
  readonly firstAt: Int32Array
  readonly lengths: Int32Array
}

/** The dates of the rows of each hour, by entry. */
export interface HourRows {
  readonly firstMs: Float64Array
  readonly lastMs: Float64Array
  readonly stepsMs: Float64Array
}

export function rowsOf({ ends, stepsMs: steps, hoursMs, firstAt, lengths }: Hours): HourRows {
  const stepsMs = new Float64Array(hoursMs.length)
  for (const [place, step] of steps.entries()) stepsMs.fill(step, place === 0 ? 0 : ends[place - 1], ends[place])
  const firstMs = hoursMs.map((ms, entry) => ms + firstAt[entry])
  const lastMs = firstMs.map((ms, entry) => ms + lengths[entry] * stepsMs[entry])
  return { firstMs, lastMs, stepsMs }
}

/** Accumulates the items of one metric, which arrive by date. */
export class RunningItems {
  count = 0
  firstMs = 0
  first = 0
  lastMs = 0
  last = 0
  longestGapMs = 0
  leastMs = 0
  greatestMs = 0
  falls = 0
  fallen = 0
  restarted = 0
  /** False when two items have one date, or a long may not be exact in a double. */
  #isSound = true
  #least = 0
  #greatest = 0
  /** Sums of each value times the time until the next one, and times the time since the previous one; with their rounding errors. */
  #held = 0
  #heldLost = 0
  #reached = 0
  #reachedLost = 0
  #squares = 0

  add(times: Float64Array, { type, values }: NumberColumn, start: number, end: number): void {
    for (let row = start; row < end; row++) {
      const value = values[row]
      if (Number.isNaN(value)) continue
      if (type === 'long' && Math.abs(value) >= exactFrom) this.#isSound = false
      if (this.count++ === 0) this.#begin(times[row], value)
      else this.#goOn(times[row], value)
    }
  }

  /** The integral from the first to the last item, with each value held until the next. */
  get held(): number {
    return this.#held + this.#heldLost
  }

  /** The integral with straight lines between items: the mean of a line is that of its ends. */
  get line(): number {
    const both = this.#held + this.#reached
    return (both + (lostIn(this.#held, this.#reached, both) + this.#heldLost + this.#reachedLost)) / 2
  }

  /** Whether all neighbours are equally far apart; then the sum of the values determines both integrals. */
  get isEven(): boolean {
    return this.longestGapMs * (this.count - 1) === this.lastMs - this.firstMs
  }

  /** The number of falls; null when there are more than a counter has. */
  get countedFalls(): number | null {
    return this.falls <= fallsMax ? this.falls : null
  }

  /** Whether the aggregates are valid; otherwise the hour's rows have to be read. */
  get isKept(): boolean {
    // A margin against overflow: readers double the sum of the values to compute `line`.
    return this.#isSound && Number.isFinite(4 * (this.held + this.line))
  }

  /** The sum of squared differences from the first value; null when doubles cannot hold it. A decimal where that is exact enough, to save bytes. */
  get squares(): number | null {
    const squares = this.#squares
    if (this.#least === this.#greatest) return 0
    if (!Number.isFinite(squares) || squares < squaresMin) return null
    const size = Math.max(Math.abs(this.#least), Math.abs(this.#greatest))
    const lostMax = Number.EPSILON * (this.count * squares + size * Math.sqrt(this.count * squares))
    for (let digits = 0; digits <= digitsMax; digits++) {
      const rounded = roundTo(squares, digits)
      if (Math.abs(rounded - squares) <= lostMax) return rounded
    }
    return squares
  }

  clear(): void {
    this.count = 0
    this.longestGapMs = 0
    this.falls = 0
    this.fallen = 0
    this.restarted = 0
    this.#isSound = true
    this.#held = 0
    this.#heldLost = 0
    this.#reached = 0
    this.#reachedLost = 0
    this.#squares = 0
  }

  #begin(ms: number, value: number): void {
    this.firstMs = ms
    this.leastMs = ms
    this.greatestMs = ms
    this.lastMs = ms
    this.first = value
    this.last = value
    this.#least = value
    this.#greatest = value
  }

  #goOn(ms: number, value: number): void {
    const { last } = this
    const gapMs = ms - this.lastMs
    const fromFirst = value - this.first
    this.#squares += fromFirst * fromFirst
    if (gapMs === 0) this.#isSound = false
    if (gapMs > this.longestGapMs) this.longestGapMs = gapMs
    const held = this.#held + last * gapMs
    this.#heldLost += lostIn(this.#held, last * gapMs, held)
    this.#held = held
    const reached = this.#reached + value * gapMs
    this.#reachedLost += lostIn(this.#reached, value * gapMs, reached)
    this.#reached = reached
    if (value < last && ++this.falls <= fallsMax) this.#fall(last, value)
    if (value < this.#least) {
      this.#least = value
      this.leastMs = ms
    } else if (value > this.#greatest) {
      this.#greatest = value
      this.greatestMs = ms
    }
    this.lastMs = ms
    this.last = value
  }

  /** The increase of a counter is computed from these by subtraction, so they must be exact; otherwise the hour's rows are read. */
  #fall(from: number, to: number): void {
    const drop = from - to
    const fallen = this.fallen + drop
    const restarted = this.restarted + Math.max(0, to)
    const lost = [
      lostIn(from, -to, drop),
      lostIn(this.fallen, drop, fallen),
      lostIn(this.restarted, Math.max(0, to), restarted),
    ]
    this.fallen = fallen
    this.restarted = restarted
    if (lost.some((one) => one !== 0)) this.falls = fallsMax + 1
  }
}

/** The least number of values of a column per hour, on average over a file, for which the file has its `boundDates` or its `squares`. */
interface ItemsOptions {
  readonly boundDatesRowsMin: number
  readonly squaresRowsMin: number
}

/** The items of one column by entry, up to the last entry that has any. */
export class HourItemsBuilder {
  readonly #place: number
  readonly #running = new RunningItems()
  /** Dates of the first, last, least and greatest item, and the longest gap: in steps after the series has ended, in milliseconds before. */
  readonly #firstAt = new GrowableInt32()
  readonly #lastAt = new GrowableInt32()
  readonly #gaps = new GrowableInt32()
  readonly #leastAt = new GrowableInt32()
  readonly #greatestAt = new GrowableInt32()
  readonly #first = new GrowableFloat64()
  readonly #last = new GrowableFloat64()
  readonly #falls = new GrowableInt32()
  readonly #squares = new GrowableFloat64()
  readonly #dates = [this.#firstAt, this.#lastAt, this.#gaps, this.#leastAt, this.#greatestAt]
  /** By entry, with zeros for hours without items. */
  readonly #entries = [...this.#dates, this.#falls, this.#first, this.#last, this.#squares]
  /** Integrals of the entries where the sum of the values does not determine them, and their number before the current series. */
  readonly #held = new GrowableFloat64()
  readonly #line = new GrowableFloat64()
  #unevenBefore = 0
  /** The same for the entries with counted falls. */
  readonly #fallen = new GrowableFloat64()
  readonly #restarted = new GrowableFloat64()
  #fallsBefore = 0

  /** `place` is the column's place in the file. */
  constructor(place: number) {
    this.#place = place
  }

  get bytes(): number {
    return this.#falls.length * 48 + (this.#held.length + this.#fallen.length) * 16
  }

  /** Adds rows of the current hour. */
  add(times: Float64Array, column: NumberColumn, start: number, end: number): void {
    this.#running.add(times, column, start, end)
  }

  /** Completes the current hour as an entry; its rows lie between these dates. */
  endHour(entry: number, firstMs: number, lastMs: number): void {
    const running = this.#running
    if (running.count === 0) return
    this.#fill(entry + 1)
    if (running.isKept) this.#set(entry, running, firstMs, lastMs)
    else this.#gaps.values[entry] = notKept
    running.clear()
  }

  #set(entry: number, running: RunningItems, firstMs: number, lastMs: number): void {
    this.#firstAt.values[entry] = running.firstMs - firstMs
    this.#lastAt.values[entry] = lastMs - running.lastMs
    this.#gaps.values[entry] = running.longestGapMs
    this.#leastAt.values[entry] = running.leastMs - firstMs
    this.#greatestAt.values[entry] = running.greatestMs - firstMs
    this.#first.values[entry] = running.first
    this.#last.values[entry] = running.last
    this.#squares.values[entry] = running.squares ?? notKept
    if (!running.isEven) {
      this.#held.push(running.held)
      this.#line.push(running.line)
    }
    const { countedFalls } = running
    this.#falls.values[entry] = countedFalls ?? notKept
    if (countedFalls !== null && countedFalls > 0) {
      this.#fallen.push(running.fallen)
      this.#restarted.push(running.restarted)
    }
  }

  /** Completes the series whose entries begin at `firstEntry`; the dates of its rows differ by multiples of `stepMs`. */
  endSeries(firstEntry: number, stepMs: number): void {
    for (const { values, length } of this.#dates)
      for (let entry = firstEntry; entry < length; entry++) if (values[entry] !== notKept) values[entry] /= stepMs
    this.#unevenBefore = this.#held.length
    this.#fallsBefore = this.#fallen.length
  }

  /** Removes the entries of the current series, which begin at `firstEntry`. */
  cut(firstEntry: number): void {
    for (const array of this.#entries) array.length = Math.min(array.length, firstEntry)
    for (const array of [this.#held, this.#line]) array.length = this.#unevenBefore
    for (const array of [this.#fallen, this.#restarted]) array.length = this.#fallsBefore
  }

  /** `counts` is the number of values by entry. */
  sections(entries: number, counts: Int32Array, { boundDatesRowsMin, squaresRowsMin }: ItemsOptions): Section[] {
    this.#fill(entries)
    const column = this.#place
    const dates = [used(this.#firstAt), used(this.#lastAt), used(this.#gaps)]
    const values = [used(this.#first), used(this.#last), used(this.#held), used(this.#line)]
    const sections: Section[] = [{ kind: 'items', column, bytes: joinArrays([...dates, ...values]) }]
    const hours = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0)
    const rows = counts.reduce((sum, count) => sum + count, 0)
    if (rows >= hours * boundDatesRowsMin) {
      const bytes = joinArrays([used(this.#leastAt), used(this.#greatestAt)])
      sections.push({ kind: 'boundDates', column, bytes })
    }
    if (used(this.#falls).some((falls) => falls !== 0)) {
      const bytes = joinArrays([used(this.#falls), used(this.#fallen), used(this.#restarted)])
      sections.push({ kind: 'falls', column, bytes })
    }
    if (rows >= hours * squaresRowsMin)
      sections.push({ kind: 'squares', column, bytes: joinArrays([used(this.#squares)]) })
    return sections
  }

  #fill(entries: number): void {
    for (const array of this.#entries) while (array.length < entries) array.push(0)
  }
}

/** Decodes the items of a column in the hours of a file; null when the arrays do not match the hours. */
export function readItems(arrays: Arrays, hours: Hours, sums: HourSums): HourItems | null {
  const rows = rowsOf(hours)
  const entries = hours.hoursMs.length
  const [firstAt, lastAt, gaps] = [arrays.int32(entries), arrays.int32(entries), arrays.int32(entries)]
  const items = {
    firstMs: datesOf(rows, firstAt),
    lastMs: rows.lastMs.map((ms, entry) => ms - lastAt[entry] * rows.stepsMs[entry]),
    first: arrays.float64(entries),
    last: arrays.float64(entries),
    longestGapMs: Float64Array.from(gaps, (gap, entry) => (gap === notKept ? gap : gap * rows.stepsMs[entry])),
    held: new Float64Array(entries),
    line: new Float64Array(entries),
  }
  const uneven: number[] = []
  for (let entry = 0; entry < entries; entry++) if (!addEven(items, entry, sums)) uneven.push(entry)
  const [held, line] = [arrays.float64(uneven.length), arrays.float64(uneven.length)]
  for (const [place, entry] of uneven.entries()) {
    items.held[entry] = held[place]
    items.line[entry] = line[place]
  }
  return arrays.isAtEnd ? items : null
}

/** Computes the integrals of an entry with equally spaced items from the sum of its values; returns false when they are not equally spaced. */
function addEven(items: HourItems, entry: number, { counts, sums, errors }: HourSums): boolean {
  const { firstMs, lastMs, longestGapMs, first, last, held, line } = items
  const gapMs = longestGapMs[entry]
  if (gapMs <= 0) return true
  if (gapMs * (counts[entry] - 1) !== lastMs[entry] - firstMs[entry]) return false
  const [sum, error] = [sums[entry], errors?.[entry] ?? 0]
  held[entry] = totalLess(sum, error, [last[entry]]) * gapMs
  // Doubled first and halved last, because denormals cannot be halved exactly.
  line[entry] = (totalLess(2 * sum, 2 * error, [first[entry], last[entry]]) * gapMs) / 2
  return true
}

/** A sum with its rounding error, minus some of its values. */
function totalLess(sum: number, lost: number, values: readonly number[]): number {
  let [left, error] = [sum, lost]
  for (const value of values) {
    const next = left - value
    error += lostIn(left, -value, next)
    left = next
  }
  return left + error
}

const datesOf = ({ firstMs, stepsMs }: HourRows, at: Int32Array): Float64Array =>
  firstMs.map((ms, entry) => ms + at[entry] * stepsMs[entry])

export function readBoundDates(arrays: Arrays, hours: Hours): HourBoundDates | null {
  const rows = rowsOf(hours)
  const entries = hours.hoursMs.length
  const dates = { leastMs: datesOf(rows, arrays.int32(entries)), greatestMs: datesOf(rows, arrays.int32(entries)) }
  return arrays.isAtEnd ? dates : null
}

/** NaN where rows have to be read. */
export function readSquares(arrays: Arrays, entries: number): HourSquares | null {
  const aboutFirst = arrays.float64(entries).map((squares) => (squares === notKept ? Number.NaN : squares))
  return arrays.isAtEnd ? { aboutFirst } : null
}

/** NaN where rows have to be read. */
export function readFalls(arrays: Arrays, entries: number): HourFalls | null {
  const counts = Float64Array.from(arrays.int32(entries), (falls) => (falls === notKept ? Number.NaN : falls))
  const some = counts.reduce((hours, falls) => hours + (falls > 0 ? 1 : 0), 0)
  const [fallen, restarted] = [arrays.float64(some), arrays.float64(some)]
  const falls = { counts, fallen: new Float64Array(entries), restarted: new Float64Array(entries) }
  for (let entry = 0, place = 0; entry < entries; entry++) {
    if (!(counts[entry] > 0)) continue
    falls.fallen[entry] = fallen[place]
    falls.restarted[entry] = restarted[place++]
  }
  return arrays.isAtEnd ? falls : null
}
