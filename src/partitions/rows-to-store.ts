import type { NewRows, RowPlace, WithdrawnRows } from '../catalog/partitions.ts'
import type { ValidatedRun } from '../ingest/entry-validator.ts'
import type { RowBatch } from '../model/row-batch.ts'

/** The rows of a run from a position on, in the form in which the catalog records rows to be stored; empty if there are none. */
export function rowsToStore(
  { ingestId, batch }: Pick<ValidatedRun, 'ingestId' | 'batch'>,
  fromPosition: number,
): NewRows[] {
  if (batch === null) return []
  const { entityId, positions, rows } = batch
  const first = positions.findIndex((position) => position >= fromPosition)
  if (first < 0) return []
  const last = { position: positions[rows - 1]!, ms: timesOf(batch)[rows - 1]! }
  return [{ ingestId, entityId, rows: rows - first, last }]
}

/** Rows passed on again from steps that are recorded already, by a worker that has taken over a partition. */
export class RepeatedRows {
  /** The last row of each ingest. */
  readonly #last = new Map<number, RowPlace>()

  /** For runs recorded before: the rows that the catalog recorded as passed on and that no longer pass. Must be called with all runs, in order. */
  takenBack(runs: readonly ValidatedRun[], keptPosition: number): readonly WithdrawnRows[] {
    return runs.flatMap(({ ingestId, kind, batch, rejected }): readonly WithdrawnRows[] => {
      if (kind !== 'series') return []
      const last = batch === null ? null : lastBefore(batch, keptPosition)
      if (last !== null) this.#last.set(ingestId, last)
      const positions = new Set(rejected.map(({ position }) => position).filter((position) => position < keptPosition))
      return positions.size === 0 ? [] : [{ ingestId, positions, last: this.#last.get(ingestId) ?? null }]
    })
  }
}

function lastBefore(batch: RowBatch, endPosition: number): RowPlace | null {
  const row = batch.positions.findLastIndex((position) => position < endPosition)
  return row < 0 ? null : { position: batch.positions[row]!, ms: timesOf(batch)[row]! }
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
