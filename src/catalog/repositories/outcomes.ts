import type { Kysely } from 'kysely'
import type { Outcome, OutcomeCatalog, ReplayOutcome } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { counterValue } from './counters.ts'
import { droppedOf } from './dropped.ts'
import { ItemKeeper } from './keep-items.ts'
import { RejectedKeeper } from './keep-rejected.ts'
import { keepNewReasons, takeReplayed } from './replay-rejected.ts'

export class OutcomeRepository implements OutcomeCatalog {
  readonly #database: Kysely<Tables>
  readonly #rejected: RejectedKeeper
  readonly #items: ItemKeeper

  constructor(database: Kysely<Tables>) {
    this.#database = database
    this.#rejected = new RejectedKeeper(database)
    this.#items = new ItemKeeper(database)
  }

  async add({ rejected, items }: Outcome, throughPosition: number): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      const dropped = await droppedOf(transaction)
      const isLeft = <Kept>(kept: readonly Kept[], isDropped: (one: Kept) => boolean): readonly Kept[] =>
        dropped.entities.size === 0 ? kept : kept.filter((one) => !isDropped(one))
      await this.#rejected.keep(
        transaction,
        isLeft(rejected, ({ ingestId }) => dropped.ingests.has(ingestId)),
      )
      await this.#items.keep(
        transaction,
        isLeft(items, ({ entityId }) => dropped.entities.has(entityId)),
      )
      await transaction
        .updateTable('counters')
        .set({ value: throughPosition })
        .where('name', '=', 'judged_position')
        .where('value', '<', throughPosition)
        .execute()
    })
  }

  replay(outcome: ReplayOutcome): Promise<readonly number[]> {
    return this.#database.transaction().execute(async (transaction) => {
      const { ingests } = await droppedOf(transaction)
      if (ingests.has(outcome.ingestId)) return []
      const stored = await takeReplayed(transaction, outcome)
      const taken = new Set(stored)
      await this.#items.keep(
        transaction,
        outcome.items.filter(({ position }) => taken.has(position)),
      )
      await keepNewReasons(transaction, outcome)
      return stored
    })
  }

  judgedPosition(): Promise<number> {
    return counterValue(this.#database, 'judged_position')
  }
}
