import type { Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** Locks held until the end of a transaction. A database that allows one writer at a time needs none of them. */
export interface CatalogLocks {
  /** Exclusive; taken to create the tables. */
  creating(transaction: Transaction<Tables>): Promise<void>
  /** Shared; no entity is dropped while it is held, so an entity found to exist still exists when its data is stored. */
  keeping(transaction: Transaction<Tables>): Promise<void>
  /** Exclusive; nobody stores outcomes while it is held. */
  dropping(transaction: Transaction<Tables>): Promise<void>
}

const none = async (): Promise<void> => {}

export const noLocks: CatalogLocks = { creating: none, keeping: none, dropping: none }
