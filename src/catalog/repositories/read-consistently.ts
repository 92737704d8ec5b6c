import { type Kysely, Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Runs several reads on one state of the database: that of the transaction where it is one already. */
export function readConsistently<Result>(
  database: Kysely<Tables>,
  read: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (database instanceof Transaction) return read(database)
  return database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}
