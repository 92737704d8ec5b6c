import type { Pacer } from '../lib/pacer.ts'
import { inOrder, sortInSlices } from '../lib/sort-in-slices.ts'
import type { FieldType } from '../model/field.ts'
import type { PlanLimits } from '../model/plan.ts'
import { Problem } from '../model/problem.ts'
import { type ColumnBuilder, newColumnBuilder } from './column-builder.ts'
import { resultTooLarge } from './limits.ts'
import type { ResultBatch } from './series-store.ts'

/** Rows in one part of a result. */
const batchRows = 16_384
/** Rows that are added without a pause. */
const rowsAtOnce = 1024

/** Collects the rows of an answer until they are sorted. */
export class AnswerRows {
  readonly #columns: readonly ColumnBuilder[]
  readonly #limits: PlanLimits
  #length = 0

  constructor(types: readonly FieldType[], limits: PlanLimits) {
    this.#columns = types.map(newColumnBuilder)
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /** Throws Problem `result_too_large` when there are more rows than an answer may have. */
  add(rows: readonly (readonly unknown[])[]): void {
    this.#length += rows.length
    if (this.#length > this.#limits.resultRows) throw resultTooLarge(this.#limits.resultRows, null)
    this.#columns.forEach((column, index) => {
      for (const row of rows) column.push(row[index])
    })
    this.#checkText()
  }

  /** Like `add`, in pieces between which other work gets its turn. */
  async addAll(rows: Iterable<readonly unknown[]>, pacer: Pacer): Promise<void> {
    let piece: (readonly unknown[])[] = []
    for (const row of rows) {
      if (piece.push(row) < rowsAtOnce) continue
      this.add(piece)
      piece = []
      if (pacer.spend(rowsAtOnce * row.length)) await pacer.rest()
    }
    this.add(piece)
  }

  /** Adds one row and returns its index. The caller checks the number of rows. */
  push(row: readonly unknown[]): number {
    this.#columns.forEach((column, index) => {
      column.push(row[index])
    })
    return this.#length++
  }

  compare(column: number, left: number, right: number): number {
    return this.#columns[column].compare(left, right)
  }

  /** The indexes of all rows, sorted by these columns. */
  inOrderOf(columns: readonly number[], pacer: Pacer): Promise<Int32Array> {
    const compare = (left: number, right: number): number => {
      for (const column of columns) {
        const order = this.#columns[column].compare(left, right)
        if (order !== 0) return order
      }
      return 0
    }
    return sortInSlices(inOrder(this.#length), 0, compare, pacer)
  }

  /** The rows at these indexes, with the first `columns` of their columns. */
  async *batches(places: Int32Array, columns: number, pacer: Pacer): AsyncGenerator<ResultBatch> {
    const shown = this.#columns.slice(0, columns)
    for (let start = 0; start < places.length; start += batchRows) {
      const part = places.subarray(start, start + batchRows)
      yield { rows: part.length, columns: shown.map((column) => column.pick(part)) }
      if (pacer.spend(part.length * columns)) await pacer.rest()
    }
  }

  /** Each distinct string is in the answer at least once, so more of them than an answer may contain are not kept in memory. */
  #checkText(): void {
    let chars = 0
    for (const column of this.#columns) chars += column.textChars
    const { resultBytes } = this.#limits
    if (chars <= resultBytes) return
    throw new Problem(
      'result_too_large',
      `The answer would have more than ${resultBytes} bytes, which is limits.resultBytes. Narrow the query: a shorter range of dates, fewer tags (ids, prefixes), or fewer fields.`,
    )
  }
}
