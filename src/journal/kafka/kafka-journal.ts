// The journal on Kafka: a topic whose partitions are those of the journal. A metadata entity's pushes go to one partition, which defines their
// order; those of a series entity may be spread over several.
// Tested by `test/cluster/journal.test.ts`.

import { setTimeout as sleep } from 'node:timers/promises'
import { BatchProducer } from '../../kafka/batch-producer.ts'
import type { KafkaClient } from '../../kafka/kafka-client.ts'
import type { Compression } from '../../kafka/produce.ts'
import { endOffset } from '../../kafka/read-partition.ts'
import { messageOf } from '../../lib/message-of.ts'
import { Problem } from '../../model/problem.ts'
import type { Observe } from '../../observe/event.ts'
import type { JournalEntry, JournalTarget, JournalWriter } from '../journal.ts'
import { positionAt } from '../partition-position.ts'
import { JournalPartition } from './journal-partition.ts'
import { type JournalTopic, openJournalTopic } from './journal-topic.ts'

export interface KafkaJournalOptions {
  readonly client: KafkaClient
  readonly topic: JournalTopic
  /** The number of partitions over which the pushes of a series entity are spread. */
  readonly partitionsPerEntity: number
  readonly compression: Compression
  /** The most bytes of one batch, unless it is a single push. */
  readonly batchBytesMax: number
  /** The most bytes that may wait to be written; beyond this an append is refused. */
  readonly pendingBytesMax: number
  /** The longest time that an append takes. */
  readonly timeoutMs: number
  readonly observe: Observe
}

const retryMs = 500
const retryAfterS = 2

export class KafkaJournal implements JournalWriter {
  readonly #options: KafkaJournalOptions
  readonly #stop = new AbortController()
  /** Empty until Kafka was reached for the first time. */
  #partitions: readonly JournalPartition[] = []
  /** By the id of an entity, which of its partitions the next push goes to. */
  readonly #turns = new Map<number, number>()
  #pendingBytes = 0
  /** The reason why nothing is accepted now; null while Kafka is reached. */
  #unreachableReason: string | null = 'it was not asked yet'
  #reaching: Promise<void>

  /** Kafka may be unreachable: nothing is accepted until it is reached. */
  constructor(options: KafkaJournalOptions) {
    this.#options = options
    this.#reaching = this.#reach()
  }

  get hasFailed(): boolean {
    return this.#unreachableReason !== null
  }

  /** Resolves when Kafka is reached, or the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    if (!signal.aborted) await Promise.race([this.#reaching, aborted])
  }

  async append(entry: JournalEntry, target: JournalTarget): Promise<number> {
    if (this.#stop.signal.aborted) throw stopped()
    if (this.hasFailed) throw kafkaUnavailable()
    const bytes = entry.body.length
    const { pendingBytesMax } = this.#options
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes > pendingBytesMax) throw backlogIsFull(pendingBytesMax)
    this.#pendingBytes += bytes
    try {
      return await this.#partitions[this.#partitionOf(target)]!.append(entry)
    } finally {
      this.#pendingBytes -= bytes
    }
  }

  async endPosition(entityId: number): Promise<number> {
    if (this.hasFailed) throw kafkaUnavailable()
    return this.#endOf(entityId % this.#partitions.length)
  }

  /** The ranges of everything that was acknowledged so far, one for each partition that has entries. */
  async acknowledged(): Promise<readonly { readonly from: number; readonly before: number }[]> {
    if (this.hasFailed) throw kafkaUnavailable()
    const ends = await Promise.all(this.#partitions.map((_, partition) => this.#endOf(partition)))
    return ends
      .map((before, partition) => ({ from: positionAt(partition, 0), before }))
      .filter(({ from, before }) => from < before)
  }

  async #endOf(partition: number): Promise<number> {
    const { client, topic, timeoutMs } = this.#options
    try {
      const place = { topic: topic.name, partition }
      const offset = await client.persist(() => endOffset(client, place, 'last'), AbortSignal.timeout(timeoutMs))
      return positionAt(partition, offset)
    } catch (error) {
      throw kafkaUnavailable(error)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#partitions.map((partition) => partition.flush()))
    await this.#reaching
    this.#options.client.close()
  }

  /** Items of metadata always have one partition, so that the later of two pushes of an item is known. */
  #partitionOf({ entityId, kind }: JournalTarget): number {
    const count = this.#partitions.length
    const partitionsPerEntity = kind === 'series' ? Math.min(this.#options.partitionsPerEntity, count) : 1
    if (partitionsPerEntity === 1) return entityId % count
    const turn = this.#turns.get(entityId) ?? 0
    this.#turns.set(entityId, (turn + 1) % partitionsPerEntity)
    return (entityId + turn) % count
  }

  /** Retries until Kafka is reached. */
  async #reach(): Promise<void> {
    const { client, topic, timeoutMs, observe } = this.#options
    const { signal } = this.#stop
    const startedMs = performance.now()
    while (!signal.aborted) {
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
        const partitions = await openJournalTopic(client, topic, within)
        this.#open(partitions)
        this.#unreachableReason = null
        observe({ kind: 'journalReached', topic: topic.name, partitions, ms: performance.now() - startedMs })
        return
      } catch (error) {
        if (!signal.aborted) this.#note(error)
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  #open(partitions: number): void {
    if (this.#partitions.length === partitions) return
    if (this.#partitions.length > 0) throw new Error('the partitions of the journal are other ones than they were')
    const { client, topic, compression, batchBytesMax, timeoutMs, observe } = this.#options
    this.#partitions = Array.from({ length: partitions }, (_, partition) => {
      const producer = new BatchProducer(client, { topic: topic.name, partition, compression })
      const failed = (error: unknown): Problem => this.#failed(error)
      // Timers of Node accept only whole numbers.
      const bounds = { batchBytesMax, waitMs: Math.ceil(timeoutMs / 2) }
      return new JournalPartition({ partition, producer, ...bounds, observe, failed, tooLate: kafkaIsSlow })
    })
  }

  /** Nothing more is accepted until Kafka is reached again: waiting entries would only wait longer. */
  #failed(error: unknown): Problem {
    const refusal = kafkaUnavailable(error)
    if (this.#unreachableReason === null) {
      this.#note(error)
      for (const partition of this.#partitions) partition.refuse(refusal)
      this.#reaching = this.#reach()
    }
    return refusal
  }

  /** Reports a reason to the operator only when it differs from the last one. */
  #note(error: unknown): void {
    const message = messageOf(error)
    if (this.#unreachableReason === message) return
    this.#unreachableReason = message
    this.#options.observe({ kind: 'journalAway', topic: this.#options.topic.name, message })
  }
}

function backlogIsFull(pendingBytesMax: number): Problem {
  return new Problem(
    'overloaded',
    `More than ${pendingBytesMax} bytes (kafka.pendingBytes) wait to be written. Nothing was stored. Push again later.`,
  )
}

/** Omits the cause's text, which may contain addresses; the operator finds it in the event. */
function kafkaUnavailable(cause?: unknown): Problem {
  const detail =
    'Kafka, which stores pushes, does not accept them now. Nothing was acknowledged: send it again later, with the same Idempotency-Key if it has one.'
  return new Problem('unavailable', detail, { cause, retryAfterS })
}

function kafkaIsSlow(): Problem {
  const detail = 'Kafka accepts pushes more slowly than they come. Nothing was stored. Push again later.'
  return new Problem('overloaded', detail, { retryAfterS })
}

function stopped(): Problem {
  return new Problem('shutting_down', 'The journal is closed. Push again when the service is back.')
}
