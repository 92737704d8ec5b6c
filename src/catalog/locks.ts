import type { Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** Locks that last until the transaction is over. A database with one writer at a time needs none of them. */
export interface CatalogLocks {
  /** One process makes the tables. */
  creating(transaction: Transaction<Tables>): Promise<void>
  /** No entity is dropped meanwhile: what is found to be of a living entity is so when it is kept. */
  keeping(transaction: Transaction<Tables>): Promise<void>
  /** Nobody is keeping anything meanwhile. */
  dropping(transaction: Transaction<Tables>): Promise<void>
}

const none = async (): Promise<void> => {}

export const noLocks: CatalogLocks = { creating: none, keeping: none, dropping: none }
