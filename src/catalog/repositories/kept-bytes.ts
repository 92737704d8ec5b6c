import { type ExpressionBuilder, sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** What a kept row takes beside its text, about. */
export const keptRowBytes = 128

/** What the kept ones among these rows take together. */
export function sumOfKept({ fn }: ExpressionBuilder<Tables, 'rejected_rows'>) {
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

/** Counts what the kept rows of an ingest take, all of them: where it cannot be told by what was just changed. */
export async function countKeptBytes(transaction: Transaction<Tables>, ingestId: number): Promise<void> {
  await lockKeptBytes(transaction, ingestId)
  const { bytes } = await transaction
    .selectFrom('rejected_rows')
    .select(sumOfKept)
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('rejected_counts')
    .set({ kept_bytes: Number(bytes) })
    .where('ingest_id', '=', ingestId)
    .execute()
}
