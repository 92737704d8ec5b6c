import type { Kysely } from 'kysely'
import {
  type RejectedCatalog,
  type RejectedFates,
  type RejectedFilter,
  type RejectedPage,
  type RejectedRow,
  rejectCodes,
} from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { discardRejected } from './discard-rejected.ts'
import { oneOf } from './ingest-rows.ts'
import type { RejectedRecord } from './keep-rejected.ts'
import { portions } from './portions.ts'
import { readConsistently } from './read-consistently.ts'
import { fromTextColumn } from './text-column.ts'

export class RejectedRepository implements RejectedCatalog {
  readonly #database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  list(ingestId: number, filter: RejectedFilter): Promise<RejectedPage> {
    return readConsistently(this.#database, async (transaction) => {
      const select = keptRows(transaction, ingestId, filter)
      const sizes = await select
        .select(['position', 'row_bytes'])
        .limit(filter.limit + 1)
        .execute()
      const count = fitting(sizes, filter)
      if (count === 0) return { rows: [], more: false }
      const rows = await select
        .selectAll()
        .where('position', '<=', sizes[count - 1]!.position)
        .execute()
      return { rows: rows.map(rowOf), more: sizes.length > count }
    })
  }

  fates(ingestId: number, positions: readonly number[]): Promise<RejectedFates> {
    return readConsistently(this.#database, async (transaction) => {
      const fates = { stored: 0, rejected: 0 }
      for (const portion of portions(positions)) {
        const found = await transaction
          .selectFrom('rejected_rows')
          .select((column) => ['state', column.fn.countAll<number>().as('count')] as const)
          .where('ingest_id', '=', ingestId)
          .where('position', 'in', portion)
          .groupBy('state')
          .execute()
        for (const { state, count } of found) {
          if (state === 'stored') fates.stored += count
          if (state === 'kept') fates.rejected += count
        }
      }
      return fates
    })
  }

  async counts(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#database.selectFrom('rejected_counts').selectAll().execute()
    return new Map(rows.map((row) => [row.ingest_id, row.rows]))
  }

  async keptBytes(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#database.selectFrom('rejected_counts').select(['ingest_id', 'kept_bytes']).execute()
    return new Map(rows.map((row) => [row.ingest_id, row.kept_bytes]))
  }

  discard(ingestId: number, positions: readonly number[] | null): Promise<number> {
    return discardRejected(this.#database, ingestId, positions)
  }

  ofBatch(
    ingestId: number,
    batchPosition: number,
    limit: number,
  ): Promise<{ count: number; first: readonly RejectedRow[] }> {
    return readConsistently(this.#database, async (transaction) => {
      const select = transaction
        .selectFrom('rejected_rows')
        .where('ingest_id', '=', ingestId)
        .where('batch_position', '=', batchPosition)
        .where('state', '!=', 'stored')
      const { count } = await select
        .select((column) => column.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      if (count === 0) return { count, first: [] }
      const rows = await select.selectAll().orderBy('position').limit(limit).execute()
      return { count, first: rows.map(rowOf) }
    })
  }
}

function rowOf(record: RejectedRecord): RejectedRow {
  return {
    ingestId: record.ingest_id,
    position: record.position,
    batchPosition: record.batch_position,
    batchRows: record.batch_rows,
    subscriberId: record.subscriber_id,
    index: record.row_index,
    row: record.row_text,
    field: record.field === null ? null : fromTextColumn(record.field),
    code: oneOf(rejectCodes, record.code),
    message: fromTextColumn(record.message),
    receivedMs: record.received_ms,
  }
}

function keptRows(
  database: Kysely<Tables>,
  ingestId: number,
  { batchPosition, code, positions, afterPosition }: RejectedFilter,
) {
  return database
    .selectFrom('rejected_rows')
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .where('position', '>', afterPosition)
    .$if(batchPosition !== undefined, (query) => query.where('batch_position', '=', batchPosition ?? 0))
    .$if(code !== undefined, (query) => query.where('code', '=', code ?? ''))
    .$if(positions !== undefined, (query) => query.where('position', 'in', positions ?? []))
    .orderBy('position')
}

/** How many of the rows make a page: as many as its limits let in, one at least. */
function fitting(sizes: readonly { readonly row_bytes: number }[], { limit, bytesMax }: RejectedFilter): number {
  let bytes = 0
  let count = 0
  for (const { row_bytes } of sizes.slice(0, limit)) {
    bytes += row_bytes
    if (bytes > bytesMax && count > 0) break
    count += 1
  }
  return count
}
