import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import { addTo } from '../../lib/add-to.ts'
import { keptRowBytes, keptTextBytes, type RejectedRow } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import type { RejectedRecord } from './list-rejected.ts'
import { portions } from './portions.ts'
import { fieldKeyOf, Tallies } from './rejected-tallies.ts'
import { toTextColumn } from './text-column.ts'

/** Writes rejected rows, each once, because the journal may be validated again. */
export class RejectedWriter {
  readonly #database: Kysely<Tables>
  readonly #inserts = new Map<number, string>()

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  /** Does not change rows that exist already. */
  async keep(transaction: Transaction<Tables>, rows: readonly RejectedRow[]): Promise<void> {
    for (const [ingestId, records] of recordsByIngest(rows)) {
      const tallies = new Tallies(ingestId)
      let [kept, bytes] = [0, 0]
      for (const portion of portions(records)) {
        const added = await this.#insert(transaction, portion)
        kept += added.size
        for (const record of portion) {
          if (!added.has(record.position)) continue
          bytes += record.row_bytes + keptRowBytes
          tallies.countKind(kindOf(record), 1)
          tallies.countBatch(batchOf(record), 1)
        }
      }
      await addToCount(transaction, ingestId, kept, bytes)
      await tallies.write(transaction)
    }
  }

  /** Inserts the records that do not exist yet, and returns their positions. */
  async #insert(transaction: Transaction<Tables>, records: readonly RejectedRecord[]): Promise<ReadonlySet<number>> {
    const parameters = records.flatMap((record) => columns.map((column) => record[column]))
    const insert = CompiledQuery.raw(this.#insertSql(records), parameters)
    const { rows } = await transaction.executeQuery<Pick<RejectedRecord, 'position'>>(insert)
    return new Set(rows.map(({ position }) => position))
  }

  /** The statement for this number of records. Building one costs more than running it, so each size is built once. */
  #insertSql(records: readonly RejectedRecord[]): string {
    const known = this.#inserts.get(records.length)
    if (known !== undefined) return known
    const { sql } = this.#database
      .insertInto('rejected_rows')
      .columns(columns)
      .values(records)
      .onConflict((conflict) => conflict.columns(['ingest_id', 'position']).doNothing())
      .returning('position')
      .compile()
    this.#inserts.set(records.length, sql)
    return sql
  }
}

/** In the same order as `recordOf`, which is the order of the parameters. */
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
  'field_key',
  'received_ms',
  'state',
  'replay_position',
  'row_text',
  'line_format',
] as const satisfies readonly (keyof RejectedRecord)[]

function recordsByIngest(rows: readonly RejectedRow[]): ReadonlyMap<number, readonly RejectedRecord[]> {
  const records = new Map<number, RejectedRecord[]>()
  for (const row of rows) {
    addTo(records, row.ingestId, recordOf(row))
  }
  // All transactions lock ingests in the same order, to avoid deadlocks.
  return new Map([...records].sort(([a], [b]) => a - b))
}

/** The columns that state why a row is rejected. */
export function reasonOf({ code, field, message }: Pick<RejectedRow, 'code' | 'field' | 'message'>) {
  const fieldText = field === null ? null : toTextColumn(field)
  return { code, field: fieldText, message: toTextColumn(message), field_key: fieldKeyOf(fieldText) }
}

/** JSON text never contains NUL, which PostgreSQL rejects; a line may. */
function rowTextOf({ row, lineFormat }: RejectedRow): string {
  return lineFormat === undefined || row === '' ? row : toTextColumn(row)
}

function recordOf(row: RejectedRow): RejectedRecord {
  return {
    ingest_id: row.ingestId,
    position: row.position,
    batch_position: row.batchPosition,
    batch_rows: row.batchRows,
    subscriber_id: row.subscriberId,
    row_index: row.index,
    row_bytes: keptTextBytes(row),
    ...reasonOf(row),
    received_ms: row.receivedMs,
    state: 'kept',
    replay_position: null,
    row_text: rowTextOf(row),
    line_format: row.lineFormat ?? null,
  }
}

function kindOf({ subscriber_id, code, field_key, field }: RejectedRecord) {
  return { subscriber_id, code, field_key, field }
}

function batchOf({ batch_position, batch_rows, subscriber_id, received_ms }: RejectedRecord) {
  return { batch_position, batch_rows, subscriber_id, received_ms }
}

async function addToCount(
  transaction: Transaction<Tables>,
  ingestId: number,
  rows: number,
  bytes: number,
): Promise<void> {
  if (rows === 0) return
  await transaction
    .insertInto('rejected_counts')
    .values({ ingest_id: ingestId, rows, kept_bytes: bytes })
    .onConflict((conflict) =>
      conflict.column('ingest_id').doUpdateSet((column) => ({
        rows: column('rejected_counts.rows', '+', rows),
        kept_bytes: column('rejected_counts.kept_bytes', '+', bytes),
      })),
    )
    .execute()
}
