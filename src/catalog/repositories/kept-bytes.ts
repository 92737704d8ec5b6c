import { type ExpressionBuilder, sql, type Transaction } from 'kysely'
import { keptRowBytes } from '../rejected.ts'
import type { Tables } from '../schema.ts'

/** What the kept ones among these rows take together. */
function sumOfKept({ fn }: ExpressionBuilder<Tables, 'rejected_rows'>) {
  return fn.coalesce(fn.sum<number>(sql<number>`row_bytes + ${sql.lit(keptRowBytes)}`), sql.lit(0)).as('bytes')
}

/** Until the transaction is over, no other one changes what the ingest's kept rows take. */
export async function lockKeptBytes(transaction: Transaction<Tables>, ingestId: number): Promise<void> {
  await transaction
    .updateTable('rejected_counts')
    .set((column) => ({ kept_bytes: column.ref('kept_bytes') }))
    .where('ingest_id', '=', ingestId)
    .execute()
}

/** What the kept ones take of the rows at some positions, of one subscriber where it is named. */
export async function keptBytesOf(
  transaction: Transaction<Tables>,
  ingestId: number,
  positions: readonly number[],
  subscriberId?: number,
): Promise<number> {
  const { bytes } = await transaction
    .selectFrom('rejected_rows')
    .select(sumOfKept)
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .where('position', 'in', positions)
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .executeTakeFirstOrThrow()
  return Number(bytes)
}
