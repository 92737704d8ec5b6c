import type { NewRows } from '../catalog/lanes.ts'
import type { RowBatch } from '../model/row-batch.ts'

/** The rows of a batch from a position on, as the catalog notes that they are to be stored; null where there are none. */
export function handedOn(ingestId: number, batch: RowBatch, fromPosition: number): NewRows | null {
  const { entityId, positions, rows } = batch
  const first = positions.findIndex((position) => position >= fromPosition)
  if (first < 0) return null
  const last = rows - 1
  return { ingestId, entityId, rows: rows - first, last: { position: positions[last]!, ms: timesOf(batch)[last]! } }
}

/** The time of each row, by its position. */
export function timesByPosition(batch: RowBatch): ReadonlyMap<number, number> {
  const times = timesOf(batch)
  return new Map(Array.from(batch.positions, (position, row) => [position, times[row]!]))
}

/** The time of each row. */
function timesOf({ fields, columns }: RowBatch): Float64Array {
  const column = columns[fields.findIndex(({ role }) => role === 'time')]
  if (column?.type !== 'timestamp') throw new Error('a batch of rows has a time')
  return column.values
}
