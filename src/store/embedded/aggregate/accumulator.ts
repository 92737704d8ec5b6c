// The state of each aggregate, by group. An accumulator adds rows, or the hourly rollups of files in place of their rows.
import type { GroupValue } from '../../../algebra/aggregation.ts'
import type { Chunk } from '../head/chunk.ts'
import type { DigitBounds, HourSums } from '../reading/sealed-source.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import { GroupSums, type Sum, sumRows } from '../run/sum.ts'
import { Amounts } from './amounts.ts'
import { DistinctCount } from './distinct-count.ts'
import { EndTime, EndValue } from './end-rows.ts'
import type { GroupAggregate } from './grouping.ts'
import { LongExtremes, LongSums } from './longs.ts'

/**
 * The rollups of one column over some hours. Both are null where no row has a value, or for an aggregate without a column. `bounds` is also null
 * where the rollups have none or the aggregate needs none.
 */
export interface ColumnHours {
  readonly sums: HourSums | null
  readonly bounds: DigitBounds | null
}

export interface Accumulator {
  /** Adds rows [start, end) of a series. */
  addRows(group: number, chunk: Chunk, start: number, end: number, series: number): void
  /** Whether the rollups of an hour can replace its rows. */
  canUseHour(hours: ColumnHours, hour: number): boolean
  addHour(group: number, hours: ColumnHours, hour: number, rows: number, series: number): void
  value(group: number): GroupValue
}

/** `index` is the index of the column, -1 for an aggregate without one. */
export function accumulatorOf(
  aggregate: GroupAggregate,
  index: number,
  accessorOf: (name: string) => FieldAccessor,
): Accumulator {
  switch (aggregate.kind) {
    case 'rows':
      return new RowCount()
    case 'values':
      return new ValueCount(index)
    case 'distinct':
      return new DistinctCount(accessorOf(aggregate.field.name), aggregate.countsEmpty)
    case 'endTime':
      return new EndTime(aggregate.end === 'newest')
    case 'endValue':
      return new EndValue(aggregate.end === 'newest', index)
    case 'mean':
      return new DoubleSum(index, true)
    case 'sum':
      return aggregate.type === 'double' ? new DoubleSum(index, false) : new LongSum(index)
    case 'least':
    case 'greatest': {
      const isLeast = aggregate.kind === 'least'
      return aggregate.type === 'double' ? new DoubleExtreme(index, isLeast) : new LongExtreme(index, isLeast)
    }
  }
}

/** The numbers of a column; null where the chunk has none. */
export function numbersOf(chunk: Chunk, index: number) {
  const column = chunk.columns[index]
  return column?.type === 'double' || column?.type === 'long' ? column : null
}

class RowCount implements Accumulator {
  readonly #counts = new Amounts()

  addRows(group: number, _: Chunk, start: number, end: number): void {
    this.#counts.add(group, end - start)
  }

  canUseHour(): boolean {
    return true
  }

  addHour(group: number, _: ColumnHours, __: number, rows: number): void {
    this.#counts.add(group, rows)
  }

  value(group: number): GroupValue {
    return BigInt(this.#counts.at(group))
  }
}

class ValueCount implements Accumulator {
  readonly #counts = new Amounts()
  readonly #index: number

  constructor(index: number) {
    this.#index = index
  }

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    const values = numbersOf(chunk, this.#index)?.values
    if (values === undefined) return
    let count = 0
    for (let row = start; row < end; row++) if (!Number.isNaN(values[row])) count++
    this.#counts.add(group, count)
  }

  canUseHour(): boolean {
    return true
  }

  addHour(group: number, { sums }: ColumnHours, hour: number): void {
    if (sums !== null) this.#counts.add(group, sums.counts[hour])
  }

  value(group: number): GroupValue {
    return BigInt(this.#counts.at(group))
  }
}

class DoubleSum implements Accumulator {
  readonly #sums = new GroupSums()
  readonly #part: Sum = { sum: 0, error: 0, count: 0 }
  readonly #index: number
  readonly #isMean: boolean

