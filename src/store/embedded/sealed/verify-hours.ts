import { lostIn } from '../../../lib/lost-in-sum.ts'
import type { ColumnVector } from '../../../model/column.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { GrowableFloat64 } from '../head/growable.ts'
import type {
  HourBoundDates,
  HourBounds,
  HourFalls,
  HourItems,
  HourSquares,
  HourSums,
} from '../reading/sealed-source.ts'
import { type Sum, sumRows } from '../run/sum.ts'
import { type HourRows, type Hours, RunningItems, rowsOf } from './hour-items.ts'
import { type Section, sectionKinds } from './index-layout.ts'
import type { LoadedIndex } from './loaded-index.ts'
import { addPooled, PooledSumsBuilder } from './pooled-sums.ts'

interface VerifiedColumn {
  readonly place: number
  readonly type: 'double' | 'long'
  readonly sums: HourSums | null
  readonly bounds: HourBounds | null
  readonly items: HourItems | null
  readonly boundDates: HourBoundDates | null
  readonly falls: HourFalls | null
  readonly squares: HourSquares | null
  /** The values of the current hour. */
  readonly values: GrowableFloat64
}

/** Recomputes the rollups of a file from its rows and compares them. */
export class VerifiedHours {
  readonly #loaded: LoadedIndex
  readonly #fault: (what: string) => void
  readonly #columns: readonly VerifiedColumn[]
  readonly #rows: HourRows | null
  /** State of the current series: its next entry, and the hour that is being gathered. */
  #entry = 0
  #hour = Number.NaN
  readonly #times = new GrowableFloat64()

