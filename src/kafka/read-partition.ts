import { fetchV12, listOffsetsV7, offsetFetchV8 } from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'

export interface PartitionPlace {
  readonly topic: string
  readonly partition: number
}

interface FetchOptions extends PartitionPlace {
  readonly offset: number
  /** The approximate number of bytes to read; at least one batch is read. */
  readonly bytesMax: number
  /** How long Kafka waits for new records. */
  readonly waitMs: number
}

interface FetchedRecord {
  readonly offset: number
  readonly value: Buffer
}

export interface Fetched {
  /** From the offset on, in order. */
  readonly records: readonly FetchedRecord[]
  /** The offset of the next fetch. */
  readonly nextOffset: number
}

const anyEpoch = -1
/** Records of an open transaction, and all records after them, are not visible yet. */
const readCommitted = 1
const controlBatch = 1 << 5
const abortMarker = 0

/** Reads committed records. Throws Kafka's OFFSET_OUT_OF_RANGE when the offset no longer exists. */
export async function fetchRecords(client: KafkaClient, options: FetchOptions): Promise<Fetched> {
  const { topic, partition, offset, bytesMax, waitMs } = options
  const leader = await client.leaderOf(topic, partition)
  const epochs = { currentLeaderEpoch: anyEpoch, lastFetchedEpoch: anyEpoch }
  const wanted = { partition, fetchOffset: BigInt(offset), partitionMaxBytes: bytesMax, ...epochs }
  const topics = [{ topicId: topic, partitions: [wanted] }]
  const answer = await client.ask(leader, fetchV12.api, waitMs, 1, bytesMax, readCommitted, 0, 0, topics, [], '')
  const found = answer.responses[0]?.partitions[0]
  const records: FetchedRecord[] = []
  let nextOffset = offset
  const isCommitted = committedTest(found?.abortedTransactions ?? [])
  for (const batch of found?.records ?? []) {
    const first = Number(batch.firstOffset)
    nextOffset = Math.max(nextOffset, first + batch.lastOffsetDelta + 1)
    if (!isCommitted(batch)) continue
    for (const record of batch.records) {
      const own = first + record.offsetDelta
      if (own >= offset && record.value !== null) records.push({ offset: own, value: record.value })
    }
  }
  return { records, nextOffset }
}

type FetchAnswer = Awaited<ReturnType<typeof fetchV12.api.async>>
type FetchedPartition = FetchAnswer['responses'][number]['partitions'][number]
type Batch = NonNullable<FetchedPartition['records']>[number]

/** Distinguishes committed batches from aborted ones and from transaction markers. The test must be called for each batch, in order. */
function committedTest(transactions: FetchedPartition['abortedTransactions']): (batch: Batch) => boolean {
  const aborted = [...transactions]
  return ({ attributes, producerId, firstOffset, records }) => {
    const index = aborted.findIndex((one) => one.producerId === producerId && one.firstOffset <= firstOffset)
    if ((attributes & controlBatch) === 0) return index < 0
    const isAbort = records[0]?.key?.readInt16BE(2) === abortMarker
    if (isAbort && index >= 0) aborted.splice(index, 1)
    return false
  }
}

/** The first offset that a partition still contains, or the offset after the last committed record. */
export async function endOffset(
  client: KafkaClient,
  { topic, partition }: PartitionPlace,
  end: 'first' | 'last',
): Promise<number> {
  return listedOffset(client, { topic, partition }, end === 'first' ? -2n : -1n)
}

/** The first offset written at a date or later, or the offset after the last record if there is none. */
export async function offsetSince(client: KafkaClient, place: PartitionPlace, ms: number): Promise<number> {
  const found = await listedOffset(client, place, BigInt(Math.max(0, ms)))
  return found < 0 ? endOffset(client, place, 'last') : found
}

async function listedOffset(
  client: KafkaClient,
  { topic, partition }: PartitionPlace,
  timestamp: bigint,
): Promise<number> {
  const leader = await client.leaderOf(topic, partition)
  const wanted = { partitionIndex: partition, currentLeaderEpoch: anyEpoch, timestamp }
  const topics = [{ name: topic, partitions: [wanted] }]
  const answer = await client.ask(leader, listOffsetsV7.api, -1, readCommitted, topics)
  const found = answer.topics[0]?.partitions[0]
  if (found === undefined) throw new Error(`Kafka does not say where partition ${partition} of ${topic} ends`)
  return Number(found.offset)
}

/** The offset that a group has committed, with no open transaction that changes it; null if it has committed none. */
export async function committedOffset(
  client: KafkaClient,
  group: string,
  { topic, partition }: PartitionPlace,
): Promise<number | null> {
  const coordinator = await client.coordinatorOf('group', group)
  const groups = [{ groupId: group, memberEpoch: -1, topics: [{ name: topic, partitionIndexes: [partition] }] }]
  const answer = await client.ask(coordinator, offsetFetchV8.api, groups, true)
  const offset = Number(answer.groups[0]?.topics[0]?.partitions[0]?.committedOffset ?? -1n)
  return offset < 0 ? null : offset
}
