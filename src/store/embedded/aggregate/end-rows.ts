// The newest or the oldest row of each group: its time, or one of its values, which may be null.
import type { GroupValue } from '../../../algebra/aggregation.ts'
import { type Chunk, isNullIn } from '../head/chunk.ts'
import { Amounts } from './amounts.ts'

/** Rows come ordered by time and position, so the first or the last of a range is the oldest or the newest. */
abstract class EndRow {
  readonly #isNewest: boolean
  readonly #times = new Amounts(Number.NaN)
  readonly #positions = new Amounts(Number.NaN)

  constructor(isNewest: boolean) {
    this.#isNewest = isNewest
  }

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    const row = this.#isNewest ? end - 1 : start
    const ms = chunk.times[row]
    const knownMs = this.#times.at(group)
    // Positions of pages are decoded on first use.
    if (this.#isNewest ? ms < knownMs : ms > knownMs) return
    const position = chunk.positions[row]
    if (ms === knownMs) {
      const known = this.#positions.at(group)
      if (this.#isNewest ? position < known : position > known) return
    }
    this.#times.set(group, ms)
    this.#positions.set(group, position)
    this.keep(group, chunk, row)
  }

  canUseHour(): boolean {
    return false
  }

  addHour(): void {
    throw new Error('an hour does not say what its rows are')
  }

  /** The time of the row; NaN where there is none. */
  protected msOf(group: number): number {
    return this.#times.at(group)
  }

  protected abstract keep(group: number, chunk: Chunk, row: number): void
  abstract value(group: number): GroupValue
}

export class EndTime extends EndRow {
  protected keep(): void {
    // The base class already keeps the time.
  }

  value(group: number): GroupValue {
    const ms = this.msOf(group)
    return Number.isNaN(ms) ? null : ms
  }
}

export class EndValue extends EndRow {
  readonly #index: number
  readonly #values: GroupValue[] = []

  constructor(isNewest: boolean, index: number) {
    super(isNewest)
    this.#index = index
  }

  protected keep(group: number, chunk: Chunk, row: number): void {
    this.#values[group] = valueIn(chunk, this.#index, row)
  }

  value(group: number): GroupValue {
    return this.#values[group] ?? null
  }
}

function valueIn(chunk: Chunk, index: number, row: number): GroupValue {
  const column = chunk.columns[index]
  if (column === undefined || isNullIn(column, row)) return null
  if (column.type === 'string') return column.dictionary[column.codes[row]]
  if (column.type !== 'long') return column.values[row]
  const value = column.values[row]
  return column.exact !== null && Math.abs(value) >= 2 ** 53 ? column.exact[row] : BigInt(value)
}
