import { NumericMap, produceV9 } from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'

export const compressions = ['none', 'lz4', 'gzip', 'snappy'] as const
export type Compression = (typeof compressions)[number]

/** What Kafka knows a producer by, and the numbers of its records: by them a batch that is sent again is known again. */
export interface ProducerIdentity {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** By `topic:partition`. */
  readonly sequences: NumericMap
}

export function newIdentity({
  producerId,
  producerEpoch,
}: {
  producerId: bigint
  producerEpoch: number
}): ProducerIdentity {
  return { producerId, producerEpoch, sequences: new NumericMap() }
}

const lastEpoch = 2 ** 15 - 1

/**
 * The same producer, after which Kafka takes nothing of the one before any more: from the moment on when it has taken something of this one. Null
 * past the last epoch: another producer has to be asked for.
 */
export function nextEpoch({ producerId, producerEpoch }: ProducerIdentity): ProducerIdentity | null {
  return producerEpoch < lastEpoch ? newIdentity({ producerId, producerEpoch: producerEpoch + 1 }) : null
}

/** What is asked of Kafka to produce. */
export type ProducingClient = Pick<KafkaClient, 'ask' | 'askUntil' | 'leaderOf' | 'persist' | 'timeoutMs'>

/** Values for one partition. They go in one record batch, which Kafka appends whole or not at all. */
export interface RecordBatch {
  readonly topic: string
  readonly partition: number
  readonly values: readonly Buffer[]
}

interface ProduceOptions {
  readonly identity: ProducerIdentity
  readonly compression: Compression
  /** Once it is aborted the batch is not sent any more. */
  readonly signal: AbortSignal
  readonly transactionalId?: string
}

const acknowledgedByAll = -1

/** Appends a batch once all replicas in sync have it, and resolves with the offset of its first value. One at a time for a partition. */
export async function produce(
  client: ProducingClient,
  { topic, partition, values }: RecordBatch,
  { identity, compression, signal, transactionalId }: ProduceOptions,
): Promise<number> {
  const messages = values.map((value) => ({ topic, partition, value }))
  const leader = await client.leaderOf(topic, partition)
  const options = { ...identity, compression, ...(transactionalId === undefined ? {} : { transactionalId }) }
  const request = [acknowledgedByAll, client.timeoutMs, messages, options] as const
  const answer = await client.askUntil(signal, leader, produceV9.api, ...request)
  const placed = typeof answer === 'boolean' ? undefined : answer.responses[0]?.partitionResponses[0]
  if (placed === undefined) throw new Error(`Kafka does not say where it put a batch of ${topic}`)
  identity.sequences.postIncrement(`${topic}:${partition}`, values.length, 0)
  return Number(placed.baseOffset)
}
