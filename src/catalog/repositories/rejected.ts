import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import {
  type RejectedCatalog,
  type RejectedFilter,
  type RejectedPage,
  type RejectedRow,
  rejectCodes,
} from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { counterValue } from './counters.ts'
import { oneOf } from './ingest-rows.ts'
import { readConsistently } from './read-consistently.ts'
import { fromTextColumn, toTextColumn } from './text-column.ts'

type RejectedRecord = Tables['rejected_rows']

export class RejectedRepository implements RejectedCatalog {
  readonly #database: Kysely<Tables>
  readonly #inserts = new Map<number, string>()

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  async add(rows: readonly RejectedRow[], throughPosition: number): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      for (const [ingestId, records] of recordsByIngest(rows)) {
        let kept = 0
        for (let start = 0; start < records.length; ) {
          const count = insertSize(records.length - start)
          kept += await this.#insert(transaction, records.slice(start, start + count))
          start += count
        }
        await addToCount(transaction, ingestId, kept)
      }
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

  async counts(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#database.selectFrom('rejected_counts').selectAll().execute()
    return new Map(rows.map((row) => [row.ingest_id, row.rows]))
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
      const { count } = await select
        .select((column) => column.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      if (count === 0) return { count, first: [] }
      const rows = await select.selectAll().orderBy('position').limit(limit).execute()
      return { count, first: rows.map(rowOf) }
    })
  }

  /** Keeps the records that are not there yet, and says how many these were. */
  async #insert(transaction: Transaction<Tables>, records: readonly RejectedRecord[]): Promise<number> {
    const parameters = records.flatMap((record) => columns.map((column) => record[column]))
    const result = await transaction.executeQuery(CompiledQuery.raw(this.#insertSql(records), parameters))
    return Number(result.numAffectedRows ?? 0n)
  }

  /** The statement for so many records. Building one costs more than running it, so each size is built once. */
  #insertSql(records: readonly RejectedRecord[]): string {
    const known = this.#inserts.get(records.length)
    if (known !== undefined) return known
    const { sql } = this.#database
      .insertInto('rejected_rows')
      .columns(columns)
      .values(records)
      .onConflict((conflict) => conflict.columns(['ingest_id', 'position']).doNothing())
      .compile()
    this.#inserts.set(records.length, sql)
    return sql
  }
}

/** In the order of `recordOf`, which is the order of the parameters. */
const columns = [
  'ingest_id',
  'position',
  'batch_position',
  'batch_rows',
  'subscriber_id',
  'row_index',
  'row_bytes',
  'code',
  'field',
  'message',
  'received_ms',
  'state',
  'row_text',
] as const satisfies readonly (keyof RejectedRecord)[]

const insertSizeMax = 128

/** Powers of two alone, so that few statements are ever needed. */
function insertSize(rows: number): number {
  return Math.min(insertSizeMax, 2 ** Math.floor(Math.log2(rows)))
}

function recordsByIngest(rows: readonly RejectedRow[]): ReadonlyMap<number, readonly RejectedRecord[]> {
  const records = new Map<number, RejectedRecord[]>()
  for (const row of rows) {
    const known = records.get(row.ingestId)
    if (known === undefined) records.set(row.ingestId, [recordOf(row)])
    else known.push(recordOf(row))
  }
  return records
}

function recordOf(row: RejectedRow): RejectedRecord {
  return {
    ingest_id: row.ingestId,
    position: row.position,
    batch_position: row.batchPosition,
    batch_rows: row.batchRows,
    subscriber_id: row.subscriberId,
    row_index: row.index,
    row_bytes: Buffer.byteLength(row.row),
    code: row.code,
    field: row.field === null ? null : toTextColumn(row.field),
    message: toTextColumn(row.message),
    received_ms: row.receivedMs,
    state: 'kept',
    row_text: row.row,
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

async function addToCount(transaction: Transaction<Tables>, ingestId: number, rows: number): Promise<void> {
  if (rows === 0) return
  await transaction
    .insertInto('rejected_counts')
    .values({ ingest_id: ingestId, rows })
    .onConflict((conflict) =>
      conflict.column('ingest_id').doUpdateSet((column) => ({ rows: column('rejected_counts.rows', '+', rows) })),
    )
    .execute()
}

function keptRows(database: Kysely<Tables>, ingestId: number, { batchPosition, code, afterPosition }: RejectedFilter) {
  return database
    .selectFrom('rejected_rows')
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .where('position', '>', afterPosition)
    .$if(batchPosition !== undefined, (query) => query.where('batch_position', '=', batchPosition ?? 0))
    .$if(code !== undefined, (query) => query.where('code', '=', code ?? ''))
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
