import type { Kysely, Transaction } from 'kysely'
import type { Outcome } from '../catalog.ts'
import type { CatalogLocks } from '../locks.ts'
import type { Tables } from '../schema.ts'
import { droppedOf } from './dropped.ts'
import { ItemKeeper } from './keep-items.ts'
import { RejectedKeeper } from './keep-rejected.ts'

/** Keeps what judged rows came to, except those of dropped entities. */
export class OutcomeKeeper {
  readonly #locks: CatalogLocks
  readonly #rejected: RejectedKeeper
  readonly items: ItemKeeper

  constructor(database: Kysely<Tables>, locks: CatalogLocks) {
    this.#locks = locks
    this.#rejected = new RejectedKeeper(database)
    this.items = new ItemKeeper(database)
  }

  async keep(transaction: Transaction<Tables>, { rejected, items }: Outcome): Promise<void> {
    const dropped = await this.dropped(transaction)
    const isLeft = <Kept>(kept: readonly Kept[], isDropped: (one: Kept) => boolean): readonly Kept[] =>
      dropped.entities.size === 0 ? kept : kept.filter((one) => !isDropped(one))
    await this.#rejected.keep(
      transaction,
      isLeft(rejected, ({ ingestId }) => dropped.ingests.has(ingestId)),
    )
    await this.items.keep(
      transaction,
      isLeft(items, ({ entityId }) => dropped.entities.has(entityId)),
    )
  }

  /** What is dropped, now and until the transaction is over. */
  async dropped(transaction: Transaction<Tables>): ReturnType<typeof droppedOf> {
    await this.#locks.keeping(transaction)
    return droppedOf(transaction)
  }
}
