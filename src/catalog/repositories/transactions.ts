import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, Transaction } from 'kysely'
import { Problem } from '../../model/problem.ts'
import type { Tables } from '../schema.ts'

const attemptsMax = 20
const firstPauseMs = 5
const longestPauseMs = 200

/**
 * Runs a change in one transaction, and again where the database broke it off because of another one: `change` may do nothing but work on
 * the database. Throws Problem `unavailable` when that goes on.
 */
export async function inTransaction<Result>(
  database: Kysely<Tables>,
  change: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(change)
    } catch (error) {
      if (!(error instanceof TransactionConflict)) throw error
      if (attempt === attemptsMax) {
        throw new Problem('unavailable', 'The catalog is busy with other changes. Try again.', { cause: error })
      }
      await sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)))
    }
  }
}

/** Longer than those who wait for SQLite's lock take until they ask for it again: nobody keeps a place for them. */
const turnMs = 10

/** Between the parts of a long change: others of this database get their turn, in whatever thread or process they are. */
export async function othersTurn(): Promise<void> {
  await sleep(turnMs)
}

/** The database broke a transaction off because of another one, and nothing of it was kept: the same may be tried again. */
export class TransactionConflict extends Error {
  constructor(cause: unknown) {
    super('a transaction was broken off because of another one', { cause })
    this.name = 'TransactionConflict'
  }
}

/** Runs several reads on one state of the database: that of the transaction where it is one already. */
export function readConsistently<Result>(
  database: Kysely<Tables>,
  read: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (database instanceof Transaction) return read(database)
  return database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

/** What is kept in some tables of the catalog. */
export class Repository {
  protected readonly database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.database = database
  }

  protected reading<Result>(read: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return readConsistently(this.database, read)
  }

  protected changing<Result>(change: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return inTransaction(this.database, change)
  }
}
