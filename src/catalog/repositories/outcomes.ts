import type { Kysely } from 'kysely'
import type { Outcome, OutcomeCatalog, ReplayedRows, ReplayOutcome } from '../catalog.ts'
import type { CatalogLocks } from '../locks.ts'
import type { Tables } from '../schema.ts'
import { counterValue } from './counters.ts'
import { keepReplay, storedBy } from './replay-rejected.ts'
import { Repository } from './transactions.ts'
import { OutcomeWriter } from './write-outcome.ts'

export class OutcomeRepository extends Repository implements OutcomeCatalog {
  readonly #writer: OutcomeWriter

  constructor(database: Kysely<Tables>, locks: CatalogLocks) {
    super(database)
    this.#writer = new OutcomeWriter(database, locks)
  }

  async add(outcome: Outcome, throughPosition: number): Promise<void> {
    await this.changing(async (transaction) => {
      await this.#writer.keep(transaction, outcome)
      await transaction
        .updateTable('counters')
        .set({ value: throughPosition })
        .where('name', '=', 'validated_position')
        .where('value', '<', throughPosition)
        .execute()
    })
  }

  replay(outcome: ReplayOutcome): Promise<ReplayedRows> {
    return this.changing(async (transaction) => {
      const { stored, taken } = await keepReplay(transaction, this.#writer, outcome)
      return { stored, taken }
    })
  }

  storedBy(replay: Pick<ReplayOutcome, 'ingestId' | 'position' | 'passed' | 'into'>): Promise<readonly number[]> {
    return storedBy(this.database, replay)
  }

  async rejectedIn(ingestId: number, fromPosition: number, toPosition: number): Promise<readonly number[]> {
    const rows = await this.database
      .selectFrom('rejected_rows')
      .select('position')
      .where('ingest_id', '=', ingestId)
      .where('position', '>=', fromPosition)
      .where('position', '<', toPosition)
      .orderBy('position')
      .execute()
    return rows.map(({ position }) => position)
  }

  validatedPosition(): Promise<number> {
    return counterValue(this.database, 'validated_position')
  }
}
