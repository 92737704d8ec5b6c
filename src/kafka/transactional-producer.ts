// Produces rows and the offset that they were made from in one transaction: both are there for readers of what is committed, or neither.
import {
  addOffsetsToTxnV3,
  addPartitionsToTxnV3,
  endTxnV3,
  initProducerIdV4,
  txnOffsetCommitV3,
} from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'
import { isPassingAndUndone } from './kafka-errors.ts'
import {
  type Compression,
  newIdentity,
  type ProducerIdentity,
  type ProducingClient,
  produce,
  type RecordBatch,
} from './produce.ts'

interface ProducerOptions {
  /** Of two producers of one id the one that began last is the one that may write. */
  readonly transactionalId: string
  readonly compression: Compression
  /** A transaction that takes longer is ended by Kafka. */
  readonly transactionTimeoutMs: number
}

/** How far a group has read. */
export interface GroupOffset {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** What is asked of Kafka to produce in transactions. */
export type TransactingClient = ProducingClient & Pick<KafkaClient, 'coordinatorOf'>

/**
 * A request about a transaction that Kafka may have got and has not answered is not sent again: done late, it would end the next transaction before
 * its time, or put the offset back that it commits. The next `begin` shuts it out. Batches are safe: Kafka knows them again.
 */
export class TransactionalProducer {
  readonly #client: TransactingClient
  readonly #options: ProducerOptions
  #identity: ProducerIdentity | null = null

  constructor(client: TransactingClient, options: ProducerOptions) {
    this.#client = client
    this.#options = options
  }

  /** Shuts out every earlier producer of the same id, and ends what it left open. */
  async begin(signal: AbortSignal): Promise<void> {
    const { transactionalId, transactionTimeoutMs } = this.#options
    const client = this.#client
    const answer = await client.persist(async () => {
      const coordinator = await client.coordinatorOf('transaction', transactionalId)
      return client.ask(coordinator, initProducerIdV4.api, transactionalId, transactionTimeoutMs, -1n, -1)
    }, signal)
    this.#identity = newIdentity(answer)
  }

  /** Produces a part of the transaction that the next `commit` ends; after a failure, as there. */
  async send(batches: readonly RecordBatch[], timeoutMs: number): Promise<void> {
    const identity = this.#begun()
    const within = (): AbortSignal => AbortSignal.timeout(timeoutMs)
    await this.#addPartitions(identity, batches, within())
    await Promise.all(byPlace(batches).map((own) => this.#produceAll(identity, own, within)))
  }

  /**
   * Resolves once all of it is committed. After a failure nothing is known of it: `begin` is next, and the group's offset says what was
   * committed. Fails for good (`isFenced`) when another producer of the id has begun. Each batch may take `timeoutMs`, and what comes before and
   * after them: a large transaction needs time, and one that had too little would be begun again and again.
   */
  async commit(batches: readonly RecordBatch[], reached: GroupOffset, timeoutMs: number): Promise<void> {
    const identity = this.#begun()
    const within = (): AbortSignal => AbortSignal.timeout(timeoutMs)
    await Promise.all([this.#addPartitions(identity, batches, within()), this.#addGroup(identity, reached, within())])
    await Promise.all([
      ...byPlace(batches).map((own) => this.#produceAll(identity, own, within)),
      this.#commitOffset(identity, reached, within()),
    ])
    await this.#askCoordinator(within(), (coordinator, id) =>
      this.#client.ask(coordinator, endTxnV3.api, id, identity.producerId, identity.producerEpoch, true),
    )
  }

  #begun(): ProducerIdentity {
    if (this.#identity === null) throw new Error('a transaction needs a producer that has begun')
    return this.#identity
  }

  async #addPartitions(
    { producerId, producerEpoch }: ProducerIdentity,
    batches: readonly RecordBatch[],
    signal: AbortSignal,
  ): Promise<void> {
    const topics = byPlace(batches).map(([{ topic, partition }]) => ({ name: topic, partitions: [partition] }))
    if (topics.length === 0) return
    await this.#askCoordinator(signal, (coordinator, transactionalId) => {
      const transaction = { transactionalId, producerId, producerEpoch, topics, verifyOnly: false }
      return this.#client.ask(coordinator, addPartitionsToTxnV3.api, [transaction])
    })
  }

  async #addGroup(
    { producerId, producerEpoch }: ProducerIdentity,
    { group }: GroupOffset,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#askCoordinator(signal, (coordinator, id) =>
      this.#client.ask(coordinator, addOffsetsToTxnV3.api, id, producerId, producerEpoch, group),
    )
  }

  async #produceAll(
    identity: ProducerIdentity,
    batches: readonly RecordBatch[],
    within: () => AbortSignal,
  ): Promise<void> {
    const { transactionalId, compression } = this.#options
    for (const batch of batches) {
      const signal = within()
      const options = { identity, compression, signal, transactionalId }
      await this.#client.persist(() => produce(this.#client, batch, options), signal)
    }
  }

  async #commitOffset(
    { producerId, producerEpoch }: ProducerIdentity,
    { group, topic, partition, offset }: GroupOffset,
    signal: AbortSignal,
  ): Promise<void> {
    const { transactionalId } = this.#options
    const client = this.#client
    const place = { partitionIndex: partition, committedOffset: BigInt(offset), committedLeaderEpoch: -1 }
    const topics = [{ name: topic, partitions: [place] }]
    await client.persist(
      async () => {
        const coordinator = await client.coordinatorOf('group', group)
        // No member: that an earlier owner of the partition is shut out is the matter of the transactional id.
        const who = [transactionalId, group, producerId, producerEpoch, -1, '', null] as const
        return client.ask(coordinator, txnOffsetCommitV3.api, ...who, topics)
      },
      signal,
      isPassingAndUndone,
    )
  }

  #askCoordinator<Answer>(
    signal: AbortSignal,
    ask: (coordinator: number, transactionalId: string) => Promise<Answer>,
  ): Promise<Answer> {
    const { transactionalId } = this.#options
    const client = this.#client
    return client.persist(
      async () => ask(await client.coordinatorOf('transaction', transactionalId), transactionalId),
      signal,
      isPassingAndUndone,
    )
  }
}

/** Batches of one partition go one after another, those of others beside them. */
function byPlace(batches: readonly RecordBatch[]): readonly (readonly [RecordBatch, ...RecordBatch[]])[] {
  const places = new Map<string, [RecordBatch, ...RecordBatch[]]>()
  for (const batch of batches) {
    const name = `${batch.topic}:${batch.partition}`
    const known = places.get(name)
    if (known === undefined) places.set(name, [batch])
    else known.push(batch)
  }
  return [...places.values()]
}
