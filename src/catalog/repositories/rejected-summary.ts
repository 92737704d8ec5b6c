import type { Kysely, Transaction } from 'kysely'
import { partitionOf, partitionsMax, positionAt } from '../../journal/partition-position.ts'
import { howManyFit } from '../../lib/how-many-fit.ts'
import { rejectCodes } from '../../model/row-fault.ts'
import type { RejectedBatch, RejectedBatchKey, RejectedKind, SummaryLimits } from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { oneOf } from './ingest-rows.ts'
import { ofKind, subscribersOf } from './list-rejected.ts'
import { everySubscriber } from './rejected-tallies.ts'
import { fromTextColumn } from './text-column.ts'

type KindRecord = Tables['rejected_kinds']
type KindKey = Pick<KindRecord, 'subscriber_id' | 'code' | 'field_key'>
type Span = Pick<RejectedKind, 'firstMs' | 'lastMs' | 'examplePosition'>

/** The kinds with the most rows: of one subscriber, or of all subscribers together if null. */
export async function summarizeRejected(
  transaction: Transaction<Tables>,
  ingestId: number,
  subscriberId: number | null,
  limits: SummaryLimits,
): Promise<readonly RejectedKind[]> {
  const kinds = await largestKinds(transaction, ingestId, subscriberId ?? everySubscriber, limits)
  const parts = subscriberId === null ? await partsOf(transaction, ingestId, kinds.length) : kinds
  const spans = new Map<string, Span>()
  for (const part of parts) {
    for (const span of await spansByPartition(transaction, ingestId, part)) {
      const known = spans.get(nameOf(part))
      spans.set(nameOf(part), known === undefined ? span : joined(known, span))
    }
  }
  return kinds.flatMap((kind) => {
    const span = spans.get(nameOf(kind))
    if (span === undefined) return []
    const field = kind.field === null ? null : fromTextColumn(kind.field)
    return [{ code: oneOf(rejectCodes, kind.code), field, rows: kind.rows, ...span }]
  })
}

async function largestKinds(
  transaction: Transaction<Tables>,
  ingestId: number,
  subscriberId: number,
  { kindsMax, bytesMax }: SummaryLimits,
): Promise<readonly KindRecord[]> {
  const sizes = await byRows(transaction, ingestId, subscriberId)
    .select(({ fn }) => fn<number | null>('length', ['field']).as('size'))
    .limit(kindsMax)
    .execute()
  const fieldBytes = sizes.map(({ size }) => size ?? 0)
  return byRows(transaction, ingestId, subscriberId).selectAll().limit(howManyFit(fieldBytes, bytesMax)).execute()
}

function byRows(database: Kysely<Tables>, ingestId: number, subscriberId: number) {
  return database
    .selectFrom('rejected_kinds')
    .where('ingest_id', '=', ingestId)
    .where('subscriber_id', '=', subscriberId)
    .orderBy('rows', 'desc')
    .orderBy('code')
    .orderBy('field_key')
}

/** The kinds of each subscriber among the largest kinds. */
async function partsOf(
  transaction: Transaction<Tables>,
  ingestId: number,
  kindsMax: number,
): Promise<readonly KindKey[]> {
  const largest = byRows(transaction, ingestId, everySubscriber).select(['code', 'field_key']).limit(kindsMax)
  const parts: KindKey[] = []
  for await (const subscriber of subscribersOf(transaction, ingestId)) {
    const found = await transaction
      .selectFrom('rejected_kinds')
      .select(['subscriber_id', 'code', 'field_key'])
      .where('ingest_id', '=', ingestId)
      .where('subscriber_id', '=', subscriber)
      .where(({ eb, refTuple }) => eb(refTuple('code', 'field_key'), 'in', largest.$asTuple('code', 'field_key')))
      .execute()
    parts.push(...found)
  }
  return parts
}

function nameOf({ code, field_key }: KindKey): string {
  return `${code} ${field_key}`
}

function joined(a: Span, b: Span): Span {
  return { ...(b.firstMs < a.firstMs ? b : a), lastMs: Math.max(a.lastMs, b.lastMs) }
}

/** Positions rise with time within a partition, so the first and last row of each partition are enough. */
async function spansByPartition(
  transaction: Transaction<Tables>,
  ingestId: number,
  kind: KindKey,
): Promise<readonly Span[]> {
  const spans: Span[] = []
  const rows = ofKind(transaction, ingestId, kind).select(['position', 'received_ms'])
  for (let after = -1; ; ) {
    const first = await rows.where('position', '>', after).orderBy('position').limit(1).executeTakeFirst()
    if (first === undefined) return spans
    const partition = partitionOf(first.position)
    after = partition + 1 < partitionsMax ? positionAt(partition + 1, 0) - 1 : Number.MAX_SAFE_INTEGER
    const ofPartition = rows.where('position', '<=', after).orderBy('position', 'desc').limit(1)
    const { received_ms } = await ofPartition.executeTakeFirstOrThrow()
    spans.push({ firstMs: first.received_ms, lastMs: received_ms, examplePosition: first.position })
  }
}

export async function rejectedBatchesOf(
  database: Kysely<Tables>,
  ingestId: number,
  subscriberId: number | null,
  { after, limit }: { readonly after: RejectedBatchKey | null; readonly limit: number },
): Promise<readonly RejectedBatch[]> {
  const records = await database
    .selectFrom('rejected_batches')
    .selectAll()
    .where('ingest_id', '=', ingestId)
    .$if(subscriberId !== null, (query) => query.where('subscriber_id', '=', subscriberId!))
    .$if(after !== null, (query) =>
      query
        .where('received_ms', '<=', after!.receivedMs)
        .where(({ or, eb }) =>
          or([eb('received_ms', '<', after!.receivedMs), eb('batch_position', '<', after!.position)]),
        ),
    )
    .orderBy('received_ms', 'desc')
    .orderBy('batch_position', 'desc')
    .limit(limit)
    .execute()
  return records.map((record) => ({
    position: record.batch_position,
    rows: record.batch_rows,
    subscriberId: record.subscriber_id,
    receivedMs: record.received_ms,
    rejected: record.rejected,
  }))
}
