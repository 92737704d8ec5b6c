import { NumericMap, produceV9 } from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'

export const compressions = ['none', 'lz4', 'gzip', 'snappy'] as const
export type Compression = (typeof compressions)[number]

/** The identity of a producer in Kafka, and the sequence numbers of its records, by which Kafka recognizes a batch that is sent again. */
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
 * The same producer in the next epoch. After Kafka has accepted a batch of this epoch, it accepts nothing of the one before. Null after the last epoch: a
 * new producer id must be requested.
 */
export function nextEpoch({ producerId, producerEpoch }: ProducerIdentity): ProducerIdentity | null {
  return producerEpoch < lastEpoch ? newIdentity({ producerId, producerEpoch: producerEpoch + 1 }) : null
}

/** The parts of the client that producing needs. */
export type ProducingClient = Pick<KafkaClient, 'ask' | 'askUntil' | 'leaderOf' | 'persist' | 'timeoutMs'>

/** Values for one partition. They are sent in one record batch, which Kafka appends whole or not at all. */
export interface RecordBatch {
  readonly topic: string
  readonly partition: number
  readonly values: readonly Buffer[]
}

interface ProduceOptions {
  readonly identity: ProducerIdentity
  readonly compression: Compression
  /** After it is aborted the batch is not sent. */
  readonly signal: AbortSignal
  readonly transactionalId?: string
}

const acknowledgedByAll = -1

/** Appends a batch. Resolves with the offset of its first value when all in-sync replicas have it. One call at a time for a partition. */
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
