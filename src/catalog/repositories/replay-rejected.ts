import type { Kysely, Transaction } from 'kysely'
import type { ReplayedRows, ReplayOutcome, ReplayTarget } from '../catalog.ts'
import { keptRowBytes, keptTextBytes, type RejectedRow } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { portions } from './portions.ts'
import { addToCounts, keptBytesOf, lockCounts, recounted } from './rejected-tallies.ts'
import { fromTextColumn } from './text-column.ts'
import type { OutcomeWriter } from './write-outcome.ts'
import { reasonOf } from './write-rejected.ts'

export interface KeptReplay extends ReplayedRows {
  /** Positions of rows that this replay stored when it was validated before, and that no longer pass. */
  readonly givenBack: ReadonlySet<number>
}

export async function keepReplay(
  transaction: Transaction<Tables>,
  writer: OutcomeWriter,
  outcome: ReplayOutcome,
): Promise<KeptReplay> {
  const { ingests } = await writer.dropped(transaction)
  const { into, ingestId } = outcome
  const none: KeptReplay = { stored: [], taken: 0, givenBack: new Set() }
  if (ingests.has(into?.ingestId ?? ingestId)) return none
  const isListGone = ingests.has(ingestId)
  const kept = isListGone ? none : await keepInList(transaction, outcome)
  if (into === undefined) return keepItems(transaction, writer, outcome, kept)
  const whole = { ...outcome, into }
  // If the list is gone, `replays_into` of the target ingest has the stored rows.
  const stored = isListGone ? await storedInto(transaction, whole) : kept.stored
  if (!isListGone) await noteInto(transaction, whole, stored)
  const placed = (positions: Iterable<number>): number[] => [...positions].map((own) => into.places.get(own)!)
  const there = { stored: placed(stored), taken: kept.taken, givenBack: new Set(placed(kept.givenBack)) }
  return keepItems(transaction, writer, outcome, there)
}

async function keepItems(
  transaction: Transaction<Tables>,
  writer: OutcomeWriter,
  { items }: Pick<ReplayOutcome, 'items'>,
  kept: KeptReplay,
): Promise<KeptReplay> {
  const stored = new Set(kept.stored)
  await writer.items.keep(
    transaction,
    items.filter(({ position }) => stored.has(position)),
  )
  return kept
}

/** Updates the list of the ingest that rejected the rows. All positions are those in that ingest. */
async function keepInList(transaction: Transaction<Tables>, outcome: ReplayOutcome): Promise<KeptReplay> {
  const rows = await takeReplayed(transaction, outcome)
  const rejected = outcome.rejected.map((row) => row.position)
  const givenBack = await recounted(transaction, outcome.ingestId, rejected, async () => {
    if (outcome.into === undefined) await keepNewReasons(transaction, outcome)
    return giveBack(transaction, outcome)
  })
  return { ...rows, givenBack }
}

/** Marks the rows that pass as stored by this replay, and returns those that it stores, now or when it was recorded before. */
async function takeReplayed(
  transaction: Transaction<Tables>,
  { ingestId, position, passed }: Pick<ReplayOutcome, 'ingestId' | 'position' | 'passed'>,
): Promise<ReplayedRows> {
  // Locked before its rows, in the same order as elsewhere.
  await lockCounts(transaction, ingestId)
  const stored: number[] = []
  let [taken, bytes] = [0, 0]
  for (const portion of portions(passed)) {
    bytes += await keptBytesOf(transaction, ingestId, portion)
    const { numUpdatedRows } = await recounted(transaction, ingestId, portion, () =>
      transaction
        .updateTable('rejected_rows')
        .set({ state: 'stored', replay_position: position, row_text: '', row_bytes: 0 })
        .where('ingest_id', '=', ingestId)
        .where('position', 'in', portion)
        .where('state', '=', 'kept')
        .executeTakeFirstOrThrow(),
    )
    taken += Number(numUpdatedRows)
    for (const row of await markedRows(transaction, ingestId, position, portion)) stored.push(row)
  }
  if (taken > 0) await addToCounts(transaction, ingestId, { rows: -taken, bytes: -bytes })
  return { stored, taken }
}

/** The rows that a replay stored when it was last recorded, under the positions assigned to them. */
export async function storedBy(
  database: Kysely<Tables>,
  { ingestId, position, passed, into }: Pick<ReplayOutcome, 'ingestId' | 'position' | 'passed' | 'into'>,
): Promise<readonly number[]> {
  if (into !== undefined) {
    const own = await storedInto(database, { position, passed, into })
    return own.map((row) => into.places.get(row)!)
  }
  const stored: number[] = []
  for (const portion of portions(passed)) {
    for (const row of await markedRows(database, ingestId, position, portion)) stored.push(row)
  }
  return stored
}

async function markedRows(
  database: Kysely<Tables>,
  ingestId: number,
  replayPosition: number,
  among: readonly number[],
): Promise<readonly number[]> {
  const rows = await database
    .selectFrom('rejected_rows')
    .select('position')
    .where('ingest_id', '=', ingestId)
    .where('position', 'in', among)
    .where('replay_position', '=', replayPosition)
    .orderBy('position')
    .execute()
  return rows.map(({ position }) => position)
}

/**
 * Updates the reason of rows that are rejected again, and the space it takes. Rows that were mended, or validated for another ingest, keep their old reason,
 * because it describes the row as listed.
 */
