import type { Kysely } from 'kysely'
import type { Outcome, OutcomeCatalog } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { counterValue } from './counters.ts'
import { ItemKeeper } from './keep-items.ts'
import { RejectedKeeper } from './keep-rejected.ts'

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
      await this.#rejected.keep(transaction, rejected)
      await this.#items.keep(transaction, items)
      await transaction
        .updateTable('counters')
        .set({ value: throughPosition })
        .where('name', '=', 'judged_position')
        .where('value', '<', throughPosition)
        .execute()
    })
  }

  judgedPosition(): Promise<number> {
    return counterValue(this.#database, 'judged_position')
  }
}
