import type { Kysely, Transaction } from 'kysely'
import { positionAt } from '../../journal/partition-position.ts'
import type { ReplayedRows } from '../catalog.ts'
import type { CatalogLocks } from '../locks.ts'
import type {
  KeyedEntry,
  PartitionCatalog,
  PartitionReplay,
  PartitionState,
  PartitionStep,
  RowPlace,
  StoredRows,
  WithdrawnRows,
} from '../partitions.ts'
import type { RejectedRow } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { keepReplay } from './replay-rejected.ts'
import { settleKeys } from './settle-keys.ts'
import { noteSeen, noteStored, storedRowsOf, takeBack } from './stored-rows.ts'
import { Repository } from './transactions.ts'
import { OutcomeWriter } from './write-outcome.ts'

export interface PartitionRepositoryParts {
  readonly database: Kysely<Tables>
  readonly locks: CatalogLocks
  /** Announces to all processes that a partition has advanced. It may fail, because processes also poll. */
  readonly announce: () => Promise<void>
}

export class PartitionRepository extends Repository implements PartitionCatalog {
  readonly #writer: OutcomeWriter
  readonly #announce: () => Promise<void>

  constructor({ database, locks, announce }: PartitionRepositoryParts) {
    super(database)
    this.#writer = new OutcomeWriter(database, locks)
    this.#announce = announce
  }

  async partition(partition: number): Promise<PartitionState> {
    const row = await this.database
      .selectFrom('partitions')
      .selectAll()
      .where('partition', '=', partition)
      .executeTakeFirst()
    return row === undefined ? partitionStateOf(newPartition(partition)) : partitionStateOf(row)
  }

  async partitions(): Promise<readonly PartitionState[]> {
    const rows = await this.database.selectFrom('partitions').selectAll().orderBy('partition').execute()
    return rows.map(partitionStateOf)
  }

  settleKeys(entries: readonly KeyedEntry[]): Promise<ReadonlySet<number>> {
    return this.changing((transaction) => settleKeys(transaction, entries))
  }

  keep(step: PartitionStep): Promise<boolean> {
    return this.changing(async (transaction) => {
      // Must be first: if two pipelines believe they own a partition, the second waits here and then finds that it does not.
      if (!(await moveKept(transaction, step))) return false
      await this.#writer.keep(transaction, step)
      await countValidated(transaction, step)
      await takeBack(transaction, step.partition, step.takenBack)
      await noteStored(transaction, step.stored, { ...step, isReplay: false })
      return true
    })
  }

  async keepAgain(
    partition: number,
    rejected: readonly RejectedRow[],
    takenBack: readonly WithdrawnRows[],
  ): Promise<void> {
    await this.changing(async (transaction) => {
      await this.#writer.keep(transaction, { rejected, items: [] })
      await takeBack(transaction, partition, takenBack)
    })
  }

  replay(replay: PartitionReplay): Promise<ReplayedRows> {
    return this.changing(async (transaction) => {
      const { givenBack, ...found } = await keepReplay(transaction, this.#writer, replay)
      const { partition, throughPosition, position, rows, into } = replay
      const ingestId = into?.ingestId ?? replay.ingestId
      const last = lastOf(found.stored, rows?.times)
      if (givenBack.size > 0) await takeBack(transaction, partition, [{ ingestId, positions: givenBack, last }])
      // A replay validated again takes no new rows; all of its rows were stored and noted together before.
      if (rows === null || last === null || found.taken === 0) return found
      const stored = { ingestId, entityId: rows.entityId, rows: found.taken, last }
      await noteStored(transaction, [stored], { partition, fromPosition: position, throughPosition, isReplay: true })
      return found
    })
  }

  async processed(partition: number, position: number): Promise<void> {
    await this.database
      .insertInto('partitions')
      .values({ ...newPartition(partition), processed_position: position })
      .onConflict((conflict) =>
        conflict
          .column('partition')
          .doUpdateSet({ processed_position: position })
          .where('partitions.processed_position', '<', position),
      )
      .execute()
    await this.#announce()
  }

  async note(partition: number): Promise<string | null> {
    const found = await this.database
      .selectFrom('partition_notes')
      .select('note')
      .where('partition', '=', partition)
      .executeTakeFirst()
    return found?.note ?? null
  }

  async writeNote(partition: number, note: string): Promise<void> {
    await this.database
      .insertInto('partition_notes')
      .values({ partition, note })
      .onConflict((conflict) => conflict.column('partition').doUpdateSet({ note }))
      .execute()
  }

  async validatedRows(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.selectFrom('validated_rows').selectAll().execute()
    return new Map(rows.map((row) => [row.ingest_id, row.rows]))
  }

  storedRows(ingestId?: number): Promise<readonly StoredRows[]> {
    return storedRowsOf(this.database, ingestId)
  }

  async seen(rows: readonly StoredRows[]): Promise<void> {
    if (rows.length > 0) await this.changing((transaction) => noteSeen(transaction, rows))
  }
}

function lastOf(stored: readonly number[], times: ReadonlyMap<number, number> | undefined): RowPlace | null {
  const position = stored.at(-1)
  if (position === undefined || times === undefined) return null
  const ms = times.get(position)
  if (ms === undefined) throw new Error('a replay stores a row of which it has no time')
  return { position, ms }
}

export function partitionStateOf({
  partition,
  kept_position,
  processed_position,
}: Tables['partitions']): PartitionState {
  return { partition, keptPosition: kept_position, processedPosition: processed_position }
}

function newPartition(partition: number): Tables['partitions'] {
  const position = positionAt(partition, 0)
  return { partition, kept_position: position, processed_position: position }
}

async function makePartition(transaction: Transaction<Tables>, partition: number): Promise<void> {
  await transaction
    .insertInto('partitions')
    .values(newPartition(partition))
    .onConflict((conflict) => conflict.column('partition').doNothing())
    .execute()
}

async function moveKept(
  transaction: Transaction<Tables>,
  { partition, fromPosition, throughPosition }: PartitionStep,
): Promise<boolean> {
  if (fromPosition === positionAt(partition, 0)) await makePartition(transaction, partition)
  const { numUpdatedRows } = await transaction
    .updateTable('partitions')
    .set({ kept_position: throughPosition })
    .where('partition', '=', partition)
    .where('kept_position', '=', fromPosition)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function countValidated(transaction: Transaction<Tables>, { validated }: PartitionStep): Promise<void> {
  const sums = new Map<number, number>()
  for (const { ingestId, rows } of validated) sums.set(ingestId, (sums.get(ingestId) ?? 0) + rows)
  // All transactions lock ingests in the same order, to avoid deadlocks.
  for (const [ingestId, rows] of [...sums].sort(([a], [b]) => a - b)) {
    if (rows === 0) continue
    await transaction
      .insertInto('validated_rows')
      .values({ ingest_id: ingestId, rows })
      .onConflict((conflict) =>
        conflict.column('ingest_id').doUpdateSet((column) => ({ rows: column('validated_rows.rows', '+', rows) })),
      )
      .execute()
  }
}