async function keepNewReasons(
  transaction: Transaction<Tables>,
  { ingestId, rejected }: Pick<ReplayOutcome, 'ingestId' | 'rejected'>,
): Promise<void> {
  let more = 0
  for (const portion of portions(rejected)) {
    const known = await reasonsAt(transaction, ingestId, portion)
    for (const row of portion) {
      const before = known.get(row.position)
      if (before === undefined || isMended(row, before)) continue
      const difference = reasonBytes(row) - reasonBytes(before)
      more += difference
      await transaction
        .updateTable('rejected_rows')
        .set({ ...reasonOf(row), row_bytes: before.rowBytes + difference })
        .where('ingest_id', '=', ingestId)
        .where('position', '=', row.position)
        .execute()
    }
  }
  if (more !== 0) await addToCounts(transaction, ingestId, { rows: 0, bytes: more })
}

interface Known extends Reason {
  readonly rowBytes: number
  /** Empty if the text exists only in the body of its push. */
  readonly row: string
  readonly isLine: boolean
}

/** Lines are validated as rows, mended or not, so their text cannot show whether they were mended. */
function isMended({ row }: RejectedRow, before: Known): boolean {
  return !before.isLine && before.row !== '' && before.row !== row
}

type Reason = Pick<RejectedRow, 'field' | 'message'>

/** Excludes the row's text, which stays as first pushed, mended or not. */
const reasonBytes = ({ field, message }: Reason): number => keptTextBytes({ row: '', field, message })

/** Current reasons and sizes of the kept rows among these, by position. */
async function reasonsAt(
  transaction: Transaction<Tables>,
  ingestId: number,
  rows: readonly RejectedRow[],
): Promise<ReadonlyMap<number, Known>> {
  const found = await transaction
    .selectFrom('rejected_rows')
    .select(['position', 'field', 'message', 'row_bytes', 'row_text', 'line_format'])
    .where('ingest_id', '=', ingestId)
    .where(
      'position',
      'in',
      rows.map(({ position }) => position),
    )
    .where('state', '=', 'kept')
    .execute()
  return new Map(
    found.map(({ position, field, message, row_bytes, row_text, line_format }) => [
      position,
      {
        field: field === null ? null : fromTextColumn(field),
        message: fromTextColumn(message),
        rowBytes: Number(row_bytes),
        row: row_text,
        isLine: line_format !== null,
      },
    ]),
  )
}

/** Positions of rejected rows that this replay stored when it was validated before; nearly always none. */
async function storedAmong(
  transaction: Transaction<Tables>,
  { ingestId, position, rejected }: Pick<ReplayOutcome, 'ingestId' | 'position' | 'rejected'>,
): Promise<ReadonlySet<number>> {
  const stored = new Set<number>()
  for (const portion of portions(rejected.map((row) => row.position))) {
    const rows = await transaction
      .selectFrom('rejected_rows')
      .select('position')
      .where('ingest_id', '=', ingestId)
      .where('position', 'in', portion)
      .where('state', '=', 'stored')
      .where('replay_position', '=', position)
      .execute()
    for (const row of rows) stored.add(row.position)
  }
  return stored
}

/** Marks rows that this replay stored when it was validated before as rejected again. Items stay, because they are stored in the catalog. */
async function giveBack(
  transaction: Transaction<Tables>,
  { ingestId, kind, position, rejected }: Pick<ReplayOutcome, 'ingestId' | 'kind' | 'position' | 'rejected'>,
): Promise<ReadonlySet<number>> {
  if (kind === 'metadata') return new Set()
  const givenBack = await storedAmong(transaction, { ingestId, position, rejected })
  let bytes = 0
  for (const row of rejected.filter((one) => givenBack.has(one.position))) {
    const rowBytes = keptTextBytes(row)
    await transaction
      .updateTable('rejected_rows')
      .set({
        state: 'kept',
        replay_position: null,
        row_text: row.row,
        row_bytes: rowBytes,
        line_format: null,
        ...reasonOf(row),
      })
      .where('ingest_id', '=', ingestId)
      .where('position', '=', row.position)
      .execute()
    bytes += rowBytes + keptRowBytes
  }
  if (givenBack.size > 0) await addToCounts(transaction, ingestId, { rows: givenBack.size, bytes })
  return givenBack
}

type IntoOutcome = Pick<ReplayOutcome, 'position' | 'passed'> & { readonly into: ReplayTarget }

/** The rows among `passed` that this replay has stored in the other ingest, by their positions in the ingest that rejected them. */
async function storedInto(
  database: Kysely<Tables>,
  { position, passed, into: { ingestId, places } }: IntoOutcome,
): Promise<readonly number[]> {
  const noted = await database
    .selectFrom('replays_into')
    .select('stored')
    .where('ingest_id', '=', ingestId)
    .where('position', '=', position)
    .executeTakeFirst()
  const runs: readonly (readonly [first: number, last: number])[] = JSON.parse(noted?.stored ?? '[]')
  return passed.filter((own) => {
    const index = places.get(own)! - position
    return runs.some(([first, last]) => first <= index && index <= last)
  })
}

/** Records the rows that this replay stores in the other ingest, replacing the previous record. */
async function noteInto(
  transaction: Transaction<Tables>,
  { position, into: { ingestId, places } }: IntoOutcome,
  storedRows: readonly number[],
): Promise<void> {
  const runs: [first: number, last: number][] = []
  for (const own of storedRows) {
    const index = places.get(own)! - position
    const last = runs.at(-1)
    if (last !== undefined && last[1] + 1 === index) last[1] = index
    else runs.push([index, index])
  }
  const stored = JSON.stringify(runs)
  await transaction
    .insertInto('replays_into')
    .values({ ingest_id: ingestId, position, stored })
    .onConflict((conflict) => conflict.columns(['ingest_id', 'position']).doUpdateSet({ stored }))
    .execute()
}