  constructor(index: number, isMean: boolean) {
    this.#index = index
    this.#isMean = isMean
  }

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    const values = numbersOf(chunk, this.#index)?.values
    if (values === undefined) return
    sumRows(values, start, end, 1, this.#part)
    if (this.#part.count > 0) this.#sums.add(group, this.#part, values, start, end)
  }

  canUseHour({ sums }: ColumnHours, hour: number): boolean {
    return sums === null || !Number.isNaN(sums.sums[hour])
  }

  addHour(group: number, { sums }: ColumnHours, hour: number): void {
    if (sums === null || sums.counts[hour] === 0) return
    this.#sums.addSum(group, sums.sums[hour], sums.errors?.[hour] ?? 0, sums.counts[hour])
  }

  value(group: number): GroupValue {
    const value = this.#isMean ? this.#sums.mean(group) : this.#sums.sum(group)
    return Number.isNaN(value) ? null : value
  }
}

class DoubleExtreme implements Accumulator {
  readonly #isLeast: boolean
  readonly #extremes = new Amounts(Number.NaN)
  readonly #index: number

  constructor(index: number, isLeast: boolean) {
    this.#index = index
    this.#isLeast = isLeast
  }

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    const values = numbersOf(chunk, this.#index)?.values
    if (values === undefined) return
    this.#take(group, this.#isLeast ? leastOf(values, start, end) : greatestOf(values, start, end))
  }

  canUseHour({ sums, bounds }: ColumnHours): boolean {
    return sums === null || bounds !== null
  }

  addHour(group: number, { bounds }: ColumnHours, hour: number): void {
    if (bounds !== null) this.#take(group, this.#isLeast ? bounds.least[hour] : bounds.greatest[hour])
  }

  value(group: number): GroupValue {
    const value = this.#extremes.at(group)
    return Number.isNaN(value) ? null : value
  }

  #take(group: number, value: number): void {
    const known = this.#extremes.at(group)
    if (Number.isNaN(known) || (this.#isLeast ? value < known : value > known)) this.#extremes.set(group, value)
  }
}

function leastOf(values: Float64Array, start: number, end: number): number {
  let least = Number.NaN
  for (let row = start; row < end; row++) if (!(values[row] >= least) && !Number.isNaN(values[row])) least = values[row]
  return least
}

function greatestOf(values: Float64Array, start: number, end: number): number {
  let greatest = Number.NaN
  for (let row = start; row < end; row++) {
    if (!(values[row] <= greatest) && !Number.isNaN(values[row])) greatest = values[row]
  }
  return greatest
}

/** Whether the rollups of an hour are exact for longs: they have exact totals, or all values are below 2^53 in size, where doubles are exact. */
function areExact({ sums, bounds }: ColumnHours, hour: number): boolean {
  if (sums === null || sums.counts[hour] === 0) return true
  if (sums.totals !== undefined) return true
  return bounds !== null && bounds.least[hour] > -(2 ** 53) && bounds.greatest[hour] < 2 ** 53
}

class LongSum implements Accumulator {
  readonly #sums = new LongSums()
  readonly #index: number

  constructor(index: number) {
    this.#index = index
  }

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    const column = numbersOf(chunk, this.#index)
    if (column !== null) this.#sums.addRows(group, column, start, end)
  }

  canUseHour(hours: ColumnHours, hour: number): boolean {
    return areExact(hours, hour)
  }

  addHour(group: number, { sums }: ColumnHours, hour: number): void {
    if (sums === null || sums.counts[hour] === 0) return
    if (sums.totals !== undefined) this.#sums.addSum(group, sums.totals[hour])
    else this.#sums.addSum(group, BigInt(sums.sums[hour]) + BigInt(sums.errors?.[hour] ?? 0))
  }

  value(group: number): GroupValue {
    return this.#sums.value(group)
  }
}

class LongExtreme implements Accumulator {
  readonly #isLeast: boolean
  readonly #extremes: LongExtremes
  readonly #index: number

  constructor(index: number, isLeast: boolean) {
    this.#index = index
    this.#isLeast = isLeast
    this.#extremes = new LongExtremes(isLeast)
  }

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    const column = numbersOf(chunk, this.#index)
    if (column !== null) this.#extremes.addRows(group, column, start, end)
  }

  canUseHour(hours: ColumnHours, hour: number): boolean {
    return areExact(hours, hour)
  }

  addHour(group: number, { sums, bounds }: ColumnHours, hour: number): void {
    if (sums === null || bounds === null || sums.counts[hour] === 0) return
    const digits = (this.#isLeast ? bounds.digits?.least : bounds.digits?.greatest)?.[hour] ?? null
    this.#extremes.add(group, this.#isLeast ? bounds.least[hour] : bounds.greatest[hour], digits)
  }

  value(group: number): GroupValue {
    return this.#extremes.value(group)
  }
}
