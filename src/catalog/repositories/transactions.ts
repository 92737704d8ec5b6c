import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, Transaction } from 'kysely'
import { Problem } from '../../model/problem.ts'
import type { Tables } from '../schema.ts'

const attemptsMax = 20
const firstPauseMs = 5
const longestPauseMs = 200

/**
 * Runs a change in one transaction, and retries it when the database aborts it because of another one, so `change` must do nothing but work on the database.
 * Throws Problem `unavailable` after repeated aborts.
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

/** Longer than the interval at which waiters retry SQLite's lock, because they are not queued. */
const turnMs = 10

/** Pauses between parts of a long change, so that other threads and processes can use the database. */
export async function pauseForOthers(): Promise<void> {
  await sleep(turnMs)
}

/** The database aborted a transaction because of another one. Nothing of it was stored, so it can be retried. */
export class TransactionConflict extends Error {
  constructor(cause: unknown) {
    super('a transaction was broken off because of another one', { cause })
    this.name = 'TransactionConflict'
  }
}

/** Runs several reads on one snapshot of the database: that of the given transaction, if it is one. */
export function readConsistently<Result>(
  database: Kysely<Tables>,
  read: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (database instanceof Transaction) return read(database)
  return database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

/** Base class for access to some tables of the catalog. */
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
