import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'
import { inTransaction } from './in-transaction.ts'
import { keptBytesOf, lockKeptBytes } from './kept-bytes.ts'

/** So many rows go in one transaction: others get their turn in between. */
const rowsAtOnce = 500

/** Discards the rows at these positions, of all that are kept now when there are none given; resolves with how many these were. */
export async function discardRejected(
  database: Kysely<Tables>,
  ingestId: number,
  positions: readonly number[] | null,
): Promise<number> {
  let discarded = 0
  if (positions !== null) {
    for (let from = 0; from < positions.length; from += rowsAtOnce) {
      discarded += await discardThese(database, ingestId, positions.slice(from, from + rowsAtOnce))
    }
    return discarded
  }
  const last = await lastKept(database, ingestId)
  // Each from where the one before ended: those that are discarded already are not passed over again.
  for (let kept = await keptAfter(database, ingestId, -1, last); kept.length > 0; ) {
    discarded += await discardThese(database, ingestId, kept)
    kept = await keptAfter(database, ingestId, kept.at(-1)!, last)
  }
  return discarded
}

async function lastKept(database: Kysely<Tables>, ingestId: number): Promise<number> {
  const { last } = await database
    .selectFrom('rejected_rows')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('ingest_id', '=', ingestId)
    .executeTakeFirstOrThrow()
  return Number(last ?? -1)
}

async function keptAfter(
  database: Kysely<Tables>,
  ingestId: number,
  after: number,
  last: number,
): Promise<readonly number[]> {
  const rows = await database
    .selectFrom('rejected_rows')
    .select('position')
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .where('position', '>', after)
    .where('position', '<=', last)
    .orderBy('position')
    .limit(rowsAtOnce)
    .execute()
  return rows.map(({ position }) => position)
}

async function discardThese(database: Kysely<Tables>, ingestId: number, positions: readonly number[]): Promise<number> {
  if (positions.length === 0) return 0
  const discarded = await inTransaction(database, async (transaction) => {
    await lockKeptBytes(transaction, ingestId)
    const bytes = await keptBytesOf(transaction, ingestId, positions)
    const { numUpdatedRows } = await transaction
      .updateTable('rejected_rows')
      .set({ state: 'discarded', row_text: '', row_bytes: 0 })
      .where('ingest_id', '=', ingestId)
      .where('state', '=', 'kept')
      .where('position', 'in', positions)
      .executeTakeFirstOrThrow()
    await transaction
      .updateTable('rejected_counts')
      .set((column) => ({ kept_bytes: column('kept_bytes', '-', bytes) }))
      .where('ingest_id', '=', ingestId)
      .execute()
    return Number(numUpdatedRows)
  })
  await new Promise((resolve) => setImmediate(resolve))
  return discarded
}
