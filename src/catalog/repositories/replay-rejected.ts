import type { Transaction } from 'kysely'
import type { ReplayedRows, ReplayOutcome } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import type { OutcomeKeeper } from './keep-outcome.ts'
import { countKeptBytes, lockKeptBytes } from './kept-bytes.ts'
import { portions } from './portions.ts'
import { toTextColumn } from './text-column.ts'

export async function keepReplay(
  transaction: Transaction<Tables>,
  keeper: OutcomeKeeper,
  outcome: ReplayOutcome,
): Promise<ReplayedRows> {
  const { ingests } = await keeper.dropped(transaction)
  if (ingests.has(outcome.ingestId)) return { stored: [], taken: 0 }
  const rows = await takeReplayed(transaction, outcome)
  const stored = new Set(rows.stored)
  await keeper.items.keep(
    transaction,
    outcome.items.filter(({ position }) => stored.has(position)),
  )
  await keepNewReasons(transaction, outcome)
  return rows
}

/** Marks the rows that pass as stored by this replay; resolves with those that it stores, now or when it was told before. */
async function takeReplayed(
  transaction: Transaction<Tables>,
  { ingestId, position, passed }: Omit<ReplayOutcome, 'items' | 'rejected'>,
): Promise<ReplayedRows> {
  // Before its rows, as all others do.
  await lockKeptBytes(transaction, ingestId)
  const stored: number[] = []
  let taken = 0
  for (const portion of portions(passed)) {
    const { numUpdatedRows } = await transaction
      .updateTable('rejected_rows')
      .set({ state: 'stored', replay_position: position, row_text: '', row_bytes: 0 })
      .where('ingest_id', '=', ingestId)
      .where('position', 'in', portion)
      .where('state', '=', 'kept')
      .executeTakeFirstOrThrow()
    taken += Number(numUpdatedRows)
    const rows = await transaction
      .selectFrom('rejected_rows')
      .select('position')
      .where('ingest_id', '=', ingestId)
      .where('position', 'in', portion)
      .where('replay_position', '=', position)
      .orderBy('position')
      .execute()
    for (const row of rows) stored.push(row.position)
  }
  if (taken > 0) {
    await transaction
      .updateTable('rejected_counts')
      .set((column) => ({ rows: column('rows', '-', taken) }))
      .where('ingest_id', '=', ingestId)
      .execute()
    await countKeptBytes(transaction, ingestId)
  }
  return { stored, taken }
}

/** Rows that are rejected still get the reason that they are rejected for now. */
async function keepNewReasons(
  transaction: Transaction<Tables>,
  { ingestId, rejected }: Pick<ReplayOutcome, 'ingestId' | 'rejected'>,
): Promise<void> {
  for (const { position, code, field, message } of rejected) {
    await transaction
      .updateTable('rejected_rows')
      .set({ code, field: field === null ? null : toTextColumn(field), message: toTextColumn(message) })
      .where('ingest_id', '=', ingestId)
      .where('position', '=', position)
      .where('state', '=', 'kept')
      .execute()
  }
}
