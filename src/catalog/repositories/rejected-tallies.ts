// Counts of rejected rows by subscriber, code and field, and by batch, stored next to the rows so that nobody has to count millions. Lock the row in
// `rejected_counts` of the ingest before changing them.

import { createHash } from 'node:crypto'
import { type ExpressionBuilder, sql, type Transaction } from 'kysely'
import { keptRowBytes } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { portions } from './portions.ts'

/** The subscriber id under which rows of all subscribers are counted; no subscriber has it. */
export const everySubscriber = 0

type Kind = Tables['rejected_kinds']
type Batch = Tables['rejected_batches']

/** Amounts to add to, or subtract from, the counts. */
export class Tallies {
  readonly #ingestId: number
  readonly #kinds = new Map<string, Kind>()
  readonly #batches = new Map<number, Batch>()

  constructor(ingestId: number) {
    this.#ingestId = ingestId
  }

  countKind(kind: Pick<Kind, 'subscriber_id' | 'code' | 'field_key' | 'field'>, rows: number): void {
    for (const subscriber_id of [kind.subscriber_id, everySubscriber]) {
      const key = `${subscriber_id} ${kind.code} ${kind.field_key}`
      const known = this.#kinds.get(key)
      if (known === undefined) this.#kinds.set(key, { ...kind, subscriber_id, ingest_id: this.#ingestId, rows })
      else known.rows += rows
    }
  }

  countBatch(batch: Omit<Batch, 'ingest_id' | 'rejected'>, rejected: number): void {
    const known = this.#batches.get(batch.batch_position)
    if (known === undefined) this.#batches.set(batch.batch_position, { ...batch, ingest_id: this.#ingestId, rejected })
    else known.rejected += rejected
  }

  async write(transaction: Transaction<Tables>): Promise<void> {
    await this.#writeKinds(transaction)
    const batches = [...this.#batches.values()].filter(({ rejected }) => rejected !== 0)
    for (const portion of portions(batches)) {
      await transaction
        .insertInto('rejected_batches')
        .values(portion)
        .onConflict((conflict) =>
          conflict
            .columns(['ingest_id', 'batch_position'])
            .doUpdateSet({ rejected: sql<number>`rejected_batches.rejected + excluded.rejected` }),
        )
        .execute()
    }
  }

  async #writeKinds(transaction: Transaction<Tables>): Promise<void> {
    const kinds = [...this.#kinds.values()].filter(({ rows }) => rows !== 0)
    for (const portion of portions(kinds)) {
      await transaction
        .insertInto('rejected_kinds')
        .values(portion)
        .onConflict((conflict) =>
          conflict
            .columns(['ingest_id', 'subscriber_id', 'code', 'field_key'])
            .doUpdateSet({ rows: sql<number>`rejected_kinds.rows + excluded.rows` }),
        )
        .execute()
    }
    if (kinds.every(({ rows }) => rows > 0)) return
    await transaction
      .deleteFrom('rejected_kinds')
      .where('ingest_id', '=', this.#ingestId)
      .where('rows', '<=', 0)
      .where('subscriber_id', 'in', [...new Set(kinds.map(({ subscriber_id }) => subscriber_id))])
      .execute()
  }
}

/** Changes the rows at some positions and updates the counts by the difference. */
export async function recounted<Result>(
  transaction: Transaction<Tables>,
  ingestId: number,
  positions: readonly number[],
  change: () => Promise<Result>,
): Promise<Result> {
  const tallies = new Tallies(ingestId)
  await count(transaction, tallies, ingestId, positions, -1)
  const result = await change()
  await count(transaction, tallies, ingestId, positions, 1)
  await tallies.write(transaction)
  return result
}

async function count(
  transaction: Transaction<Tables>,
  tallies: Tallies,
  ingestId: number,
  positions: readonly number[],
  sign: 1 | -1,
): Promise<void> {
  for (const portion of portions(positions)) {
    // Counted here, because a database may group by reading all rows of the ingest in the order of an index.
    const rows = await transaction
      .selectFrom('rejected_rows')
      .select([...kindColumns, ...batchColumns, 'state'])
      .where('ingest_id', '=', ingestId)
      .where('position', 'in', portion)
      .execute()
    for (const { state, code, field_key, field, ...batch } of rows) {
      const { subscriber_id } = batch
      if (state === 'kept') tallies.countKind({ subscriber_id, code, field_key, field }, sign)
      if (state !== 'stored') tallies.countBatch(batch, sign)
    }
  }
}

const kindColumns = ['code', 'field_key', 'field'] as const
const batchColumns = ['batch_position', 'batch_rows', 'subscriber_id', 'received_ms'] as const

/** A PostgreSQL index entry is limited to about 2,700 bytes; this number of characters takes at most four times as many bytes. */
const fieldKeyCharacters = 128

/** The index key of a field, given as the JSON text stored in the catalog: the text itself if short, a hash if long, and empty for null. */
export function fieldKeyOf(fieldJson: string | null): string {
  if (fieldJson === null) return ''
  if ([...fieldJson].length <= fieldKeyCharacters) return fieldJson
  // The JSON text of a string never begins like this.
  return `sha256:${createHash('sha256').update(fieldJson).digest('hex')}`
}

/** Approximate total size of the selected rows. */
function sumOfKept({ fn }: ExpressionBuilder<Tables, 'rejected_rows'>) {
  return fn.coalesce(fn.sum<number>(sql<number>`row_bytes + ${sql.lit(keptRowBytes)}`), sql.lit(0)).as('bytes')
}

/** Adds to an ingest's number of rejected rows and their bytes, and locks that row until the end of the transaction. */
export async function addToCounts(
  transaction: Transaction<Tables>,
  ingestId: number,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): Promise<void> {
  await transaction
    .updateTable('rejected_counts')
    .set((column) => ({ rows: column('rows', '+', rows), kept_bytes: column('kept_bytes', '+', bytes) }))
    .where('ingest_id', '=', ingestId)
    .execute()
}

/** Takes the same lock as `addToCounts` without changing the counts. */
export const lockCounts = (transaction: Transaction<Tables>, ingestId: number): Promise<void> =>
  addToCounts(transaction, ingestId, { rows: 0, bytes: 0 })

/** Approximate size of the kept rows among these positions, only of one subscriber if given. */
export async function keptBytesOf(
  transaction: Transaction<Tables>,
  ingestId: number,
  positions: readonly number[],
  subscriberId?: number,
): Promise<number> {
  const { bytes } = await transaction
    .selectFrom('rejected_rows')
    .select(sumOfKept)
    .where('ingest_id', '=', ingestId)
    .where('state', '=', 'kept')
    .where('position', 'in', positions)
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .executeTakeFirstOrThrow()
  return Number(bytes)
}
