// Pages of rejected rows. A page takes bounded time, however many rows there are. An index has the rows of one subscriber, code and field in order, so a page
// merges the first rows of each kind. With too many kinds, a page scans a bounded number of rows instead.
import { type Kysely, sql, type Transaction } from 'kysely'
import { howManyFit } from '../../lib/how-many-fit.ts'
import { rejectCodes } from '../../model/row-fault.ts'
import type { RejectedFilter } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { portions } from './portions.ts'
import { everySubscriber, fieldKeyOf } from './rejected-tallies.ts'
import { toTextColumn } from './text-column.ts'

/** The most kinds whose first rows a page looks up. */
const kindsMax = 64
/** The most rows that a page scans. */
const scannedMax = 20_000

export type RejectedRecord = Tables['rejected_rows']
type RowSize = Pick<RejectedRecord, 'position' | 'row_bytes'>
type RejectedKindKey = Pick<Tables['rejected_kinds'], 'subscriber_id' | 'code' | 'field_key'>

/** A literal in the statement, not a parameter: otherwise the partial index on kept rows is not used. */
const kept = sql.lit('kept')

export async function listRejected(
  transaction: Transaction<Tables>,
  ingestId: number,
  filter: RejectedFilter,
): Promise<{ readonly records: readonly RejectedRecord[]; readonly after: number | null }> {
  const { positions, after } = await listPositions(transaction, ingestId, filter)
  return { records: await recordsAt(transaction, ingestId, positions), after }
}

export async function listPositions(
  transaction: Transaction<Tables>,
  ingestId: number,
  filter: RejectedFilter,
): Promise<{ readonly positions: readonly number[]; readonly after: number | null }> {
  const { sizes, scannedTo } = await firstSizes(transaction, ingestId, filter)
  const bytes = sizes.slice(0, filter.limit).map(({ row_bytes }) => row_bytes)
  const positions = sizes.slice(0, howManyFit(bytes, filter.bytesMax)).map(({ position }) => position)
  return { positions, after: sizes.length > positions.length ? positions.at(-1)! : scannedTo }
}

interface FirstSizes {
  /** One more than the page takes, if there are that many. */
  readonly sizes: readonly RowSize[]
  /** The last scanned position, if more rows may follow; null otherwise. */
  readonly scannedTo: number | null
}

async function firstSizes(
  transaction: Transaction<Tables>,
  ingestId: number,
  filter: RejectedFilter,
): Promise<FirstSizes> {
  if (filter.positions !== undefined || filter.batchPosition !== undefined) {
    return { sizes: await chosenSizes(transaction, ingestId, filter), scannedTo: null }
  }
  const kinds = await kindsOf(transaction, ingestId, filter)
  if (kinds.length > kindsMax) return scannedSizes(transaction, ingestId, filter)
  let sizes: readonly RowSize[] = []
  for (const kind of kinds) {
    const found = await sizesOfKind(transaction, ingestId, kind, filter, sizes[filter.limit]?.position)
    sizes = [...sizes, ...found].sort((a, b) => a.position - b.position).slice(0, filter.limit + 1)
  }
  return { sizes, scannedTo: null }
}

/** The kinds that match a filter. Stops after more than `kindsMax` are found. */
async function kindsOf(
  transaction: Transaction<Tables>,
  ingestId: number,
  { subscriberId, code, field }: RejectedFilter,
): Promise<readonly RejectedKindKey[]> {
  const kinds: RejectedKindKey[] = []
  const subscribers = subscriberId === undefined ? subscribersOf(transaction, ingestId) : [subscriberId]
  for await (const subscriber of subscribers) {
    let select = transaction
      .selectFrom('rejected_kinds')
      .select(['subscriber_id', 'code', 'field_key'])
      .where('ingest_id', '=', ingestId)
      .where('subscriber_id', '=', subscriber)
    if (code !== undefined) select = select.where('code', '=', code)
    if (field !== undefined) {
      select = select.where('code', 'in', [...rejectCodes]).where('field_key', '=', fieldKeyOf(toTextColumn(field)))
    }
    kinds.push(...(await select.limit(kindsMax + 1).execute()))
    if (kinds.length > kindsMax) break
  }
  return kinds
}

