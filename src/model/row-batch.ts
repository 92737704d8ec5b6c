import { type ColumnVector, pickRows } from './column.ts'
import type { EntityField } from './entity.ts'

/** Validated rows on their way to the store, in columns. */
export interface RowBatch {
  readonly entityId: number
  readonly rows: number
  /** The position of each row in the total order of accepted rows: unique and ascending. Of two rows, the one with the higher position is newer. */
  readonly positions: Float64Array
  /** The field of each column. A field of the entity that is missing here is null in these rows. */
  readonly fields: readonly EntityField[]
  readonly columns: readonly ColumnVector[]
  /**
   * Present only if newer rows replace older ones with the same time and tags (`duplicates: "replace"`). For each column: 1 at rows whose null
   * was pushed, or null if there are none; undefined for rows with a value. Any other null means that the row lacks the property and
   * keeps the older row's value.
   */
  readonly pushedNulls?: readonly (Uint8Array | null)[]
}

/** The time of each row. */
export function timesOf({ fields, columns }: RowBatch): Float64Array {
  const column = columns[fields.findIndex((field) => field.role === 'time')]
  if (column?.type !== 'timestamp') throw new Error('a batch has one time column')
  return column.values
}

/** The rows of a batch with these positions. */
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
