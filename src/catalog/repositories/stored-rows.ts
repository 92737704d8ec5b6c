import type { Kysely, Transaction } from 'kysely'
import type { NewRows, StoredRows, WithdrawnRows } from '../partitions.ts'
import type { Tables } from '../schema.ts'

/** Place of rows that are passed on for storage. */
interface StoreStep {
  readonly partition: number
  /** Start of the step. In a partition without a record, rows stored before it count as seen. */
  readonly fromPosition: number
  readonly throughPosition: number
  readonly isReplay: boolean
}

export async function noteStored(
  transaction: Transaction<Tables>,
  stored: readonly NewRows[],
  { partition, fromPosition, throughPosition, isReplay }: StoreStep,
): Promise<void> {
  const sums = new Map<number, NewRows>()
  for (const rows of stored) {
    if (rows.rows === 0) continue
    sums.set(rows.ingestId, { ...rows, rows: rows.rows + (sums.get(rows.ingestId)?.rows ?? 0) })
  }
  // All transactions lock ingests in the same order, to avoid deadlocks.
  for (const { ingestId, entityId, rows, last } of [...sums.values()].sort((a, b) => a.ingestId - b.ingestId)) {
    const newest = { position: last.position, ms: last.ms, through_position: throughPosition }
    const replayed = isReplay ? { replayed_position: throughPosition } : {}
    await transaction
      .insertInto('stored_rows')
      .values({
        ...{ partition, ingest_id: ingestId, entity_id: entityId, rows, replayed_position: 0 },
        ...{ seen_position: fromPosition, seen_rows: 0, ...newest, ...replayed },
      })
      .onConflict((conflict) =>
        conflict
          .columns(['ingest_id', 'partition'])
          .doUpdateSet((column) => ({ rows: column('stored_rows.rows', '+', rows), ...newest, ...replayed })),
      )
      .execute()
  }
}

/**
 * Subtracts rows that are no longer to be stored. If the last recorded row is among them, `last` replaces it. Without a replacement, everything stored before
 * them was committed and counts as seen.
 */
export async function takeBack(
  transaction: Transaction<Tables>,
  partition: number,
  takenBack: readonly WithdrawnRows[],
): Promise<void> {
  for (const { ingestId, positions, last } of takenBack.toSorted((a, b) => a.ingestId - b.ingestId)) {
    const noted = await transaction
      .updateTable('stored_rows')
      .set((column) => ({ rows: column('rows', '-', positions.size) }))
      .where('ingest_id', '=', ingestId)
      .where('partition', '=', partition)
      .returning(['rows', 'position', 'through_position'])
      .executeTakeFirst()
    if (noted === undefined || !positions.has(noted.position)) continue
    const seen = { seen_position: noted.through_position, seen_rows: noted.rows }
    await transaction
      .updateTable('stored_rows')
      .set(last === null ? seen : { position: last.position, ms: last.ms })
      .where('ingest_id', '=', ingestId)
      .where('partition', '=', partition)
      .execute()
  }
}

export async function storedRowsOf(database: Kysely<Tables>, ingestId?: number): Promise<readonly StoredRows[]> {
  const all = database
    .selectFrom('stored_rows')
    .selectAll()
    // Queries see no rows of a dropped entity, and nobody requests them.
    .where('ingest_id', 'not in', database.selectFrom('dropped_ingests').select('ingest_id'))
    .orderBy('ingest_id')
    .orderBy('partition')
  const rows = await (ingestId === undefined ? all : all.where('ingest_id', '=', ingestId)).execute()
  return rows.map((row) => ({
    partition: row.partition,
    ingestId: row.ingest_id,
    entityId: row.entity_id,
    rows: row.rows,
    last: { position: row.position, ms: row.ms },
    throughPosition: row.through_position,
    replayedPosition: row.replayed_position,
    seenPosition: row.seen_position,
    seenRows: row.seen_rows,
  }))
}

export async function noteSeen(transaction: Transaction<Tables>, seen: readonly StoredRows[]): Promise<void> {
  const ordered = seen.toSorted((a, b) => a.ingestId - b.ingestId || a.partition - b.partition)
  for (const { partition, ingestId, throughPosition, rows } of ordered) {
    await transaction
      .updateTable('stored_rows')
      .set({ seen_position: throughPosition, seen_rows: rows })
      .where('ingest_id', '=', ingestId)
      .where('partition', '=', partition)
      .where('seen_position', '<', throughPosition)
      .execute()
  }
}