/** Ids of subscribers with rows in the list, one after the other. */
export async function* subscribersOf(transaction: Transaction<Tables>, ingestId: number): AsyncGenerator<number> {
  for (let last = everySubscriber; ; ) {
    const next = await transaction
      .selectFrom('rejected_kinds')
      .select('subscriber_id')
      .where('ingest_id', '=', ingestId)
      .where('subscriber_id', '>', last)
      .orderBy('subscriber_id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) return
    last = next.subscriber_id
    yield last
  }
}

function sizesOfKind(
  transaction: Transaction<Tables>,
  ingestId: number,
  kind: RejectedKindKey,
  { afterPosition, limit }: RejectedFilter,
  before: number | undefined,
): Promise<readonly RowSize[]> {
  return ofKind(transaction, ingestId, kind)
    .select(['position', 'row_bytes'])
    .where('position', '>', afterPosition)
    .$if(before !== undefined, (query) => query.where('position', '<', before!))
    .orderBy('position')
    .limit(limit + 1)
    .execute()
}

export function ofKind(
  database: Kysely<Tables>,
  ingestId: number,
  { subscriber_id, code, field_key }: RejectedKindKey,
) {
  return database
    .selectFrom('rejected_rows')
    .where('ingest_id', '=', ingestId)
    .where('subscriber_id', '=', subscriber_id)
    .where('code', '=', code)
    .where('field_key', '=', field_key)
    .where('state', '=', kept)
}

function chosenSizes(
  transaction: Transaction<Tables>,
  ingestId: number,
  { subscriberId, batchPosition, positions, code, field, afterPosition, limit }: RejectedFilter,
): Promise<readonly RowSize[]> {
  return transaction
    .selectFrom('rejected_rows')
    .select(['position', 'row_bytes'])
    .where('ingest_id', '=', ingestId)
    .where('state', '=', kept)
    .where('position', '>', afterPosition)
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .$if(batchPosition !== undefined, (query) => query.where('batch_position', '=', batchPosition!))
    .$if(positions !== undefined, (query) => query.where('position', 'in', positions!))
    .$if(code !== undefined, (query) => query.where('code', '=', code!))
    .$if(field !== undefined, (query) => query.where('field', '=', toTextColumn(field!)))
    .orderBy('position')
    .limit(limit + 1)
    .execute()
}

async function scannedSizes(
  transaction: Transaction<Tables>,
  ingestId: number,
  { subscriberId, code, field, afterPosition, limit }: RejectedFilter,
): Promise<FirstSizes> {
  const next = transaction
    .selectFrom('rejected_rows')
    .where('ingest_id', '=', ingestId)
    .where('position', '>', afterPosition)
    .orderBy('position')
    .limit(scannedMax)
  const columns = ['position', 'row_bytes', 'state', 'subscriber_id', 'code', 'field'] as const
  const sizes = await transaction
    .selectFrom(next.select(columns).as('next'))
    .select(['position', 'row_bytes'])
    .where('state', '=', kept)
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .$if(code !== undefined, (query) => query.where('code', '=', code!))
    .$if(field !== undefined, (query) => query.where('field', '=', toTextColumn(field!)))
    .orderBy('position')
    .limit(limit + 1)
    .execute()
  const { rows, last } = await transaction
    .selectFrom(next.select('position').as('next'))
    .select(({ fn }) => [fn.countAll<number>().as('rows'), fn.max('position').as('last')] as const)
    .executeTakeFirstOrThrow()
  return { sizes, scannedTo: rows < scannedMax ? null : Number(last) }
}

async function recordsAt(
  transaction: Transaction<Tables>,
  ingestId: number,
  positions: readonly number[],
): Promise<readonly RejectedRecord[]> {
  const records: RejectedRecord[] = []
  for (const portion of portions(positions)) {
    const found = await transaction
      .selectFrom('rejected_rows')
      .selectAll()
      .where('ingest_id', '=', ingestId)
      .where('position', 'in', portion)
      .orderBy('position')
      .execute()
    records.push(...found)
  }
  return records
}
