import { type StandingDeletion, selectedRows } from '../ingest/deleted-rows.ts'
import { type ColumnVector, nullBoolean, nullCode, pickRows } from '../model/column.ts'
import type { RowBatch } from '../model/row-batch.ts'
import type { StoredRows } from './journal-rows.ts'

/** Rows without what deletions take of those before them: whole rows, or metrics, which read as null. `placeOf` is where a row was stored. */
export function withoutDeleted(
  stored: StoredRows,
  deletions: readonly StandingDeletion[],
  placeOf: (row: number) => number,
): StoredRows {
  let { batch } = stored
  const hidden = new Set(stored.rejected)
  // Each stands by itself: it judges the rows as they were stored.
  for (const { id, position, selection } of deletions) {
    if (id === null || batch.rows === 0 || placeOf(0) >= position) continue
    const isSelected = selectedRows(stored.batch, selection)
    const rows: number[] = []
    for (let row = 0; row < batch.rows; row++) if (placeOf(row) < position && isSelected(row)) rows.push(row)
    if (rows.length === 0) continue
    if (selection.metrics === null) for (const row of rows) hidden.add(batch.positions[row]!)
    else batch = withNulls(batch, new Set(selection.metrics.map(({ name }) => name)), new Set(rows))
  }
  return { ...stored, batch, rejected: hidden }
}

function withNulls(batch: RowBatch, names: ReadonlySet<string>, rows: ReadonlySet<number>): RowBatch {
  const isGone = (row: number): boolean => rows.has(row)
  return {
    ...batch,
    columns: batch.columns.map((column, index) =>
      names.has(batch.fields[index]!.name) ? columnWithNulls(column, batch.rows, isGone) : column,
    ),
  }
}

function columnWithNulls(column: ColumnVector, count: number, isGone: (row: number) => boolean): ColumnVector {
  const rows = Array.from({ length: count }, (_, row) => row)
  const copy = pickRows(column, rows)
  for (const row of rows) if (isGone(row)) setNull(copy, row)
  return copy
}

function setNull(column: ColumnVector, row: number): void {
  if (column.type === 'string') (column.codes as Int32Array)[row] = nullCode
  else if (column.type === 'boolean') column.values[row] = nullBoolean
  else column.values[row] = Number.NaN
}
