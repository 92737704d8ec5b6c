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
}

/** The rows of a batch at these positions. */
export function keptRows(batch: RowBatch, positions: ReadonlySet<number>): RowBatch {
  const rows = Array.from({ length: batch.rows }, (_, row) => row).filter((row) => positions.has(batch.positions[row]!))
  if (rows.length === batch.rows) return batch
  return {
    ...batch,
    rows: rows.length,
    positions: Float64Array.from(rows, (row) => batch.positions[row]!),
    columns: batch.columns.map((column) => pickRows(column, rows)),
  }
}
