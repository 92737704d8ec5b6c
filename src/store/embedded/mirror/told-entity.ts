// What a mirror is told of one entity, and whether more of its rows may be told.
import type { RowBatch } from '../../../model/row-batch.ts'

/** Telling costs both threads some tenths of a microsecond a row: of rows that come faster nothing is told. */
const rowsOfWindow = 65_536
const windowMs = 1000

/** Rows that come while those before them are told. */
export interface Telling {
  readonly held: RowBatch[]
}

export class ToldEntity {
  /** How many of its series were told. */
  series = 0
  /** About how much memory it takes in the mirror. */
  bytes = 0
  /** Whether each row that comes is told: all before it were. */
  isWhole = false
  /** The rows in memory are told a part at a time. */
  telling: Telling | null = null
  #windowFromMs = Number.NEGATIVE_INFINITY
  #windowRows = 0

  /** Counts rows that came; false where they come too fast to be told. */
  came(rows: number, nowMs: number): boolean {
    if (!this.#isWithin(nowMs)) {
      this.#windowFromMs = nowMs
      this.#windowRows = 0
    }
    this.#windowRows += rows
    return this.#windowRows <= rowsOfWindow
  }

  /** Whether few rows have come of late. */
  isQuiet(nowMs: number): boolean {
    return !this.#isWithin(nowMs) || this.#windowRows <= rowsOfWindow / 4
  }

  #isWithin(nowMs: number): boolean {
    return nowMs >= this.#windowFromMs && nowMs < this.#windowFromMs + windowMs
  }
}
