import type { Kysely, Transaction } from 'kysely'
import { positionAt } from '../../journal/lane-position.ts'
import type { ReplayedRows } from '../catalog.ts'
import type {
  KeyedEntry,
  LaneCatalog,
  LaneReplay,
  LaneState,
  LaneStep,
  RowPlace,
  StoredRows,
  TakenBack,
} from '../lanes.ts'
import type { CatalogLocks } from '../locks.ts'
import type { RejectedRow } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { inTransaction } from './in-transaction.ts'
import { OutcomeKeeper } from './keep-outcome.ts'
import { keepReplay } from './replay-rejected.ts'
import { settleKeys } from './settle-keys.ts'
import { noteSeen, noteStored, storedRowsOf, takeBack } from './stored-rows.ts'

export interface LaneRepositoryParts {
  readonly database: Kysely<Tables>
  readonly locks: CatalogLocks
  /** Tells all processes that a lane got on; it may fail, for they look by themselves too. */
  readonly announce: () => Promise<void>
}

export class LaneRepository implements LaneCatalog {
  readonly #database: Kysely<Tables>
  readonly #keeper: OutcomeKeeper
  readonly #announce: () => Promise<void>

  constructor({ database, locks, announce }: LaneRepositoryParts) {
    this.#database = database
    this.#keeper = new OutcomeKeeper(database, locks)
    this.#announce = announce
  }

  async lane(lane: number): Promise<LaneState> {
    const row = await this.#database.selectFrom('lanes').selectAll().where('lane', '=', lane).executeTakeFirst()
    return row === undefined ? laneStateOf(newLane(lane)) : laneStateOf(row)
  }

  async lanes(): Promise<readonly LaneState[]> {
    const rows = await this.#database.selectFrom('lanes').selectAll().orderBy('lane').execute()
    return rows.map(laneStateOf)
  }

  settleKeys(entries: readonly KeyedEntry[]): Promise<ReadonlySet<number>> {
    return inTransaction(this.#database, (transaction) => settleKeys(transaction, entries))
  }

  keep(step: LaneStep): Promise<boolean> {
    return inTransaction(this.#database, async (transaction) => {
      // First of all, so that of two pipelines that hold a lane for theirs the second waits here, and then finds that it is not.
      if (!(await moveKept(transaction, step))) return false
      await this.#keeper.keep(transaction, step)
      await countJudged(transaction, step)
      await takeBack(transaction, step.lane, step.takenBack)
      await noteStored(transaction, step.stored, { ...step, isReplay: false })
      return true
    })
  }

  async keepAgain(lane: number, rejected: readonly RejectedRow[], takenBack: readonly TakenBack[]): Promise<void> {
    await inTransaction(this.#database, async (transaction) => {
      await this.#keeper.keep(transaction, { rejected, items: [] })
      await takeBack(transaction, lane, takenBack)
    })
  }

  replay(replay: LaneReplay): Promise<ReplayedRows> {
    return inTransaction(this.#database, async (transaction) => {
      const { givenBack, ...found } = await keepReplay(transaction, this.#keeper, replay)
      const { lane, throughPosition, position, rows, into } = replay
      const ingestId = into?.ingestId ?? replay.ingestId
      const last = lastOf(found.stored, rows?.times)
      if (givenBack.size > 0) await takeBack(transaction, lane, [{ ingestId, positions: givenBack, last }])
      // Of one that is judged again all are noted: they were stored and noted together.
      if (rows === null || last === null || found.taken === 0) return found
      const stored = { ingestId, entityId: rows.entityId, rows: found.taken, last }
      await noteStored(transaction, [stored], { lane, fromPosition: position, throughPosition, isReplay: true })
      return found
    })
  }

  async processed(lane: number, position: number): Promise<void> {
    await this.#database
      .insertInto('lanes')
      .values({ ...newLane(lane), processed_position: position })
      .onConflict((conflict) =>
        conflict
          .column('lane')
          .doUpdateSet({ processed_position: position })
          .where('lanes.processed_position', '<', position),
      )
      .execute()
    await this.#announce()
  }

  async note(lane: number): Promise<string | null> {
    const found = await this.#database
      .selectFrom('lane_notes')
      .select('note')
      .where('lane', '=', lane)
      .executeTakeFirst()
    return found?.note ?? null
  }

  async writeNote(lane: number, note: string): Promise<void> {
    await this.#database
      .insertInto('lane_notes')
      .values({ lane, note })
      .onConflict((conflict) => conflict.column('lane').doUpdateSet({ note }))
      .execute()
  }

  async judgedRows(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#database.selectFrom('judged_rows').selectAll().execute()
    return new Map(rows.map((row) => [row.ingest_id, row.rows]))
  }

  storedRows(ingestId?: number): Promise<readonly StoredRows[]> {
    return storedRowsOf(this.#database, ingestId)
  }

  async seen(rows: readonly StoredRows[]): Promise<void> {
    if (rows.length > 0) await inTransaction(this.#database, (transaction) => noteSeen(transaction, rows))
  }
}

function lastOf(stored: readonly number[], times: ReadonlyMap<number, number> | undefined): RowPlace | null {
  const position = stored.at(-1)
  if (position === undefined || times === undefined) return null
  const ms = times.get(position)
  if (ms === undefined) throw new Error('a replay stores a row of which it has no time')
  return { position, ms }
}

export function laneStateOf({ lane, kept_position, processed_position }: Tables['lanes']): LaneState {
  return { lane, keptPosition: kept_position, processedPosition: processed_position }
}

function newLane(lane: number): Tables['lanes'] {
  const position = positionAt(lane, 0)
  return { lane, kept_position: position, processed_position: position }
}

async function makeLane(transaction: Transaction<Tables>, lane: number): Promise<void> {
  await transaction
    .insertInto('lanes')
    .values(newLane(lane))
    .onConflict((conflict) => conflict.column('lane').doNothing())
    .execute()
}

async function moveKept(
  transaction: Transaction<Tables>,
  { lane, fromPosition, throughPosition }: LaneStep,
): Promise<boolean> {
  if (fromPosition === positionAt(lane, 0)) await makeLane(transaction, lane)
  const { numUpdatedRows } = await transaction
    .updateTable('lanes')
    .set({ kept_position: throughPosition })
    .where('lane', '=', lane)
    .where('kept_position', '=', fromPosition)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function countJudged(transaction: Transaction<Tables>, { judged }: LaneStep): Promise<void> {
  const sums = new Map<number, number>()
  for (const { ingestId, rows } of judged) sums.set(ingestId, (sums.get(ingestId) ?? 0) + rows)
  // Who locks several ingests does so in one order.
  for (const [ingestId, rows] of [...sums].sort(([a], [b]) => a - b)) {
    if (rows === 0) continue
    await transaction
      .insertInto('judged_rows')
      .values({ ingest_id: ingestId, rows })
      .onConflict((conflict) =>
        conflict.column('ingest_id').doUpdateSet((column) => ({ rows: column('judged_rows.rows', '+', rows) })),
      )
      .execute()
  }
}
