import { type ColumnVector, pickRows } from './column.ts'
import type { EntityField } from './entity.ts'

/** Valid rows on their way into the store, as columns. */
export interface RowBatch {
  readonly entityId: number
  readonly rows: number
  /** The place of each row in the one order of all that was accepted: unique, rising. Decides which of two rows is newer. */
  readonly positions: Float64Array
  /** What the columns hold, in the same order. A field of the entity that is not here is null in these rows. */
  readonly fields: readonly EntityField[]
  readonly columns: readonly ColumnVector[]
  /**
   * There only where newer rows replace older ones of the same time and tags (`duplicates: "replace"`). By column: 1 at each row whose null
   * was pushed, null where there is none such; it says nothing of rows that have a value. Any other null means that the row does not have
   * the property, and takes nothing from an older row.
   */
  readonly pushedNulls?: readonly (Uint8Array | null)[]
}

/** The dates of its rows. */
export function timesOf({ fields, columns }: RowBatch): Float64Array {
  const column = columns[fields.findIndex((field) => field.role === 'time')]
  if (column?.type !== 'timestamp') throw new Error('a batch has one time column')
  return column.values
}

/** The rows of a batch at these positions. */
export function keptRows(batch: RowBatch, positions: ReadonlySet<number>): RowBatch {
  const rows = Array.from({ length: batch.rows }, (_, row) => row).filter((row) => positions.has(batch.positions[row]!))
  if (rows.length === batch.rows) return batch
  const { pushedNulls } = batch
  const picked = pushedNulls?.map((marks) => marks && Uint8Array.from(rows, (row) => marks[row]!))
  return {
    ...batch,
    ...(picked === undefined ? {} : { pushedNulls: picked }),
    rows: rows.length,
    positions: Float64Array.from(rows, (row) => batch.positions[row]!),
    columns: batch.columns.map((column) => pickRows(column, rows)),
  }
}
