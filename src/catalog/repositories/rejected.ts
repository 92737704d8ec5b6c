import { lineFormats } from '../../model/line-format.ts'
import { rejectCodes } from '../../model/row-fault.ts'
import type {
  FaultsOfBatch,
  RejectedBatch,
  RejectedBatchKey,
  RejectedCatalog,
  RejectedFates,
  RejectedFilter,
  RejectedKind,
  RejectedPage,
  RejectedRow,
  SummaryLimits,
} from '../rejected.ts'
import { discardRejected } from './discard-rejected.ts'
import { oneOf } from './ingest-rows.ts'
import { listRejected, type RejectedRecord } from './list-rejected.ts'
import { portions } from './portions.ts'
import { rejectedBatchesOf, summarizeRejected } from './rejected-summary.ts'
import { fromTextColumn } from './text-column.ts'
import { Repository } from './transactions.ts'

export class RejectedRepository extends Repository implements RejectedCatalog {
  list(ingestId: number, filter: RejectedFilter): Promise<RejectedPage> {
    return this.reading(async (transaction) => {
      const { records, after } = await listRejected(transaction, ingestId, filter)
      return { rows: records.map(rowOf), after }
    })
  }

  summary(ingestId: number, subscriberId: number | null, limits: SummaryLimits): Promise<readonly RejectedKind[]> {
    return this.reading((transaction) => summarizeRejected(transaction, ingestId, subscriberId, limits))
  }

  batches(
    ingestId: number,
    subscriberId: number | null,
    page: { readonly after: RejectedBatchKey | null; readonly limit: number },
  ): Promise<readonly RejectedBatch[]> {
    return rejectedBatchesOf(this.database, ingestId, subscriberId, page)
  }

  async since(ingestId: number, fromMs: number): Promise<number> {
    const { rows } = await this.database
      .selectFrom('rejected_batches')
      .select(({ fn }) => fn.sum<number | null>('rejected').as('rows'))
      .where('ingest_id', '=', ingestId)
      .where('received_ms', '>=', fromMs)
      .executeTakeFirstOrThrow()
    return Number(rows ?? 0)
  }

  fates(ingestId: number, positions: readonly number[]): Promise<RejectedFates> {
    return this.reading(async (transaction) => {
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
    const rows = await this.database.selectFrom('rejected_counts').selectAll().execute()
    return new Map(rows.map((row) => [row.ingest_id, row.rows]))
  }

  async keptBytes(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.database.selectFrom('rejected_counts').select(['ingest_id', 'kept_bytes']).execute()
    return new Map(rows.map((row) => [row.ingest_id, row.kept_bytes]))
  }

  discard(ingestId: number, positions: readonly number[] | null, subscriberId?: number): Promise<number> {
    return discardRejected(this.database, ingestId, positions, subscriberId)
  }

  ofBatch(ingestId: number, batchPosition: number, limit: number): Promise<FaultsOfBatch> {
    return this.reading(async (transaction) => {
      const batch = await transaction
        .selectFrom('rejected_batches')
        .select('rejected')
        .where('ingest_id', '=', ingestId)
        .where('batch_position', '=', batchPosition)
        .executeTakeFirst()
      const count = batch?.rejected ?? 0
      const known = await transaction
        .selectFrom('replaced_rows')
        .select('rows')
        .where('ingest_id', '=', ingestId)
        .where('batch_position', '=', batchPosition)
        .executeTakeFirst()
      const replaced = known?.rows ?? 0
      if (count === 0 || limit === 0) return { count, first: [], replaced }
      const rows = await transaction
        .selectFrom('rejected_rows')
        .selectAll()
        .where('ingest_id', '=', ingestId)
        .where('batch_position', '=', batchPosition)
        .where('state', '!=', 'stored')
        .orderBy('position')
        .limit(limit)
        .execute()
      return { count, first: rows.map(rowOf), replaced }
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
    row: record.line_format === null || record.row_text === '' ? record.row_text : fromTextColumn(record.row_text),
    field: record.field === null ? null : fromTextColumn(record.field),
    code: oneOf(rejectCodes, record.code),
    message: fromTextColumn(record.message),
    receivedMs: record.received_ms,
    ...(record.line_format === null ? {} : { lineFormat: oneOf(lineFormats, record.line_format) }),
  }
}
