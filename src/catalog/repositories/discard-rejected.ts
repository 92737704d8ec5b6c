import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../schema.ts'
import { auditedTransaction } from './audited.ts'
import { listPositions } from './list-rejected.ts'
import { addToCounts, keptBytesOf, lockCounts, recounted } from './rejected-tallies.ts'
import { pauseForOthers, readConsistently } from './transactions.ts'

/** Rows per transaction; other changes run in between. */
const rowsAtOnce = 500

/** Discards the rows at these positions, or all rows in the list now if null; only those of one subscriber if given. Returns the number of rows. */
export async function discardRejected(
  database: Kysely<Tables>,
  ingestId: number,
  positions: readonly number[] | null,
  subscriberId?: number,
): Promise<number> {
  let discarded = 0
  if (positions !== null) {
    for (let from = 0; from < positions.length; from += rowsAtOnce) {
      discarded += await discardThese(database, ingestId, positions.slice(from, from + rowsAtOnce), subscriberId)
    }
    return discarded
  }
  const last = await lastRejected(database, ingestId)
  // Each page starts where the previous one ended, so that rows already discarded are not scanned again.
  for (let from: number | null = -1; from !== null && from < last; ) {
    const page: KeptPage = await keptAfter(database, ingestId, from, subscriberId)
    const until = page.positions.filter((position) => position <= last)
    discarded += await discardThese(database, ingestId, until, subscriberId)
    from = page.after
  }
  return discarded
}

async function lastRejected(database: Kysely<Tables>, ingestId: number): Promise<number> {
  const { last } = await database
    .selectFrom('rejected_rows')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('ingest_id', '=', ingestId)
    .executeTakeFirstOrThrow()
  return Number(last ?? -1)
}

interface KeptPage {
  readonly positions: readonly number[]
  readonly after: number | null
}

function keptAfter(
  database: Kysely<Tables>,
  ingestId: number,
  afterPosition: number,
  subscriberId: number | undefined,
): Promise<KeptPage> {
  const filter = { subscriberId, afterPosition, limit: rowsAtOnce, bytesMax: Number.POSITIVE_INFINITY }
  return readConsistently(database, (transaction) => listPositions(transaction, ingestId, filter))
}

async function discardThese(
  database: Kysely<Tables>,
  ingestId: number,
  positions: readonly number[],
  subscriberId: number | undefined,
): Promise<number> {
  if (positions.length === 0) return 0
  const discarded = await auditedTransaction(
    database,
    async (transaction) => {
      await lockCounts(transaction, ingestId)
      return recounted(transaction, ingestId, positions, () =>
        markDiscarded(transaction, ingestId, positions, subscriberId),
      )
    },
    (rows) => ({ discarded: rows }),
  )
  await pauseForOthers()
  return discarded
}

async function markDiscarded(
  transaction: Transaction<Tables>,
  ingestId: number,
  positions: readonly number[],
  subscriberId: number | undefined,
): Promise<number> {
  const bytes = await keptBytesOf(transaction, ingestId, positions, subscriberId)
  const { numUpdatedRows } = await transaction
    .updateTable('rejected_rows')
    .set({ state: 'discarded', row_text: '', row_bytes: 0 })
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .where('position', 'in', positions)
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .executeTakeFirstOrThrow()
  await addToCounts(transaction, ingestId, { rows: 0, bytes: -bytes })
  return Number(numUpdatedRows)
}
