// Produces rows and the offset that they were made from in one transaction: readers of committed records see both or neither.
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
  /** Of two producers with the same id, only the one that began last may write. */
  readonly transactionalId: string
  readonly compression: Compression
  /** Kafka ends a transaction that takes longer. */
  readonly transactionTimeoutMs: number
}

/** The offset up to which a group has read. */
export interface GroupOffset {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** The parts of the client that transactions need. */
export type TransactingClient = ProducingClient & Pick<KafkaClient, 'coordinatorOf'>

/**
 * A request about a transaction that Kafka may have received without responding is not sent again: executed late, it would end the next transaction too
 * early, or reset the offset that the next one commits. The next `begin` fences it off. Batches are safe to send again, because Kafka recognizes them.
 */
export class TransactionalProducer {
  readonly #client: TransactingClient
  readonly #options: ProducerOptions
  #identity: ProducerIdentity | null = null

  constructor(client: TransactingClient, options: ProducerOptions) {
    this.#client = client
    this.#options = options
  }

  /** Fences off every earlier producer with the same id, and ends the transaction that it left open. */
  async begin(signal: AbortSignal): Promise<void> {
    const { transactionalId, transactionTimeoutMs } = this.#options
    const client = this.#client
    const answer = await client.persist(async () => {
      const coordinator = await client.coordinatorOf('transaction', transactionalId)
      return client.ask(coordinator, initProducerIdV4.api, transactionalId, transactionTimeoutMs, -1n, -1)
    }, signal)
    this.#identity = newIdentity(answer)
  }

  /** Produces a part of the transaction that the next `commit` ends. After a failure, proceed as after one of `commit`. */
  async send(batches: readonly RecordBatch[], timeoutMs: number): Promise<void> {
    const identity = this.#begun()
    const within = (): AbortSignal => AbortSignal.timeout(timeoutMs)
    await this.#addPartitions(identity, batches, within())
    await Promise.all(byPlace(batches).map((own) => this.#produceAll(identity, own, within)))
  }

  /**
   * Resolves when the whole transaction is committed. After a failure its outcome is unknown: call `begin` next; the group's offset shows what was committed.
   * Fails permanently (`isFenced`) when another producer with the id has begun. Each batch may take `timeoutMs`, as may the steps before and after the
   * batches: with too little time, a large transaction would be restarted again and again.
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
        // No member id: fencing off an earlier owner of the partition is the task of the transactional id.
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

/** Groups batches by partition. Those of one partition are sent one after another, and partitions in parallel. */
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
