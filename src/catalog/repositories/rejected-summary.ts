import type { Kysely, Transaction } from 'kysely'
import { laneOf, lanesMax, positionAt } from '../../journal/lane-position.ts'
import {
  type RejectedBatch,
  type RejectedBatchKey,
  type RejectedKind,
  rejectCodes,
  type SummaryLimits,
} from '../rejected.ts'
import type { Tables } from '../schema.ts'
import { oneOf } from './ingest-rows.ts'
import { ofKind, subscribersOf } from './list-rejected.ts'
import { everySubscriber } from './rejected-tallies.ts'
import { fromTextColumn } from './text-column.ts'

type KindRecord = Omit<Tables['rejected_kinds'], 'ingest_id'>

/** The kinds with the most rows; who looks at all of them sees those of all subscribers together. */
export async function summarizeRejected(
  transaction: Transaction<Tables>,
  ingestId: number,
  subscriberId: number | null,
  limits: SummaryLimits,
): Promise<readonly RejectedKind[]> {
  const kinds: RejectedKind[] = []
  const subscribers: number[] = []
  if (subscriberId !== null) subscribers.push(subscriberId)
  else for await (const subscriber of subscribersOf(transaction, ingestId)) subscribers.push(subscriber)
  for (const kind of await largestKinds(transaction, ingestId, subscriberId ?? everySubscriber, limits)) {
    const span = await spanOf(transaction, ingestId, kind, subscribers)
    if (span === null) continue
    const field = kind.field === null ? null : fromTextColumn(kind.field)
    kinds.push({ code: oneOf(rejectCodes, kind.code), field, rows: kind.rows, ...span })
  }
  return kinds
}

async function largestKinds(
  transaction: Transaction<Tables>,
  ingestId: number,
  subscriberId: number,
  { kindsMax, bytesMax }: SummaryLimits,
): Promise<readonly KindRecord[]> {
  const select = transaction
    .selectFrom('rejected_kinds')
    .where('ingest_id', '=', ingestId)
    .where('subscriber_id', '=', subscriberId)
  const sizes = await select
    .select(
      ({ fn }) =>
        ['subscriber_id', 'code', 'field_key', 'rows', fn<number | null>('length', ['field']).as('size')] as const,
    )
    .orderBy('rows', 'desc')
    .orderBy('code')
    .orderBy('field_key')
    .limit(kindsMax)
    .execute()
  const kinds: KindRecord[] = []
  let bytes = 0
  for (const { size, ...kind } of sizes) {
    bytes += size ?? 0
    if (bytes > bytesMax && kinds.length > 0) break
    const { field } = await select
      .select('field')
      .where('code', '=', kind.code)
      .where('field_key', '=', kind.field_key)
      .executeTakeFirstOrThrow()
    kinds.push({ ...kind, field })
  }
  return kinds
}

type Span = Pick<RejectedKind, 'firstMs' | 'lastMs' | 'examplePosition'>

/** From the first to the last row of a kind; null where there is none. */
async function spanOf(
  transaction: Transaction<Tables>,
  ingestId: number,
  kind: KindRecord,
  subscribers: readonly number[],
): Promise<Span | null> {
  const spans: Span[] = []
  for (const subscriber_id of subscribers) {
    spans.push(...(await spansByLane(transaction, ingestId, { ...kind, subscriber_id })))
  }
  const [first] = spans.sort((a, b) => a.firstMs - b.firstMs)
  return first === undefined ? null : { ...first, lastMs: Math.max(...spans.map(({ lastMs }) => lastMs)) }
}

/** Positions rise with time in a lane, so the ends of each tell. */
async function spansByLane(
  transaction: Transaction<Tables>,
  ingestId: number,
  kind: KindRecord,
): Promise<readonly Span[]> {
  const spans: Span[] = []
  const rows = ofKind(transaction, ingestId, kind).select(['position', 'received_ms'])
  for (let after = -1; ; ) {
    const first = await rows.where('position', '>', after).orderBy('position').limit(1).executeTakeFirst()
    if (first === undefined) return spans
    const lane = laneOf(first.position)
    after = lane + 1 < lanesMax ? positionAt(lane + 1, 0) - 1 : Number.MAX_SAFE_INTEGER
    const ofLane = rows.where('position', '<=', after).orderBy('position', 'desc').limit(1)
    const { received_ms } = await ofLane.executeTakeFirstOrThrow()
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
