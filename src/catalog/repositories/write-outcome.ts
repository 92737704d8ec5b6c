import type { Kysely, Transaction } from 'kysely'
import type { Outcome, ReplacedInBatch } from '../catalog.ts'
import type { CatalogLocks } from '../locks.ts'
import type { Tables } from '../schema.ts'
import { droppedOf } from './dropped.ts'
import { portions } from './portions.ts'
import { ItemWriter } from './write-items.ts'
import { RejectedWriter } from './write-rejected.ts'

/** Writes the outcomes of validated rows, except for dropped entities. */
export class OutcomeWriter {
  readonly #locks: CatalogLocks
  readonly #rejected: RejectedWriter
  readonly items: ItemWriter

  constructor(database: Kysely<Tables>, locks: CatalogLocks) {
    this.#locks = locks
    this.#rejected = new RejectedWriter(database)
    this.items = new ItemWriter(database)
  }

  async keep(transaction: Transaction<Tables>, { rejected, items, replaced = [] }: Outcome): Promise<void> {
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
    await keepReplaced(
      transaction,
      isLeft(replaced, ({ ingestId }) => dropped.ingests.has(ingestId)),
    )
  }

  /** Dropped ingests and entities; no more are dropped until the transaction ends. */
  async dropped(transaction: Transaction<Tables>): ReturnType<typeof droppedOf> {
    await this.#locks.keeping(transaction)
    return droppedOf(transaction)
  }
}

/** A batch validated in steps is reported after each step, with the totals so far. The journal may be validated again, so the largest count is kept. */
async function keepReplaced(transaction: Transaction<Tables>, replaced: readonly ReplacedInBatch[]): Promise<void> {
  const records = replaced.map(({ ingestId, batchPosition, rows }) => {
    return { ingest_id: ingestId, batch_position: batchPosition, rows }
  })
  for (const portion of portions(records)) {
    await transaction
      .insertInto('replaced_rows')
      .values(portion)
      .onConflict((conflict) =>
        conflict
          .columns(['ingest_id', 'batch_position'])
          .doUpdateSet(({ ref }) => ({ rows: ref('excluded.rows') }))
          .whereRef('replaced_rows.rows', '<', 'excluded.rows'),
      )
      .execute()
  }
}
