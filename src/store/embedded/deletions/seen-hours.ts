// Hours of which something is not seen, as a file would say them without it: worked out from their rows once, and kept.
import type { Stretch } from '../head/chunk.ts'
import type { SeriesRollups } from '../reading/sealed-source.ts'
import { addToSlot } from '../run/sum.ts'
import { RunningItems } from '../sealed/hour-items.ts'

/** Rows that are read at once to learn hours; an hour of more is never learned, its rows are read each time. */
export const learnedRowsMax = 16_384
/** What an hour counts as at least: its rows have to be found. */
export const learnedHourRows = 64

/** How many numbers are kept of an hour of a column, and about what each of their arrays takes before there is one. */
const numbersOfColumn = 18
const emptyArrayBytes = 64

/** Of an hour that was not learned. */
const unknown = -1

/** Numbers by name, those of an hour at its slot. */
type BySlot<Name extends string> = Readonly<Record<Name, number[]>>
type ByHour<Name extends string> = Readonly<Record<Name, Float64Array>>

/** What is known of a column, as of `SeriesRollups`. */
class SeenColumn {
  readonly sums = bySlot('counts', 'sums', 'errors')
  readonly bounds = bySlot('least', 'greatest')
  readonly items = bySlot('firstMs', 'lastMs', 'first', 'last', 'longestGapMs', 'held', 'line')
  readonly boundDates = bySlot('leastMs', 'greatestMs')
  readonly falls = bySlot('counts', 'fallen', 'restarted')
  readonly squares = bySlot('aboutFirst')

  add(stretches: readonly Stretch[], index: number): void {
    const [sums, errors, counts] = [new Float64Array(1), new Float64Array(1), new Float64Array(1)]
    const [least, greatest] = [Float64Array.of(Number.NaN), Float64Array.of(Number.NaN)]
    const running = new RunningItems()
    for (const { chunk, start, end } of stretches) {
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
    // Less than 0: rows have to be read.
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

/** What was learned of the hours of a series, of some columns of numbers. */
export class SeenHours {
  readonly #columns: ReadonlyMap<number, SeenColumn>
  /** By hour of the series. */
  readonly #slots: Int32Array
  #learned = 0

  /** `hours`: how many the series has. */
  constructor(hours: number, columns: readonly number[]) {
    this.#columns = new Map(columns.map((index) => [index, new SeenColumn()]))
    this.#slots = new Int32Array(hours).fill(unknown)
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return 4 * this.#slots.length + this.#columns.size * (numbersOfColumn * (emptyArrayBytes + 8 * this.#learned))
  }

  isKnown(hour: number): boolean {
    return this.#slots[hour] !== unknown
  }

  /** Takes all rows of an hour that are seen. */
  learn(hour: number, stretches: readonly Stretch[]): void {
    for (const [index, column] of this.#columns) column.add(stretches, index)
    this.#slots[hour] = this.#learned++
  }

  /** Rollups of the hours from one of the series on, with those that were learned as they are seen. */
  over(stored: SeriesRollups, first: number): SeriesRollups {
    const slots = this.#slots.subarray(first, first + stored.length)
    const laid = <Name extends string>(all: ByHour<Name> | null, seen: () => BySlot<Name>): ByHour<Name> | null =>
      all && laidOver(all, seen(), slots)
    const of = (index: number): SeenColumn => {
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
      falls: (index) => laid(stored.falls(index), () => of(index).falls),
      squares: (index) => laid(stored.squares(index), () => of(index).squares),
    }
  }
}

function laidOver<Name extends string>(all: ByHour<Name>, seen: BySlot<Name>, slots: Int32Array): ByHour<Name> {
  const laid: Record<Name, Float64Array> = { ...all }
  for (const name in seen) {
    const [values, own] = [all[name].slice(), seen[name]]
    for (let hour = 0; hour < slots.length; hour++) if (slots[hour] !== unknown) values[hour] = own[slots[hour]!]!
    laid[name] = values
  }
  return laid
}
