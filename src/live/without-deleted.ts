import { type ActiveDeletion, selectedRows } from '../ingest/deleted-rows.ts'
import { type ColumnVector, nullBoolean, nullCode, pickRows } from '../model/column.ts'
import type { DeletionSelection } from '../model/deletion.ts'
import type { RowBatch } from '../model/row-batch.ts'
import type { StoredRows } from './journal-rows.ts'

/** On a single machine the position of a row shows whether it was pushed before a deletion. */
export function withoutStanding(stored: StoredRows, deletions: readonly ActiveDeletion[]): StoredRows {
  const { batch, replayPosition } = stored
  // Where rows replace each other, items are queried from the store.
  if (batch.pushedNulls !== undefined || batch.rows === 0) return stored
  const placeOf = (row: number): number => replayPosition ?? batch.positions[row]!
  const later = deletions.filter(({ id, position }) => id !== null && placeOf(0) < position)
  return withoutDeleted(stored, later, ({ position }, row) => placeOf(row) < position)
}

/** The rows without those that deletions remove: whole rows, or only metrics, which then read as null. A deletion affects rows pushed before it. */
export function withoutDeleted<Deletion extends { readonly selection: DeletionSelection }>(
  stored: StoredRows,
  deletions: readonly Deletion[],
  isBefore: (deletion: Deletion, row: number) => boolean,
): StoredRows {
  let { batch } = stored
  const hidden = new Set(stored.hidden)
  // Deletions are independent of each other: each selects from the rows as they were stored.
  for (const deletion of deletions) {
    const { selection } = deletion
    const isSelected = selectedRows(stored.batch, selection)
    const rows: number[] = []
    for (let row = 0; row < batch.rows; row++) if (isBefore(deletion, row) && isSelected(row)) rows.push(row)
    if (rows.length === 0) continue
    if (selection.metrics === null) for (const row of rows) hidden.add(batch.positions[row]!)
    else batch = withNulls(batch, new Set(selection.metrics.map(({ name }) => name)), new Set(rows))
  }
  return { ...stored, batch, hidden }
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