  constructor(loaded: LoadedIndex, fault: (what: string) => void) {
    this.#loaded = loaded
    this.#fault = fault
    this.#rows = loaded.hours && rowsOf(loaded.hours)
    this.#columns = loaded.index.columns.flatMap(({ role, type }, place) =>
      loaded.hours !== null && role === 'value' && (type === 'double' || type === 'long')
        ? [verifiedColumn(loaded, place, type)]
        : [],
    )
  }

  /** Adds the next rows of a series. */
  add(place: number, columns: readonly ColumnVector[], start: number, end: number): void {
    const [times] = columns
    if (!this.#has(place) || times.type !== 'timestamp') return
    for (let row = start; row < end; row++) {
      const hour = Math.floor(times.values[row] / hourMs)
      if (hour !== this.#hour) this.#endHour(place)
      this.#hour = hour
      this.#times.push(times.values[row])
      for (const column of this.#columns) {
        const { values } = column
        const vector = columns[column.place]
        if (vector.type === 'double' || vector.type === 'long') values.push(vector.values[row])
      }
    }
  }

  end(place: number): void {
    if (!this.#has(place)) return
    this.#endHour(place)
    this.#hour = Number.NaN
    if (this.#entry !== this.#loaded.hours?.ends[place])
      this.#fault(`place ${place} has not the hours that its rollups have`)
    this.#entry = this.#loaded.hours?.ends[place] ?? 0
  }

  /** Called after all series: the rollups of all series together must equal the sums of those of each. */
  endFile(): void {
    const { index, hours } = this.#loaded
    const expected = hours === null ? [] : this.#poolOf(hours)
    const pooledKinds: readonly number[] = [sectionKinds.pooledHours, sectionKinds.pooledSums]
    const there = index.sections.filter(({ kind }) => pooledKinds.includes(kind))
    const isSame = expected.every(({ kind, column, bytes }) => {
      const found = index.section(kind, column)
      return found !== null && Buffer.compare(new Uint8Array(found), bytes) === 0
    })
    if (!isSame || there.length !== expected.length)
      this.#fault('the rollups of all series together are not those of each')
  }

  #poolOf({ ends, hoursMs }: Hours): Section[] {
    const pooled = new PooledSumsBuilder(this.#columns.map(({ place }) => place))
    let entry = 0
    for (const end of ends) {
      pooled.endSeries(entry === end)
      for (; entry < end; entry++) {
        const slot = pooled.slotOf(hoursMs[entry] / hourMs)
        for (const [column, { sums }] of this.#columns.entries()) {
          if (sums === null || sums.counts[entry] === 0) continue
          const { sums: sum, errors, counts } = sums
          addPooled(pooled.columns[column], slot, sum[entry], errors?.[entry] ?? 0, counts[entry])
        }
      }
    }
    return [...pooled.sections()]
  }

  #has(place: number): boolean {
    const { hours } = this.#loaded
    return hours !== null && hours.ends[place] > (place === 0 ? 0 : hours.ends[place - 1])
  }

  #endHour(place: number): void {
    const { hours } = this.#loaded
    if (Number.isNaN(this.#hour) || hours === null) return
    const entry = this.#entry++
    const times = this.#times.values.subarray(0, this.#times.length)
    const isOfRows =
      hours.hoursMs[entry] === this.#hour * hourMs &&
      this.#rows?.firstMs[entry] === times[0] &&
      this.#rows?.lastMs[entry] === times.at(-1)
    const isSame = (column: VerifiedColumn): boolean => isRight(column, entry) && hasItems(column, entry, times)
    if (!isOfRows || !this.#columns.every(isSame))
      this.#fault(
        `place ${place}: the rollups of the hour ${new Date(this.#hour * hourMs).toISOString()} are not those of its rows`,
      )
    this.#times.length = 0
    for (const { values } of this.#columns) values.length = 0
  }
}

function verifiedColumn(loaded: LoadedIndex, place: number, type: VerifiedColumn['type']): VerifiedColumn {
  return {
    place,
    type,
    sums: loaded.sums(place),
    bounds: loaded.bounds(place),
    items: loaded.items(place),
    boundDates: loaded.boundDates(place),
    falls: loaded.falls(place),
    squares: loaded.squares(place),
    values: new GrowableFloat64(),
  }
}

/** Whether the items of an entry match those of the gathered values. */
function hasItems(column: VerifiedColumn, entry: number, times: Float64Array): boolean {
  const { type, values, items, boundDates, falls, squares } = column
  const found = new RunningItems()
  found.add(times, { type, values: values.values, exact: null }, 0, values.length)
  if (found.count === 0) return true
  const gapMs = items?.longestGapMs[entry]
  if (items === null || gapMs === undefined || !found.isKept) return !found.isKept && gapMs === -1
  const { countedFalls } = found
  return (
    gapMs === found.longestGapMs &&
    items.firstMs[entry] === found.firstMs &&
    items.lastMs[entry] === found.lastMs &&
    items.first[entry] === found.first &&
    items.last[entry] === found.last &&
    (found.isEven || (items.held[entry] === found.held && items.line[entry] === found.line)) &&
    (boundDates === null ||
      (boundDates.leastMs[entry] === found.leastMs && boundDates.greatestMs[entry] === found.greatestMs)) &&
    (squares === null || isSame(squares.aboutFirst[entry], found.squares ?? Number.NaN)) &&
    isSame(falls?.counts[entry] ?? 0, countedFalls ?? Number.NaN) &&
    (found.falls === 0 ||
      countedFalls === null ||
      (falls?.fallen[entry] === found.fallen && falls.restarted[entry] === found.restarted))
  )
}

/** Whether the sums and bounds of an entry match the gathered values. */
function isRight({ sums, bounds, values: { values, length } }: VerifiedColumn, entry: number): boolean {
  const sum: Sum = { sum: 0, error: 0, count: 0 }
  sumRows(values, 0, length, 1, sum)
  if (sums === null || bounds === null) return sum.count === 0
  const isSound = Number.isFinite(sum.sum + sum.error)
  const present = values.subarray(0, length).filter((value) => !Number.isNaN(value))
  const least = present.length === 0 ? Number.NaN : present.reduce((left, right) => Math.min(left, right))
  const greatest = present.length === 0 ? Number.NaN : present.reduce((left, right) => Math.max(left, right))
  return (
    sums.counts[entry] === sum.count &&
    isSameTotal(sums.sums[entry], sums.errors?.[entry] ?? 0, isSound ? sum.sum : Number.NaN, isSound ? sum.error : 0) &&
    isSame(bounds.least[entry], least) &&
    isSame(bounds.greatest[entry], greatest)
  )
}

/** Whether two sums with their rounding errors have the same total. */
function isSameTotal(sum: number, error: number, otherSum: number, otherError: number): boolean {
  const total = sum + error
  const other = otherSum + otherError
  return isSame(total, other) && isSame(lostIn(sum, error, total), lostIn(otherSum, otherError, other))
}

function isSame(left: number, right: number): boolean {
  return left === right || (Number.isNaN(left) && Number.isNaN(right))
}
