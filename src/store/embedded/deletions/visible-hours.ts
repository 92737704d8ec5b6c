// Rollups of hours with hidden rows or values, as a file without these would have them: computed from the visible rows once, then kept.
import type { RowSlice } from '../head/chunk.ts'
import type { HourFalls, SeriesRollups } from '../reading/sealed-source.ts'
import { addToSlot } from '../run/sum.ts'
import { RunningItems } from '../sealed/hour-items.ts'

/** The most rows that are read at once to learn hours. An hour with more rows is never learned: its rows are read each time. */
export const learnedRowsMax = 16_384
/** The least number of rows that an hour counts as: its rows must be found first. */
export const learnedHourRows = 64

/** The number of arrays of a column, each with one number for each hour; and the approximate size of an empty array. */
const numbersOfColumn = 18
const emptyArrayBytes = 64

/** The slot of an hour that is not learned. */
const unknown = -1

/** Arrays by name, indexed by the slot of an hour. */
type BySlot<Name extends string> = Readonly<Record<Name, number[]>>
type ByHour<Name extends string> = Readonly<Record<Name, Float64Array>>

/** The learned rollups of a column, with the parts of `SeriesRollups`. */
class VisibleColumn {
  readonly sums = bySlot('counts', 'sums', 'errors')
  readonly bounds = bySlot('least', 'greatest')
  readonly items = bySlot('firstMs', 'lastMs', 'first', 'last', 'longestGapMs', 'held', 'line')
  readonly boundDates = bySlot('leastMs', 'greatestMs')
  readonly falls = bySlot('counts', 'fallen', 'restarted')
  readonly squares = bySlot('aboutFirst')

  add(slices: readonly RowSlice[], index: number): void {
    const [sums, errors, counts] = [new Float64Array(1), new Float64Array(1), new Float64Array(1)]
    const [least, greatest] = [Float64Array.of(Number.NaN), Float64Array.of(Number.NaN)]
    const running = new RunningItems()
    for (const { chunk, start, end } of slices) {
      const column = chunk.columns[index]
      if (column === undefined) continue
      if (column.type !== 'double' && column.type !== 'long') throw new Error('only numbers are summed')
      addToSlot({ sums, errors, counts, least, greatest }, 0, column.values, start, end)
      running.add(chunk.times, column, start, end)
    }
    const isKnown = Number.isFinite(sums[0]! + errors[0]!)
    const [sum, error] = isKnown ? [sums[0]!, errors[0]!] : [Number.NaN, 0]
    push(this.sums, { counts: counts[0]!, sums: sum, errors: error })
    push(this.bounds, { least: least[0]!, greatest: greatest[0]! })
    this.#pushItems(running)
  }

  #pushItems(running: RunningItems): void {
    const { firstMs, lastMs, first, last, held, line, leastMs, greatestMs, fallen, restarted } = running
    // A negative value means that rows must be read.
    const longestGapMs = running.isKept ? running.longestGapMs : -1
    push(this.items, { firstMs, lastMs, first, last, longestGapMs, held, line })
    push(this.boundDates, { leastMs, greatestMs })
    push(this.falls, { counts: running.countedFalls ?? Number.NaN, fallen, restarted })
    push(this.squares, { aboutFirst: running.squares ?? Number.NaN })
  }
}

function bySlot<Name extends string>(...names: readonly Name[]): BySlot<Name> {
  return Object.fromEntries(names.map((name) => [name, []])) as unknown as BySlot<Name>
}

function push<Name extends string>(to: BySlot<Name>, numbers: Readonly<Record<Name, number>>): void {
  for (const name in to) to[name].push(numbers[name])
}

/** The learned hours of a series, for some columns of numbers. */
export class VisibleHours {
  readonly #columns: ReadonlyMap<number, VisibleColumn>
  /** Indexed by the hour's number in the series. */
  readonly #slots: Int32Array
  #learned = 0

  /** `hours` is the number of hours of the series. */
  constructor(hours: number, columns: readonly number[]) {
    this.#columns = new Map(columns.map((index) => [index, new VisibleColumn()]))
    this.#slots = new Int32Array(hours).fill(unknown)
  }

  /** The approximate memory use. */
  get bytes(): number {
    return 4 * this.#slots.length + this.#columns.size * (numbersOfColumn * (emptyArrayBytes + 8 * this.#learned))
  }

  isKnown(hour: number): boolean {
    return this.#slots[hour] !== unknown
  }

  /** Computes the rollups of an hour from all its visible rows. */
  learn(hour: number, slices: readonly RowSlice[]): void {
    for (const [index, column] of this.#columns) column.add(slices, index)
    this.#slots[hour] = this.#learned++
  }

  /** The rollups of the hours from number `first` of the series on. Learned hours replace the stored ones. */
  over(stored: SeriesRollups, first: number): SeriesRollups {
    const slots = this.#slots.subarray(first, first + stored.length)
    const laid = <Name extends string>(all: ByHour<Name> | null, seen: () => BySlot<Name>): ByHour<Name> | null =>
      all && laidOver(all, seen(), slots)
    const of = (index: number): VisibleColumn => {
      const column = this.#columns.get(index)
      if (column === undefined) throw new Error('a column that is not wanted has no hours as they are seen')
      return column
    }
    return {
      length: stored.length,
      hoursMs: stored.hoursMs,
      hidden: stored.hidden?.map((isHidden, hour) => (slots[hour] === unknown ? isHidden : 0)) ?? null,
      column: (index) => {
        const all = stored.column(index)
        if (all === null) return null
        const { counts, sums, errors } = all
        return laidOver({ counts, sums, errors: errors ?? new Float64Array(counts.length) }, of(index).sums, slots)
      },
      bounds: (index) => laid(stored.bounds(index), () => of(index).bounds),
      items: (index) => laid(stored.items(index), () => of(index).items),
      boundDates: (index) => laid(stored.boundDates(index), () => of(index).boundDates),
      // A file without falls may hold hours whose order is not kept: their visible rows may have some.
      falls: (index) => laid(stored.falls(index) ?? noFalls(stored.length), () => of(index).falls),
      squares: (index) => laid(stored.squares(index), () => of(index).squares),
    }
  }
}

const noFalls = (hours: number): HourFalls => ({
  counts: new Float64Array(hours),
  fallen: new Float64Array(hours),
  restarted: new Float64Array(hours),
})

function laidOver<Name extends string>(all: ByHour<Name>, seen: BySlot<Name>, slots: Int32Array): ByHour<Name> {
  const laid: Record<Name, Float64Array> = { ...all }
  for (const name in seen) {
    const [values, own] = [all[name].slice(), seen[name]]
    for (let hour = 0; hour < slots.length; hour++) if (slots[hour] !== unknown) values[hour] = own[slots[hour]!]!
    laid[name] = values
  }
  return laid
}
